import { HOUR_MS, type DurationMs, type Instant, type Ratio } from '#kube/units';
import type { ContainerEvidence, ContainerRef, PodRef } from '#kube/records/usage';
import type { ContainerCounters } from '#kube/kubelet/kubelet-pages';

/** Values of one cgroup in `#before`: its key, periods, throttled periods, OOM events, and their time (NaN: none). */
const WIDTH = 5;
const AT = 4;
/** A reading after a longer time says nothing about when throttling happened. */
const MAX_SPAN_MS: DurationMs = 3 * HOUR_MS;

/** The counters that one container added since the reading before, all of its instances together. */
interface Added extends ContainerRef {
  periods: number | null;
  throttled: number | null;
  oomEvents: number | null;
  /** What was added is not known: a counter of an instance is lower than at the reading before. */
  unknownCpu: boolean;
  unknownOom: boolean;
}

/** Turns the growing counters of one node's containers into evidence: what was added since the reading before. 40 bytes a container. */
export class CounterDeltas {
  #before = new Float64Array(0);
  #readAt: Instant | null = null;

  /**
   * Evidence of every container with a CPU limit or an OOM event; none at the first reading, which has nothing to compare with.
   *
   * @param isOwn whether a pod is known on the node: one that is not yet is left for the reading that finds it known
   */
  read(counters: readonly ContainerCounters[], now: Instant, isOwn: (pod: PodRef) => boolean): readonly ContainerEvidence[] {
    const spanMs = this.#readAt === null ? 0 : now - this.#readAt;
    const isFirst = spanMs <= 0 || spanMs > MAX_SPAN_MS;
    const before = this.#rowsByKey();
    const next: number[] = [];
    const added = new Map<string, Added>();
    const isRepeated = isRepeatedPage(counters, this.#before, before);
    for (const each of counters) {
      if (each.cpuPeriods === null && !((each.oomEvents ?? 0) > 0)) continue;
      const key = keyOf(each);
      const row = before.get(key);
      if (isFirst || isOwn(each)) {
        addTo(added, each, this.#before, row, isRepeated);
        next.push(key, each.cpuPeriods ?? NaN, each.throttledPeriods ?? NaN, each.oomEvents ?? NaN, each.at ?? NaN);
      } else if (row !== undefined) next.push(...this.#before.subarray(row, row + WIDTH));
    }
    this.#before = Float64Array.from(next);
    this.#readAt = now;
    if (isFirst) return [];
    return [...added.values()].map(({ namespace, pod, container, periods, throttled, oomEvents, unknownCpu, unknownOom }) => {
      const throttledRatio = unknownCpu ? null : ratioOf(throttled, periods);
      return { namespace, pod, container, at: now, spanMs, throttledRatio, oomEvents: unknownOom ? null : oomEvents };
    });
  }

  #rowsByKey(): ReadonlyMap<number, number> {
    const rows = new Map<number, number>();
    for (let row = 0; row < this.#before.length; row += WIDTH) rows.set(this.#before[row] ?? NaN, row);
    return rows;
  }
}

// A cgroup that was not there before has counted since its start, which was after the reading before.
function addTo(
  added: Map<string, Added>,
  now: ContainerCounters,
  before: Float64Array,
  row: number | undefined,
  isRepeatedPage: boolean,
): void {
  const { namespace, pod, container } = now;
  const name = `${namespace}/${pod}/${container}`;
  let sum = added.get(name);
  if (sum === undefined) {
    const none = { periods: null, throttled: null, oomEvents: null, unknownCpu: false, unknownOom: false };
    added.set(name, (sum = { namespace, pod, container, ...none }));
  }
  const since = (value: number | null, column: number): number | null => (value === null ? null : value - valueAt(before, row, column));
  const [periods, throttled, oomEvents] = [since(now.cpuPeriods, 1), since(now.throttledPeriods, 2), since(now.oomEvents, 3)];
  sum.periods = plus(sum.periods, periods);
  sum.throttled = plus(sum.throttled, throttled);
  sum.oomEvents = plus(sum.oomEvents, oomEvents);
  const isRepeated = isRepeatedPage || (row !== undefined && now.at !== null && now.at <= (before[row + AT] ?? NaN));
  sum.unknownCpu ||= isRepeated || (periods ?? 0) < 0 || (throttled ?? 0) < 0;
  sum.unknownOom ||= isRepeated || (oomEvents ?? 0) < 0;
}

/**
 * Whether counters without times are those of the reading before: none of them has moved. That nothing was throttled must not be
 * concluded from a source that repeats itself.
 */
function isRepeatedPage(counters: readonly ContainerCounters[], before: Float64Array, rows: ReadonlyMap<number, number>): boolean {
  return counters.every((each) => {
    const row = rows.get(keyOf(each));
    if (row === undefined) return each.cpuPeriods === null && !((each.oomEvents ?? 0) > 0);
    return each.at === null && each.cpuPeriods === valueAt(before, row, 1) && (each.oomEvents ?? 0) === valueAt(before, row, 3);
  });
}

/** 0 where the counter was not there. */
function valueAt(before: Float64Array, row: number | undefined, column: number): number {
  const value = row === undefined ? 0 : (before[row + column] ?? 0);
  return Number.isNaN(value) ? 0 : value;
}

function plus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : a + b;
}

/** 0 where newer counters show no period: a container that wanted no CPU was not throttled. */
function ratioOf(throttled: number | null, periods: number | null): Ratio | null {
  if (throttled === null || periods === null) return null;
  return periods === 0 ? 0 : Math.min(1, throttled / periods);
}

/** 53 bits of FNV-1a in two lanes over the container and its instance. */
function keyOf({ namespace, pod, container, instance }: ContainerCounters): number {
  const text = `${namespace}/${pod}/${container}/${instance}`;
  let [low, high] = [0x811c9dc5, 0x01234567];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x01000193) + low;
  }
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
