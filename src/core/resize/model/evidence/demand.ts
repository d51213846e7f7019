// Usage of one container in the last minutes, over all replicas: evidence that usage approaches a limit. Hourly and daily
// statistics would show it too late.

import { CompactMap } from '#kube/compact-map';
import { greaterAmount } from '#kube/records/resources';
import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import { MAX_LATE_MS, type UsageSample } from '#kube/records/usage';
import { HotReplicas, type HotPod } from './hot-replicas.ts';
import type { ThrottledPod } from './throttled-pods.ts';

/** Usage in one minute, or in the elapsed part of the current minute. null: not measured. */
export interface DemandWindow {
  /** Start of the minute. */
  readonly at: Instant;
  /** Highest working set of any replica: that replica would be OOM-killed first. */
  readonly memoryBytes: number | null;
  /** Highest memory that the kernel cannot reclaim; null where the usage source does not report RSS. */
  readonly unreclaimableBytes?: number | null;
  /** 90th percentile over the replicas. */
  readonly cpuMillicores: number | null;
  /** Mean over the replicas. */
  readonly throttledRatio: number | null;
}

/** Recent usage of a container, the oldest window first. */
export interface ContainerDemand {
  readonly container: string;
  readonly windows: readonly DemandWindow[];
  /** Start of the time in which memory neither rose nor fell; null: unknown. */
  readonly memorySteadySince?: Instant | null;
  /** Replicas that use far more CPU than the others. */
  readonly hot?: readonly HotPod[];
  /** Highest CPU of a replica that is not hot, in any recent minute; null or absent: unknown. */
  readonly othersCpu?: number | null;
  /** Replicas that are throttled by their CPU limit. */
  readonly throttled?: readonly ThrottledPod[];
  /** When throttling was last measured in any replica; null or absent: never. */
  readonly throttlingMeasuredAt?: Instant | null;
}

export const WINDOW_MS: DurationMs = MINUTE_MS;
/** Enough for ten minutes of throttling. */
const WINDOWS_KEPT = 12;
const REPLICA_PERCENTILE = 0.9;
/** Unreclaimable memory as a multiple of RSS: kernel memory of the container comes on top. */
const KERNEL_RATIO = 1.2;
/** Memory within this band under its highest counts as steady: a full page cache varies a little. */
const RISEN_RATIO = 1.002;
const FALLEN_RATIO = 0.9;

/** Values of a window in `#closed`, in this order; NaN: not measured. */
const WINDOW_WIDTH = 5;
/** Values of a replica in the open minute, in this order; NaN: not measured. */
const CPU_SUM = 0;
const CPU_COUNT = 1;
const MEMORY = 2;
const UNRECLAIMABLE = 3;
const THROTTLED_SUM = 4;
const THROTTLED_COUNT = 5;
const NOT_MEASURED = [0, 0, NaN, NaN, 0, 0];

/**
 * Aggregates samples into windows of a minute. Numbers are in arrays of numbers, which take 8 bytes each: some 600 bytes for the windows, and
 * 64 a replica.
 */
export class DemandLog {
  readonly hot = new HotReplicas();
  #closed: readonly number[] = [];
  #openAt: Instant = Number.NEGATIVE_INFINITY;
  /** Where the values of a replica begin in `#values`. Replicas of the minute before stay, so that a minute makes no new map of them. */
  readonly #replicas = new CompactMap<number>();
  #values: number[] = [];
  #still: { readonly highest: number; readonly since: Instant } | null = null;

