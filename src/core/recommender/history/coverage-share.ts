import type { ByteReader, ByteWriter } from './byte-codec.ts';
import type { Ratio } from '#kube/units';

/** Length of the moving average: a week. */
const HOURS = 168;

/** Share of the points of the last week that the requests at the time covered. Hours without usage do not count. */
export class CoverageShare {
  /** Count of the numbers of its state: the discounted sum of the shares, and the count of hours. */
  static readonly SIZE = 2;
  readonly #state: number[];
  readonly #first: number;

  /** @param state numbers of a model; `first`: the place of these, of which there are `SIZE`, 0 at first */
  constructor(state: number[], first: number) {
    this.#state = state;
    this.#first = first;
  }

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

  get #covered(): number {
    return this.#state[this.#first] ?? 0;
  }

  set #covered(value: number) {
    this.#state[this.#first] = value;
  }

  get #hours(): number {
    return this.#state[this.#first + 1] ?? 0;
  }

  set #hours(value: number) {
    this.#state[this.#first + 1] = value;
  }
}
