// The last 28 days hour by hour, each hour's highest value, and its upper quartile for the last 7, as 16-bit codes. Windows over it
// answer "the highest of the last 6 hours" and "the same hour on the last 7 days".

import { decodeValue, encodeValue, UNKNOWN_CODE } from './log-scale.ts';

/** Four weeks, so that the same hour of the week is seen four times. */
export const RING_HOURS = 672;
/** A week: nobody asks for older upper quartiles. */
export const UPPER_HOURS = 168;

/** Everything a ring remembers, for checkpoints. */
export interface RingState {
  readonly end: number;
  readonly since: number;
  readonly peaks: Uint16Array;
  readonly uppers: Uint16Array;
}

export class HourRing {
  readonly #peaks = new Uint16Array(RING_HOURS);
  readonly #uppers = new Uint16Array(UPPER_HOURS);
  /** Hour (since the epoch) after the newest one held. */
  #end = 0;
  /** Hours before this one make no forecast: usage was at another level. They stay known as peaks. */
  #since = 0;

  /** The hour after the newest one held. */
  get end(): number {
    return this.#end;
  }

  /** Hours before `hour` say nothing more about what comes; `maxPeak` still counts them. */
  forecastFrom(hour: number): void {
    this.#since = hour;
  }

  /** Appends the hour `hour`; hours between it and the newest held are unknown. */
  push(hour: number, peak: number, upperQuartile: number): void {
    if (this.#end === 0 || hour - this.#end >= RING_HOURS) {
      this.#peaks.fill(UNKNOWN_CODE);
      this.#uppers.fill(UNKNOWN_CODE);
    } else {
      for (let missing = this.#end; missing < hour; missing++) {
        this.#peaks[missing % RING_HOURS] = UNKNOWN_CODE;
        this.#uppers[missing % UPPER_HOURS] = UNKNOWN_CODE;
      }
    }
    this.#peaks[hour % RING_HOURS] = encodeValue(peak);
    this.#uppers[hour % UPPER_HOURS] = encodeValue(upperQuartile);
    this.#end = hour + 1;
  }

  /** Highest value of the `hours` hours before `before`, of all that is held; NaN where none is known. */
  maxPeak(before: number, hours: number): number {
    const peaks = this.#peaks;
    const end = Math.min(before, this.#end);
    const begin = Math.max(before - hours, this.#end - RING_HOURS, 0);
    let most = UNKNOWN_CODE;
    for (let hour = begin, at = begin % RING_HOURS; hour < end; hour++) {
      const code = peaks[at] ?? 0;
      if (code > most) most = code;
      at = at + 1 === RING_HOURS ? 0 : at + 1;
    }
    return decodeValue(most);
  }

  /** Highest values of several windows that end at `before`, ascending lengths in hours, in one pass. */
  maxPeaks(before: number, windows: readonly number[], into: Float64Array, offset: number): void {
    let most = UNKNOWN_CODE;
    let back = 0;
    for (const [index, hours] of windows.entries()) {
      for (; back < hours; back++) {
        const code = this.#peakCode(before - 1 - back);
        if (code > most) most = code;
      }
      into[offset + index] = decodeValue(most);
    }
  }

  peakAt(hour: number): number {
    return decodeValue(this.#peakCode(hour));
  }

  upperAt(hour: number): number {
    return hour >= this.#end || hour < this.#end - UPPER_HOURS || hour < this.#since
      ? NaN
      : decodeValue(this.#uppers[hour % UPPER_HOURS] ?? 0);
  }

  /** For checkpoints. */
  dump(): RingState {
    return { end: this.#end, since: this.#since, peaks: this.#peaks, uppers: this.#uppers };
  }

  load({ end, since, peaks, uppers }: RingState): void {
    this.#end = end;
    this.#since = since;
    this.#peaks.set(peaks);
    this.#uppers.set(uppers);
  }

  #peakCode(hour: number): number {
    return hour >= this.#end || hour < this.#end - RING_HOURS || hour < this.#since ? UNKNOWN_CODE : (this.#peaks[hour % RING_HOURS] ?? 0);
  }
}
