import { DAY_MS, type Ratio } from '#kube/units';
import type { ByteReader, ByteWriter } from './byte-codec.ts';
import { SLOT_MS } from './slots.ts';

/** Half-life: a day. */
const DECAY_PER_SLOT = Math.pow(0.5, SLOT_MS / DAY_MS);

/** Mean share of CPU periods that were throttled, in which later slots weigh more. */
export class ThrottledShare {
  #sum = 0;
  #weight = 0;

  /** null: it was never measured. */
  get mean(): Ratio | null {
    return this.#weight > 0 ? this.#sum / this.#weight : null;
  }

  add(share: Ratio): void {
    this.#sum = this.#sum * DECAY_PER_SLOT + share;
    this.#weight = this.#weight * DECAY_PER_SLOT + 1;
  }

  save(out: ByteWriter): void {
    out.f64(this.#sum);
    out.f64(this.#weight);
  }

  load(from: ByteReader): void {
    this.#sum = from.f64();
    this.#weight = from.f64();
  }
}
