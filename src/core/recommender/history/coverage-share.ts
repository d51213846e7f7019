import type { ByteReader, ByteWriter } from './byte-codec.ts';
import type { Ratio } from '#kube/units';

/** Length of the moving average: a week. */
const HOURS = 168;

/** Share of the points of the last week that the requests at the time covered. Hours without usage do not count. */
export class CoverageShare {
  #covered = 0;
  #hours = 0;

  /** Adds one hour with usage, as an exponential moving average over a week. */
  add(share: Ratio): void {
    const discount = this.#hours < HOURS ? 1 : 1 - 1 / HOURS;
    this.#covered = this.#covered * discount + share;
    this.#hours = Math.min(this.#hours + 1, HOURS);
  }

  /** `share` is 0 while `hours` is 0. */
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
