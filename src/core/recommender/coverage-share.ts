import type { ByteReader, ByteWriter } from './byte-codec.ts';
import type { Ratio } from '#kube/units';

/** Hours that count: a week. */
const HOURS = 168;

/** What share of the points of the last week the values in force covered. Hours without usage do not count. */
export class CoverageShare {
  #covered = 0;
  #hours = 0;

  /** Adds one hour with usage. Older hours fade as if a week of them were averaged. */
  add(share: Ratio): void {
    const rest = this.#hours < HOURS ? 1 : 1 - 1 / HOURS;
    this.#covered = this.#covered * rest + share;
    this.#hours = Math.min(this.#hours + 1, HOURS);
  }

  get value(): { readonly share: Ratio; readonly hours: number } {
    return { share: this.#hours === 0 ? 0 : Math.min(1, this.#covered / this.#hours), hours: this.#hours };
  }

  save(out: ByteWriter): void {
    out.f64(this.#covered);
    out.u8(this.#hours);
  }

  load(from: ByteReader): void {
    this.#covered = from.f64();
    this.#hours = from.u8();
  }
}
