import { addKnown } from '#kube/records/resources';
import { HOUR_MS, type DurationMs, type Instant, type Ratio } from '#kube/units';
import type { ContainerEvidence, ContainerRef, PodRef } from '#kube/records/usage';
import type { ContainerCounters } from '#kube/kubelet/kubelet-pages';

/** Values per cgroup in `#before`: key, periods, throttled periods, OOM events and their time (NaN: none). */
const WIDTH = 5;
const AT = 4;
/** A longer span does not show when throttling happened. */
const MAX_SPAN_MS: DurationMs = 3 * HOUR_MS;

/** Increase of a container's counters since the previous reading, summed over its instances. */
interface Added extends ContainerRef {
  periods: number | null;
  throttled: number | null;
  oomEvents: number | null;
  /** True where the increase is unknown, since an instance's counter decreased. */
  unknownCpu: boolean;
  unknownOom: boolean;
}

/**
 * Converts the cumulative counters of a node's containers into evidence: the increase since the previous reading. 40 bytes per container.
 */
export class CounterDeltas {
  #before = new Float64Array(0);
  #readAt: Instant | null = null;

  /**
   * Evidence of every container with a CPU limit or an OOM event; none at the first reading, which has no previous one.
   * @param isOwn whether a pod is known to run on the node; counters of an unknown pod wait for a reading after it is known
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

// A cgroup absent at the previous reading started after it, so its whole counter is the increase.
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
  sum.periods = addKnown(sum.periods, periods);
  sum.throttled = addKnown(sum.throttled, throttled);
  sum.oomEvents = addKnown(sum.oomEvents, oomEvents);
  const isRepeated = isRepeatedPage || (row !== undefined && now.at !== null && now.at <= (before[row + AT] ?? NaN));
  sum.unknownCpu ||= isRepeated || (periods ?? 0) < 0 || (throttled ?? 0) < 0;
  sum.unknownOom ||= isRepeated || (oomEvents ?? 0) < 0;
}

/**
 * Whether no counter without a time has changed since the previous reading: such a page may be a repeat, from which no absence of
 * throttling follows.
 */
function isRepeatedPage(counters: readonly ContainerCounters[], before: Float64Array, rows: ReadonlyMap<number, number>): boolean {
  return counters.every((each) => {
    const row = rows.get(keyOf(each));
    if (row === undefined) return each.cpuPeriods === null && !((each.oomEvents ?? 0) > 0);
    return each.at === null && each.cpuPeriods === valueAt(before, row, 1) && (each.oomEvents ?? 0) === valueAt(before, row, 3);
  });
}

/** 0 where the counter was absent. */
function valueAt(before: Float64Array, row: number | undefined, column: number): number {
  const value = row === undefined ? 0 : (before[row + column] ?? 0);
  return Number.isNaN(value) ? 0 : value;
}

/** 0 where no period elapsed: a container that used no CPU was not throttled. */
function ratioOf(throttled: number | null, periods: number | null): Ratio | null {
  if (throttled === null || periods === null) return null;
  return periods === 0 ? 0 : Math.min(1, throttled / periods);
}

/** 53-bit hash (FNV-1a in two lanes) of the container and its instance. */
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
