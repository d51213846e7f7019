// Detects memory leaks: a working set that grows day after day while the container runs. Growth is summed over the replicas'
// differences between slots, so that restarts of single replicas neither hide a leak nor look like one.

import { DAY_MS, HOUR_MS, type Bytes, type DurationMs, type Instant, type Ratio } from '#kube/units';
import type { ByteReader, ByteWriter } from '../history/byte-codec.ts';
import { decodeValue, encodeValue } from '../history/log-scale.ts';
import { hourOf } from '../history/slots.ts';

/** Growth is stored every three hours, for eight days. */
const STEP_HOURS = 3;
const STEPS_PER_DAY = 24 / STEP_HOURS;
const MAX_STEPS = 8 * STEPS_PER_DAY;
const MIN_STEPS = 2 * STEPS_PER_DAY;
/** A leak is reported only if some container has run for two days. */
const MIN_AGE_MS: DurationMs = 2 * DAY_MS;
/** Growth in the first hours of a container is warm-up. */
const WARM_UP_MS: DurationMs = 6 * HOUR_MS;
/** Growth per day, as a share of the first value, above which it is a leak. */
const LEAK_RATIO_PER_DAY: Ratio = 0.03;

interface Replica {
  readonly startedAt: Instant | null;
  readonly bytes: Bytes;
  readonly hour: number;
}

/** Growth of the working set over the last eight days. */
export class MemoryGrowth {
  /** Working set by pod in the slot before. Not in a checkpoint: the next slot has it again. */
  readonly #replicas = new Map<string, Replica>();
  /** Working set of a replica without restarts, every three hours, oldest first. */
  #levels: Bytes[] = [];
  #step = -1;
  #level: Bytes = NaN;
  #isLeaking = false;
  #isOldEnough = false;

  /** Whether the working set grows by more than 3 % a day, over all stored days and over the last ones. */
  get isLeaking(): boolean {
    return this.#isLeaking;
  }

  /** Adds the working sets of one slot. @param replicas by pod; `startedAt` null: unknown */
  add(at: Instant, slot: number, replicas: ReadonlyMap<string, { readonly memory: Bytes; readonly startedAt: Instant | null }>): void {
    this.#advance(hourOf(slot));
    let [gained, counted, highest] = [0, 0, NaN];
    this.#isOldEnough = false;
    for (const [pod, { memory, startedAt }] of replicas) {
      if (Number.isNaN(memory)) continue;
      if (!(highest >= memory)) highest = memory;
      if (startedAt === null || at - startedAt >= MIN_AGE_MS) this.#isOldEnough = true;
      const before = this.#replicas.get(pod);
      this.#replicas.set(pod, { startedAt, bytes: memory, hour: hourOf(slot) });
      if (before?.startedAt !== startedAt || (startedAt !== null && at - startedAt < WARM_UP_MS)) continue;
      gained += memory - before.bytes;
      counted += 1;
    }
    if (Number.isNaN(this.#level)) this.#level = highest;
    if (counted > 0) this.#level = Math.max(0, this.#level + gained / counted);
  }

  /** Starts again after a roll-out: growth of the version before does not describe the new one. */
  reset(): void {
    this.#levels = [];
    this.#level = NaN;
    this.#isLeaking = false;
  }

  save(out: ByteWriter): void {
    out.f64(this.#step);
    out.f64(this.#level);
    out.u8(this.#isLeaking ? 1 : 0);
    out.u8(this.#levels.length);
    for (const level of this.#levels) out.u16(encodeValue(level));
  }

  load(from: ByteReader): void {
    this.#step = from.f64();
    this.#level = from.f64();
    this.#isLeaking = from.u8() === 1;
    this.#levels = Array.from({ length: from.u8() }, () => decodeValue(from.u16()));
  }

  #advance(hour: number): void {
    const step = Math.floor(hour / STEP_HOURS);
    if (this.#step === -1) this.#step = step;
    if (step === this.#step) return;
    for (const [pod, { hour: lastHour }] of this.#replicas) if (lastHour < hour - 1) this.#replicas.delete(pod);
    // The level does not change in a step without usage.
    if (!Number.isNaN(this.#level))
      for (let at = this.#step; at < Math.min(step, this.#step + MAX_STEPS); at++) this.#levels.push(this.#level);
    this.#levels = this.#levels.slice(-MAX_STEPS);
    this.#step = step;
    this.#isLeaking = this.#hasLeak();
  }

  #hasLeak(): boolean {
    const levels = this.#levels;
    if (levels.length <= MIN_STEPS || !(this.#isLeaking || this.#isOldEnough)) return false;
    const threshold = (levels[0] ?? NaN) * LEAK_RATIO_PER_DAY;
    // Growth must last on the last two days: a Monday after a weekend with low load would look like a leak.
    const offsets = [0, STEPS_PER_DAY].filter((offset) => levels.length - offset > MIN_STEPS);
    const isGrowing = (offset: number) => quantile(slopes(levels.slice(0, levels.length - offset).slice(-MIN_STEPS - 1)), 0.25) > threshold;
    return offsets.every(isGrowing) && quantile(slopes(levels), 0.5) > threshold;
  }
}

/** Theil–Sen: slopes per day between all pairs of values at the same time of day, which cancels the daily pattern. */
function slopes(levels: readonly Bytes[]): number[] {
  const all: number[] = [];
  for (let later = STEPS_PER_DAY; later < levels.length; later++) {
    for (let earlier = later - STEPS_PER_DAY; earlier >= 0; earlier -= STEPS_PER_DAY) {
      all.push(((levels[later] ?? 0) - (levels[earlier] ?? 0)) / ((later - earlier) / STEPS_PER_DAY));
    }
  }
  return all;
}

/** Sample quantile, the mean of the two neighbours where it lies between them; NaN without values. */
function quantile(values: readonly number[], share: Ratio): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  return ((sorted[Math.floor(place)] ?? NaN) + (sorted[Math.ceil(place)] ?? NaN)) / 2;
}
