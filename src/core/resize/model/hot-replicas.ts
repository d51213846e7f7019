// Which replicas of a container use far more CPU than the others, and what the others use: a hot replica is raised alone.

import { MINUTE_MS, type DurationMs, type Instant, type Millicores, type Ratio } from '#kube/units';

/** A replica that used more than 3 × the median until `until`. */
export interface HotPod {
  readonly pod: string;
  readonly until: Instant;
}

/** A replica that uses more than this multiple of the median is hot. */
const HOT_RATIO: Ratio = 3;
/** With fewer replicas the median is one of them, or lies between two. */
export const MIN_REPLICAS = 3;
/** As long as the minutes of a container are kept. */
export const HOT_COUNTS_FOR_MS: DurationMs = 12 * MINUTE_MS;

/** Takes one minute after the other. Holds the hot replicas and twelve numbers. */
export class HotReplicas {
  readonly #hot = new Map<string, HotPod>();
  #others: readonly { readonly at: Instant; readonly cpu: Millicores }[] = [];

  /** @param at the end of the minute @param cpus mean of the minute, by pod */
  observe(at: Instant, cpus: ReadonlyMap<string, Millicores>): void {
    if (cpus.size === 0) return;
    const sorted = [...cpus.values()].sort((a, b) => a - b);
    const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
    const isHot = (cpu: Millicores): boolean => sorted.length >= MIN_REPLICAS && cpu > median * HOT_RATIO;
    for (const [pod, cpu] of cpus) if (isHot(cpu)) this.#hot.set(pod, { pod, until: at });
    for (const [pod, { until }] of this.#hot) if (at - until > HOT_COUNTS_FOR_MS) this.#hot.delete(pod);
    const others = sorted.findLast((cpu) => !isHot(cpu)) ?? 0;
    this.#others = [...this.#others.filter((each) => at - each.at < HOT_COUNTS_FOR_MS), { at, cpu: others }];
  }

  list(): readonly HotPod[] {
    return [...this.#hot.values()];
  }

  /** The most that any other replica used in a minute; null: nothing is known. */
  get othersCpu(): Millicores | null {
    return this.#others.length === 0 ? null : Math.max(...this.#others.map(({ cpu }) => cpu));
  }
}
