// How long one workload has been quiet: fed sample by sample, asked at any time. Holds no clock.

import { DAY_MS, MINUTE_MS, type DurationMs, type Instant, type Millicores } from '#kube/units';

/** What is known of a workload's use, as far as idleness goes. */
export interface Activity {
  /** Since when, without a hole, its CPU has stayed under the threshold; null: it is over it, or not known. */
  readonly quietSince: Instant | null;
  /** Of all replicas, as of their newest samples; null before the first. */
  readonly cpuMillicores: Millicores | null;
  /** The most that was ever seen; null before the first sample. */
  readonly busiestMillicores: Millicores | null;
  /** When it was last seen in use, that is at or over the wake threshold; null: never. */
  readonly inUseAt: Instant | null;
  /** Names of the pods that the newest samples are of. */
  readonly reported: ReadonlySet<string>;
  /** Since when samples are taken, and when the newest of each pod was taken, by name; absent: not known. */
  readonly samples?: { readonly since: Instant; readonly newest: ReadonlyMap<string, Instant> };
}

export interface QuietThresholds {
  /** Below it is quiet. */
  readonly idle: Millicores;
  /** From here on it is in use. */
  readonly wake: Millicores;
}

/** A point of a recorded past: mean CPU of all replicas over `PAST_POINT_MS` from `at` on. */
export interface PastPoint {
  readonly at: Instant;
  readonly cpuMillicores: Millicores;
}

const PAST_POINT_MS: DurationMs = 5 * MINUTE_MS;
/** After a longer gap without samples it is unknown whether it was quiet. */
export const MAX_GAP_MS: DurationMs = 15 * MINUTE_MS;
/** A pod that was not heard for so long does not come back. */
const GONE_MS: DurationMs = DAY_MS;

interface Latest {
  readonly pod: string;
  readonly at: Instant;
  readonly cpuMillicores: Millicores;
}

export class IdleTracker {
  readonly thresholds: QuietThresholds;
  readonly #since: Instant;
  readonly #latest = new Map<string, Latest>();
  #total: Millicores = 0;
  #firstAt: Instant | null = null;
  #lastAt: Instant | null = null;
  #sweptAt: Instant = Number.NEGATIVE_INFINITY;
  #quietSince: Instant | null = null;
  #busiest: Millicores | null = null;
  #inUseAt: Instant | null = null;

  /** @param since from when on samples are taken */
  constructor(thresholds: QuietThresholds, since: Instant) {
    this.thresholds = thresholds;
    this.#since = since;
  }

  /** Takes one container's sample; true where it shows the workload in use. */
  take(pod: string, container: string, at: Instant, cpuMillicores: Millicores): boolean {
    const key = `${pod}/${container}`;
    const before = this.#latest.get(key);
    if (before !== undefined && at < before.at) return false;
    const unseen = before !== undefined && at - before.at > MAX_GAP_MS;
    const silent = this.#lastAt !== null && at - this.#lastAt > MAX_GAP_MS;
    if (unseen || silent) this.#quietSince = null;
    this.#total += cpuMillicores - (before?.cpuMillicores ?? 0);
    this.#latest.set(key, { pod, at, cpuMillicores });
    this.#firstAt ??= at;
    this.#lastAt = Math.max(at, this.#lastAt ?? at);
    this.#sweep();
    this.#busiest = Math.max(this.#busiest ?? 0, this.#total);
    if (this.#total >= this.thresholds.idle) this.#quietSince = null;
    else this.#quietSince ??= at;
    if (this.#total < this.thresholds.wake) return false;
    this.#inUseAt = at;
    return true;
  }

  /** Something other than CPU shows that it is used: the spell begins anew. */
  interrupt(): void {
    this.#quietSince = null;
  }

  /** Takes in what is known from before, ascending in time. It continues into what was seen live where no hole is between. */
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
      this.#quietSince = since;
      this.#lastAt = end;
    } else if (this.#quietSince === this.#firstAt && this.#firstAt - end <= MAX_GAP_MS) this.#quietSince = since;
  }

  activity(): Activity {
    const known = this.#latest.size > 0;
    const newest = new Map<string, Instant>();
    for (const { pod, at } of this.#latest.values()) newest.set(pod, Math.max(at, newest.get(pod) ?? at));
    return {
      quietSince: known ? this.#quietSince : null,
      cpuMillicores: known ? Math.max(0, this.#total) : null,
      busiestMillicores: this.#busiest,
      inUseAt: this.#inUseAt,
      samples: { since: this.#since, newest },
      reported: new Set([...this.#latest.values()].flatMap(({ pod, at }) => ((this.#lastAt ?? at) - at > MAX_GAP_MS ? [] : [pod]))),
    };
  }

  // Pods come and go. Summed anew now and then, so that no error of adding and taking away grows.
  #sweep(): void {
    const now = this.#lastAt ?? 0;
    if (now - this.#sweptAt < PAST_POINT_MS) return;
    this.#sweptAt = now;
    let total = 0;
    for (const [key, latest] of this.#latest) {
      const silentMs = now - latest.at;
      if (silentMs > GONE_MS) this.#latest.delete(key);
      // Remembered all the same: when samples resume, its usage meanwhile is unknown.
      else if (silentMs > MAX_GAP_MS) this.#latest.set(key, { ...latest, cpuMillicores: 0 });
      else total += latest.cpuMillicores;
    }
    this.#total = total;
  }
}
