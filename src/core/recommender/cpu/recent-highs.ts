import type { ByteReader, ByteWriter } from '../history/byte-codec.ts';
import { decodeValue, encodeValue } from '../history/log-scale.ts';
import { INCREASE_SLOTS } from '../recommender-rules.ts';

/** Sliding-window maximum of the last three hours (monotonic queue). */
export class RecentHighs {
  #highs: { readonly slot: number; readonly value: number }[] = [];

  /** NaN: no sample. */
  get highest(): number {
    return this.#highs[0]?.value ?? NaN;
  }

  /** Slot of the newest sample above a value; null: none. */
  lastAbove(value: number): number | null {
    return this.#highs.findLast((high) => high.value > value)?.slot ?? null;
  }

  add(slot: number, value: number): void {
    while ((this.#highs.at(-1)?.value ?? Infinity) <= value) this.#highs.pop();
    this.#highs.push({ slot, value });
  }

  /** Removes samples more than three hours before `slot`. */
  forgetBefore(slot: number): void {
    while ((this.#highs[0]?.slot ?? Infinity) + INCREASE_SLOTS < slot) this.#highs.shift();
  }

  save(out: ByteWriter): void {
    out.u8(this.#highs.length);
    for (const { slot, value } of this.#highs) {
      out.u32(slot);
      out.u16(encodeValue(value));
    }
  }

  load(from: ByteReader): void {
    this.#highs = Array.from({ length: from.u8() }, () => ({ slot: from.u32(), value: decodeValue(from.u16()) }));
  }
}
