// Whether a container leaks: its working set grows day after day while it runs. Growth is summed over what each replica
// gained since the slot before, so that restarts and roll-outs of single replicas neither hide a leak nor look like one.

import { DAY_MS, HOUR_MS, type Bytes, type DurationMs, type Instant, type Ratio } from '#kube/units';
import type { ByteReader, ByteWriter } from './byte-codec.ts';
import { decodeValue, encodeValue } from './log-scale.ts';
import { hourOf } from './slots.ts';

/** Growth is stored every three hours, for eight days. */
const STEP_HOURS = 3;
const STEPS_PER_DAY = 24 / STEP_HOURS;
const MAX_STEPS = 8 * STEPS_PER_DAY;
const MIN_STEPS = 2 * STEPS_PER_DAY;
/** A container's slope counts from two days after its start. */
const MIN_AGE_MS: DurationMs = 2 * DAY_MS;
/** What it gains in its first hours is warm-up. */
const WARM_UP_MS: DurationMs = 6 * HOUR_MS;
/** Growth by this share of the first value a day is a leak. */
const LEAK_RATIO_PER_DAY: Ratio = 0.03;

interface Replica {
  readonly startedAt: Instant | null;
  readonly bytes: Bytes;
  readonly hour: number;
}

export class MemoryGrowth {
  /** Working set by pod in the slot before. Not part of a checkpoint: it is known again with the next slot. */
  readonly #replicas = new Map<string, Replica>();
  /** What a replica would have now had it never restarted, every three hours, oldest first. */
  #levels: Bytes[] = [];
  #step = -1;
  #level: Bytes = NaN;
  #isLeaking = false;
  #isOldEnough = false;

  /** The working set grows by more than 3 % a day, by the whole and by the last day. */
  get isLeaking(): boolean {
    return this.#isLeaking;
  }

  /** Takes the working sets of one slot. @param startedAt of each container; null where it is not known */
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

  /** Another version or configuration runs: what was seen of the one before says nothing of it. */
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
    for (const [pod, { hour: seen }] of this.#replicas) if (seen < hour - 1) this.#replicas.delete(pod);
    // A step without usage leaves the level where it was.
    if (!Number.isNaN(this.#level))
      for (let at = this.#step; at < Math.min(step, this.#step + MAX_STEPS); at++) this.#levels.push(this.#level);
    this.#levels = this.#levels.slice(-MAX_STEPS);
    this.#step = step;
    this.#isLeaking = this.#leaks();
  }

  #leaks(): boolean {
    const levels = this.#levels;
    if (levels.length <= MIN_STEPS || !(this.#isLeaking || this.#isOldEnough)) return false;
    const threshold = (levels[0] ?? NaN) * LEAK_RATIO_PER_DAY;
    // Growth that has ended, or that began only today, is no leak: a Monday after a quiet weekend looks like one.
    const lastDays = [0, STEPS_PER_DAY].filter((back) => levels.length - back > MIN_STEPS);
    const grewDaily = (back: number) => quantile(slopes(levels.slice(0, levels.length - back).slice(-MIN_STEPS - 1)), 0.25) > threshold;
    return lastDays.every(grewDaily) && quantile(slopes(levels), 0.5) > threshold;
  }
}

/** Theil–Sen: the slopes a day between all pairs of values at the same time of day, so that a day's own course cancels. */
function slopes(levels: readonly Bytes[]): number[] {
  const all: number[] = [];
  for (let later = STEPS_PER_DAY; later < levels.length; later++) {
    for (let earlier = later - STEPS_PER_DAY; earlier >= 0; earlier -= STEPS_PER_DAY) {
      all.push(((levels[later] ?? 0) - (levels[earlier] ?? 0)) / ((later - earlier) / STEPS_PER_DAY));
    }
  }
  return all;
}

/** Between two values the mean of them; NaN of none. */
function quantile(values: readonly number[], share: Ratio): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  return ((sorted[Math.floor(place)] ?? NaN) + (sorted[Math.ceil(place)] ?? NaN)) / 2;
}