  /** Adds one replica's sample. A late sample counts in the current window; one later than `MAX_LATE_MS` is dropped. */
  observe(pod: string, sample: UsageSample): void {
    const minute = Math.floor(sample.at / WINDOW_MS) * WINDOW_MS;
    if (!(minute >= this.#openAt - MAX_LATE_MS)) return;
    const at = Math.max(minute, this.#openAt);
    if (at > this.#openAt) this.#open(at);
    const replica = this.#placeOf(pod);
    const memory = sample.memoryPeakBytes ?? sample.memoryBytes;
    if (memory !== null) {
      this.#raise(replica + MEMORY, memory);
      const rss = sample.memoryRssBytes ?? null;
      if (rss !== null) this.#raise(replica + UNRECLAIMABLE, Math.min(memory, rss * KERNEL_RATIO));
    }
    if (sample.cpuMillicores !== null) this.#add(replica + CPU_SUM, sample.cpuMillicores);
    if (sample.throttledRatio !== null && sample.throttledRatio !== undefined) this.#add(replica + THROTTLED_SUM, sample.throttledRatio);
  }

  /** Windows with samples, oldest first, the current one last. */
  windows(): readonly DemandWindow[] {
    const closed = Array.from({ length: this.#closed.length / WINDOW_WIDTH }, (_, index) => this.#windowAt(index * WINDOW_WIDTH));
    return this.#isMeasured() ? [...closed, this.#mergeWindows()] : closed;
  }

  /** Start of the observed time in which memory neither rose nor fell; null without a measurement. */
  get memorySteadySince(): Instant | null {
    return this.#still?.since ?? null;
  }

  #open(at: Instant): void {
    if (this.#isMeasured()) {
      this.hot.observe(this.#openAt + WINDOW_MS, this.#cpuByReplica());
      this.#close(this.#mergeWindows());
    }
    if (this.#closed.length > WINDOWS_KEPT * WINDOW_WIDTH) this.#closed = this.#closed.slice(WINDOW_WIDTH);
    this.#openAt = at;
    this.#forgetValues();
  }

  #close({ at, memoryBytes, unreclaimableBytes, cpuMillicores, throttledRatio }: DemandWindow): void {
    this.#closed = this.#closed.concat(at, memoryBytes ?? NaN, unreclaimableBytes ?? NaN, cpuMillicores ?? NaN, throttledRatio ?? NaN);
    if (memoryBytes === null) return;
    const still = this.#still;
    const moved = still === null || memoryBytes > still.highest * RISEN_RATIO || memoryBytes < still.highest * FALLEN_RATIO;
    if (moved) this.#still = { highest: memoryBytes, since: at };
  }

  /** Forgets the values, and all replicas if one of them had none: it may be gone. */
  #forgetValues(): void {
    if ([...this.#replicas.values()].every((replica) => this.#isReplicaMeasured(replica))) {
      this.#values = this.#values.map((_, index) => NOT_MEASURED[index % NOT_MEASURED.length] ?? NaN);
      return;
    }
    this.#replicas.clear();
    this.#values = [];
  }

  #placeOf(pod: string): number {
    let replica = this.#replicas.get(pod);
    if (replica !== undefined) return replica;
    replica = this.#values.length;
    this.#replicas.set(pod, replica);
    this.#values.push(...NOT_MEASURED);
    return replica;
  }

  #raise(place: number, value: number): void {
    // Math.max(NaN, value) would be NaN.
    const before = this.#values[place] ?? NaN;
    this.#values[place] = Math.max(Number.isNaN(before) ? 0 : before, value);
  }

  /** Adds to a sum and to the count after it. */
  #add(place: number, value: number): void {
    this.#values[place] = (this.#values[place] ?? 0) + value;
    this.#values[place + 1] = (this.#values[place + 1] ?? 0) + 1;
  }

  #isMeasured(): boolean {
    return [...this.#replicas.values()].some((replica) => this.#isReplicaMeasured(replica));
  }

  #isReplicaMeasured(replica: number): boolean {
    return this.#count(replica + CPU_COUNT) > 0 || this.#amount(replica + MEMORY) !== null || this.#count(replica + THROTTLED_COUNT) > 0;
  }

  #count(place: number): number {
    return this.#values[place] ?? 0;
  }

  /** null: not measured. */
  #amount(place: number): number | null {
    return amountIn(this.#values, place);
  }

  #windowAt(place: number): DemandWindow {
    return {
      at: this.#closed[place] ?? 0,
      memoryBytes: amountIn(this.#closed, place + 1),
      unreclaimableBytes: amountIn(this.#closed, place + 2),
      cpuMillicores: amountIn(this.#closed, place + 3),
      throttledRatio: amountIn(this.#closed, place + 4),
    };
  }

  #mergeWindows(): DemandWindow {
    let memory: number | null = null;
    let unreclaimable: number | null = null;
    let isRssReported = false;
    let [throttledSum, throttledCount] = [0, 0];
    for (const replica of this.#replicas.values()) {
      const ofReplica = this.#amount(replica + UNRECLAIMABLE);
      memory = greaterAmount(memory, this.#amount(replica + MEMORY));
      unreclaimable = greaterAmount(unreclaimable, ofReplica ?? this.#amount(replica + MEMORY));
      isRssReported ||= ofReplica !== null;
      const count = this.#count(replica + THROTTLED_COUNT);
      if (count === 0) continue;
      throttledSum += (this.#amount(replica + THROTTLED_SUM) ?? 0) / count;
      throttledCount += 1;
    }
    const cpu = [...this.#cpuByReplica().values()].sort((a, b) => a - b);
    return {
      at: this.#openAt,
      memoryBytes: memory,
      unreclaimableBytes: isRssReported ? unreclaimable : null,
      cpuMillicores: cpu[Math.ceil(cpu.length * REPLICA_PERCENTILE) - 1] ?? null,
      throttledRatio: throttledCount === 0 ? null : throttledSum / throttledCount,
    };
  }

  #cpuByReplica(): ReadonlyMap<string, number> {
    const cpus = new Map<string, number>();
    for (const [pod, replica] of this.#replicas.entries()) {
      const count = this.#count(replica + CPU_COUNT);
      if (count > 0) cpus.set(pod, (this.#amount(replica + CPU_SUM) ?? 0) / count);
    }
    return cpus;
  }
}

function amountIn(values: readonly number[], place: number): number | null {
  const value = values[place] ?? NaN;
  return Number.isNaN(value) ? null : value;
}
