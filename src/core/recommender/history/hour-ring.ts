// Ring buffer of hourly peaks and upper quartiles as 16-bit codes, for windows such as "highest of the last 6 hours" and "the
// same hour on the last 7 days".

import type { ByteReader, ByteWriter } from './byte-codec.ts';
import { decodeValue, encodeValue, UNKNOWN_CODE } from './log-scale.ts';
import { StoreSection } from './model-store.ts';

const CODE_BYTES = Uint16Array.BYTES_PER_ELEMENT;
/** Hours by which the stored peaks grow. */
const GROWTH_HOURS = 24;

/** Hourly peaks and upper quartiles; hours count from the epoch. NaN: not measured. */
export class HourRing {
  readonly #peakHours: number;
  readonly #upperHours: number;
  /** Peaks of the last hours: all since the first one, up to `#peakHours`. */
  readonly #peaks: StoreSection;
  /** Upper quartiles of the last `#upperHours` hours; empty before the first. */
  readonly #uppers: StoreSection;
  /** The hour after the newest stored one. */
  #end = 0;

  /** @param peakHours maximum hours of stored peaks; `upperHours`: of stored upper quartiles */
  constructor(peakHours: number, upperHours: number, peaks = StoreSection.alone(), uppers = StoreSection.alone()) {
    this.#peakHours = peakHours;
    this.#upperHours = upperHours;
    this.#peaks = peaks;
    this.#uppers = uppers;
  }

  /** Appends an hour; hours between it and the newest stored one are unknown. */
  push(hour: number, peak: number, upperQuartile: number): void {
    const isFirst = this.#end === 0 || hour - this.#end >= this.#peakHours;
    this.#fit(isFirst ? 1 : hour + 1 - this.#firstKnown());
    this.#uppers.resize(this.#upperHours * CODE_BYTES);
    for (const [ring, value] of [[this.#peaks, peak] as const, [this.#uppers, upperQuartile] as const]) {
      const { codes, firstCode, codeCount } = ring;
      if (codeCount === 0) continue;
      if (isFirst) codes.fill(UNKNOWN_CODE, firstCode, firstCode + codeCount);
      else for (let missing = this.#end; missing < hour; missing++) codes[firstCode + (missing % codeCount)] = UNKNOWN_CODE;
      codes[firstCode + (hour % codeCount)] = encodeValue(value);
    }
    this.#end = hour + 1;
  }

  /** Highest peak of the `hours` hours before the hour `before`; NaN: none. */
  maxPeak(before: number, hours: number): number {
    const { codes, firstCode, codeCount } = this.#peaks;
    const end = Math.min(before, this.#end);
    const begin = Math.max(before - hours, this.#end - codeCount, 0);
    let highest = UNKNOWN_CODE;
    for (let hour = begin, at = begin % codeCount; hour < end; hour++) {
      const code = codes[firstCode + at] ?? 0;
      if (code > highest) highest = code;
      at = at + 1 === codeCount ? 0 : at + 1;
    }
    return decodeValue(highest);
  }

  /**
   * The n-th highest peak of the `hours` hours before the hour `before`, where n = hours of history ÷ `everyHours`: on average one hour in
   * `everyHours` reaches it. Each hour that was not measured counts as one that does, so n is smaller by one, and 1 at least. NaN: none is known.
   */
  peakReachedEvery(everyHours: number, before: number, hours: number): number {
    const codes: number[] = [];
    let unknown = 0;
    for (let hour = Math.max(before - hours, this.#firstKnown()); hour < before; hour++) {
      const code = this.#codeIn(this.#peaks, hour);
      if (code !== UNKNOWN_CODE) codes.push(code);
      else unknown += 1;
    }
    const sorted = Uint16Array.from(codes).sort();
    const rank = Math.max(1, Math.floor((sorted.length + unknown) / everyHours) - unknown);
    return decodeValue(sorted.at(-rank) ?? UNKNOWN_CODE);
  }

  /** Highest peaks of several windows before the hour `before`, in one pass. @param windows lengths in hours, ascending */
  maxPeaks(before: number, windows: readonly number[], found: (index: number, peak: number) => void): void {
    let highest = UNKNOWN_CODE;
    let offset = 0;
    for (const [index, hours] of windows.entries()) {
      for (; offset < hours; offset++) {
        const code = this.#codeIn(this.#peaks, before - 1 - offset);
        if (code > highest) highest = code;
      }
      found(index, decodeValue(highest));
    }
  }

  peakAt(hour: number): number {
    return decodeValue(this.#codeIn(this.#peaks, hour));
  }

  upperAt(hour: number): number {
    return decodeValue(this.#codeIn(this.#uppers, hour));
  }

  save(out: ByteWriter): void {
    const length = this.#end - this.#firstKnown();
    out.f64(this.#end);
    out.u16(length);
    for (let hour = this.#end - length; hour < this.#end; hour++) out.u16(this.#codeIn(this.#peaks, hour));
    const { codes, firstCode, codeCount } = this.#uppers;
    for (let at = 0; at < this.#upperHours; at++) out.u16(codeCount === 0 ? UNKNOWN_CODE : (codes[firstCode + at] ?? UNKNOWN_CODE));
  }

  load(from: ByteReader): void {
    this.#end = from.f64();
    const length = from.u16();
    this.#fit(length);
    if (this.#end > 0) this.#uppers.resize(this.#upperHours * CODE_BYTES);
    const { codes, firstCode, codeCount } = this.#peaks;
    for (let hour = this.#end - length; hour < this.#end; hour++) codes[firstCode + (hour % codeCount)] = from.u16();
    for (let at = 0; at < this.#upperHours; at++) {
      const code = from.u16();
      if (this.#uppers.codeCount > 0) codes[this.#uppers.firstCode + at] = code;
    }
  }

  #firstKnown(): number {
    let first = Math.max(0, this.#end - this.#peaks.codeCount);
    while (first < this.#end && this.#codeIn(this.#peaks, first) === UNKNOWN_CODE) first += 1;
    return first;
  }

  /** Code of an hour in a ring of the last hours; UNKNOWN_CODE where the ring does not have it. */
  #codeIn(ring: StoreSection, hour: number): number {
    const { codes, firstCode, codeCount } = ring;
    // An hour before 1970 has no place.
    return hour >= this.#end || hour < this.#end - codeCount || hour < 0 ? UNKNOWN_CODE : (codes[firstCode + (hour % codeCount)] ?? 0);
  }

  /** Grows the ring of peaks to at least `hours`, up to its maximum. */
  #fit(hours: number): void {
    const capacity = this.#peaks.codeCount;
    if (hours <= capacity || capacity === this.#peakHours) return;
    const before = this.#peaks.codes.slice(this.#peaks.firstCode, this.#peaks.firstCode + capacity);
    this.#peaks.resize(Math.min(this.#peakHours, Math.ceil(hours / GROWTH_HOURS) * GROWTH_HOURS) * CODE_BYTES);
    const { codes, firstCode, codeCount } = this.#peaks;
    codes.fill(UNKNOWN_CODE, firstCode, firstCode + codeCount);
    for (let hour = Math.max(0, this.#end - capacity); hour < this.#end; hour++)
      codes[firstCode + (hour % codeCount)] = before[hour % capacity] ?? UNKNOWN_CODE;
  }
}
