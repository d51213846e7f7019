// Ring buffer of hourly peaks and upper quartiles as 16-bit codes, for windows such as "highest of the last 6 hours" and "the
// same hour on the last 7 days".

import type { ByteReader, ByteWriter } from './byte-codec.ts';
import { decodeValue, encodeValue, UNKNOWN_CODE } from './log-scale.ts';

/** Hourly peaks and upper quartiles; hours count from the epoch. NaN: not measured. */
export class HourRing {
  readonly #peaks: Uint16Array;
  readonly #uppers: Uint16Array;
  /** The hour after the newest stored one. */
  #end = 0;

  /** @param peakHours hours of stored peaks; `upperHours`: of stored upper quartiles */
  constructor(peakHours: number, upperHours: number) {
    this.#peaks = new Uint16Array(peakHours);
    this.#uppers = new Uint16Array(upperHours);
  }

  /** Appends an hour; hours between it and the newest stored one are unknown. */
  push(hour: number, peak: number, upperQuartile: number): void {
    const [peaks, uppers] = [this.#peaks, this.#uppers];
    if (this.#end === 0 || hour - this.#end >= peaks.length) {
      peaks.fill(UNKNOWN_CODE);
      uppers.fill(UNKNOWN_CODE);
    } else {
      for (let missing = this.#end; missing < hour; missing++) {
        peaks[missing % peaks.length] = UNKNOWN_CODE;
        if (uppers.length > 0) uppers[missing % uppers.length] = UNKNOWN_CODE;
      }
    }
    peaks[hour % peaks.length] = encodeValue(peak);
    if (uppers.length > 0) uppers[hour % uppers.length] = encodeValue(upperQuartile);
    this.#end = hour + 1;
  }

  /** Highest peak of the `hours` hours before the hour `before`; NaN: none. */
  maxPeak(before: number, hours: number): number {
    const peaks = this.#peaks;
    const end = Math.min(before, this.#end);
    const begin = Math.max(before - hours, this.#end - peaks.length, 0);
    let highest = UNKNOWN_CODE;
    for (let hour = begin, at = begin % peaks.length; hour < end; hour++) {
      const code = peaks[at] ?? 0;
      if (code > highest) highest = code;
      at = at + 1 === peaks.length ? 0 : at + 1;
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
      const code = this.#peakCode(hour);
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
        const code = this.#peakCode(before - 1 - offset);
        if (code > highest) highest = code;
      }
      found(index, decodeValue(highest));
    }
  }

  peakAt(hour: number): number {
    return decodeValue(this.#peakCode(hour));
  }

  upperAt(hour: number): number {
    const length = this.#uppers.length;
    return hour >= this.#end || hour < this.#end - length ? NaN : decodeValue(this.#uppers[hour % length] ?? 0);
  }

  save(out: ByteWriter): void {
    const length = Math.min(this.#end - this.#firstKnown(), this.#peaks.length);
    out.f64(this.#end);
    out.u16(length);
    for (let hour = this.#end - length; hour < this.#end; hour++) out.u16(this.#peakCode(hour));
    for (const upper of this.#uppers) out.u16(upper);
  }

  load(from: ByteReader): void {
    this.#end = from.f64();
    const length = from.u16();
    for (let hour = this.#end - length; hour < this.#end; hour++) this.#peaks[hour % this.#peaks.length] = from.u16();
    for (let at = 0; at < this.#uppers.length; at++) this.#uppers[at] = from.u16();
  }

  #firstKnown(): number {
    let first = Math.max(0, this.#end - this.#peaks.length);
    while (first < this.#end && this.#peakCode(first) === UNKNOWN_CODE) first += 1;
    return first;
  }

  #peakCode(hour: number): number {
    const length = this.#peaks.length;
    return hour >= this.#end || hour < this.#end - length ? UNKNOWN_CODE : (this.#peaks[hour % length] ?? 0);
  }
}
