// Finds hot replicas, which use more than 3 × the median CPU of a container's replicas. A hot replica is raised alone.

import { CompactMap } from '#kube/compact-map';
import { MINUTE_MS, type DurationMs, type Instant, type Millicores, type Ratio } from '#kube/units';

/** A replica that used more than 3 × the median until `until`. */
export interface HotPod {
  readonly pod: string;
  readonly until: Instant;
}

/** A replica that uses more than this multiple of the median is hot. */
const HOT_RATIO: Ratio = 3;
/** With fewer replicas the median says nothing about the others. */
export const MIN_REPLICAS = 3;
/** The same time for which `DemandLog` keeps the minutes of a container. */
export const HOT_COUNTS_FOR_MS: DurationMs = 12 * MINUTE_MS;

/** Observes one minute after the other. Stores the hot replicas and at most twelve times and numbers. */
export class HotReplicas {
  readonly #hot = new CompactMap<HotPod>();
  /** Each minute's end, followed by the highest CPU of a replica that was not hot. Numbers in an array take 8 bytes each. */
  #others: readonly number[] = [];

  /** @param at the end of the minute @param cpus mean of the minute, by pod */
  observe(at: Instant, cpus: ReadonlyMap<string, Millicores>): void {
    if (cpus.size === 0) return;
    const sorted = [...cpus.values()].sort((a, b) => a - b);
    const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
    const isHot = (cpu: Millicores): boolean => sorted.length >= MIN_REPLICAS && cpu > median * HOT_RATIO;
    for (const [pod, cpu] of cpus) if (isHot(cpu)) this.#hot.set(pod, { pod, until: at });
    for (const [pod, { until }] of this.#hot.entries()) if (at - until > HOT_COUNTS_FOR_MS) this.#hot.delete(pod);
    const others = sorted.findLast((cpu) => !isHot(cpu)) ?? 0;
    const recent = this.#others.filter((_, index, all) => at - (all[index - (index % 2)] ?? 0) < HOT_COUNTS_FOR_MS);
    this.#others = recent.concat(at, others);
  }

  list(): readonly HotPod[] {
    return [...this.#hot.values()];
  }

  /** Highest CPU of a replica that is not hot in the last 12 minutes; null without an observation. */
  get othersCpu(): Millicores | null {
    return this.#others.length === 0 ? null : Math.max(...this.#others.filter((_, index) => index % 2 === 1));
  }
}
