// Tracks since when the CPU of one workload is below its idle threshold. It reads no clock: all times are those of the samples.

import { DAY_MS, MINUTE_MS, type DurationMs, type Instant, type Millicores } from '#kube/units';

/** Recent use of a workload, from which idle mode decides. */
export interface Activity {
  /** Start of the time in which CPU stayed below the idle threshold without a gap in the samples; null: it is not below, or unknown. */
  readonly belowThresholdSince: Instant | null;
  /** CPU of all replicas by their newest samples; null before the first sample. */
  readonly cpuMillicores: Millicores | null;
  /** Highest CPU of all replicas ever observed; null before the first sample. */
  readonly maxCpuMillicores: Millicores | null;
  /** Last time at or above the wake threshold; null: never. */
  readonly lastInUseAt: Instant | null;
  /** Names of the pods with a sample in the last 15 minutes. */
  readonly reported: ReadonlySet<string>;
  /** Start of sampling, and the time of the newest sample by pod name; absent: unknown. */
  readonly samples?: { readonly since: Instant; readonly newest: ReadonlyMap<string, Instant> };
}

export interface IdleThresholds {
  /** The workload is idle below this CPU of all replicas. */
  readonly idle: Millicores;
  /** The workload is in use from this CPU on. */
  readonly wake: Millicores;
}

/** A point of recorded history: mean CPU of all replicas over `PAST_POINT_MS` from `at` on. */
export interface PastPoint {
  readonly at: Instant;
  readonly cpuMillicores: Millicores;
}

const PAST_POINT_MS: DurationMs = 5 * MINUTE_MS;
/** After a longer gap between samples it is unknown whether the workload was idle. */
export const MAX_GAP_MS: DurationMs = 15 * MINUTE_MS;
/** A pod without samples for so long is treated as deleted. */
const GONE_MS: DurationMs = DAY_MS;

interface Latest {
  readonly pod: string;
  readonly at: Instant;
  readonly cpuMillicores: Millicores;
}

/** Tracks the CPU of all replicas against the idle and the wake threshold. */
export class IdleTracker {
  readonly thresholds: IdleThresholds;
  readonly #since: Instant;
  readonly #latest = new Map<string, Latest>();
  #total: Millicores = 0;
  #firstAt: Instant | null = null;
  #lastAt: Instant | null = null;
  #sweptAt: Instant = Number.NEGATIVE_INFINITY;
  #belowThresholdSince: Instant | null = null;
  #busiest: Millicores | null = null;
  #lastInUseAt: Instant | null = null;

  /** @param since start of sampling */
  constructor(thresholds: IdleThresholds, since: Instant) {
    this.thresholds = thresholds;
    this.#since = since;
  }

  /** Adds one container's sample; true where the workload is at or above the wake threshold. */
  take(pod: string, container: string, at: Instant, cpuMillicores: Millicores): boolean {
    const key = `${pod}/${container}`;
    const before = this.#latest.get(key);
    if (before !== undefined && at < before.at) return false;
    const unseen = before !== undefined && at - before.at > MAX_GAP_MS;
    const silent = this.#lastAt !== null && at - this.#lastAt > MAX_GAP_MS;
    if (unseen || silent) this.#belowThresholdSince = null;
    this.#total += cpuMillicores - (before?.cpuMillicores ?? 0);
    this.#latest.set(key, { pod, at, cpuMillicores });
    this.#firstAt ??= at;
    this.#lastAt = Math.max(at, this.#lastAt ?? at);
    this.#sweep();
    this.#busiest = Math.max(this.#busiest ?? 0, this.#total);
    if (this.#total >= this.thresholds.idle) this.#belowThresholdSince = null;
    else this.#belowThresholdSince ??= at;
    if (this.#total < this.thresholds.wake) return false;
    this.#lastInUseAt = at;
    return true;
  }

  /** Ends the idle time: evidence other than CPU shows that the workload is used. */
  interrupt(): void {
    this.#belowThresholdSince = null;
  }

  /** Adds recorded history, ascending in time. Idle time at its end joins that of the live samples where no gap lies between them. */
  seed(points: readonly PastPoint[]): void {
    let since: Instant | null = null;
    let end: Instant | null = null;
    for (const { at, cpuMillicores } of points) {
      if (this.#firstAt !== null && at >= this.#firstAt) break;
      this.#busiest = Math.max(this.#busiest ?? 0, cpuMillicores);
      if (end !== null && at - end > MAX_GAP_MS) since = null;
      end = at + PAST_POINT_MS;
      if (cpuMillicores >= this.thresholds.idle) since = null;
      else since ??= at;
    }
    if (since === null || end === null) return;
    if (this.#firstAt === null) {
      this.#belowThresholdSince = since;
      this.#lastAt = end;
    } else if (this.#belowThresholdSince === this.#firstAt && this.#firstAt - end <= MAX_GAP_MS) this.#belowThresholdSince = since;
  }

  activity(): Activity {
    const known = this.#latest.size > 0;
    const newest = new Map<string, Instant>();
    for (const { pod, at } of this.#latest.values()) newest.set(pod, Math.max(at, newest.get(pod) ?? at));
    return {
      belowThresholdSince: known ? this.#belowThresholdSince : null,
      cpuMillicores: known ? Math.max(0, this.#total) : null,
      maxCpuMillicores: this.#busiest,
      lastInUseAt: this.#lastInUseAt,
      samples: { since: this.#since, newest },
      reported: new Set([...this.#latest.values()].flatMap(({ pod, at }) => ((this.#lastAt ?? at) - at > MAX_GAP_MS ? [] : [pod]))),
    };
  }

  // The total is summed again every few minutes, so that rounding errors of its increments do not accumulate.
  #sweep(): void {
    const now = this.#lastAt ?? 0;
    if (now - this.#sweptAt < PAST_POINT_MS) return;
    this.#sweptAt = now;
    let total = 0;
    for (const [key, latest] of this.#latest) {
      const silentMs = now - latest.at;
      if (silentMs > GONE_MS) this.#latest.delete(key);
      // The entry stays: when its samples resume, `take` finds the gap in which usage was unknown.
      else if (silentMs > MAX_GAP_MS) this.#latest.set(key, { ...latest, cpuMillicores: 0 });
      else total += latest.cpuMillicores;
    }
    this.#total = total;
  }
}
