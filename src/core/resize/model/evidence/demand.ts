// Usage of one container in the last minutes, over all replicas: evidence that usage approaches a limit. Hourly and daily
// statistics would show it too late.

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

interface ReplicaMinute {
  cpuSum: number;
  cpuCount: number;
  memory: number | null;
  unreclaimable: number | null;
  throttledSum: number;
  throttledCount: number;
}

/** Aggregates samples into windows of a minute. Uses a few hundred bytes. */
export class DemandLog {
  readonly hot = new HotReplicas();
  readonly #closed: DemandWindow[] = [];
  #openAt: Instant = Number.NEGATIVE_INFINITY;
  #replicas = new Map<string, ReplicaMinute>();
  #still: { readonly highest: number; readonly since: Instant } | null = null;

  /** Adds one replica's sample. A late sample counts in the current window; one later than `MAX_LATE_MS` is dropped. */
  observe(pod: string, sample: UsageSample): void {
    const unreclaimable = Math.floor(sample.at / WINDOW_MS) * WINDOW_MS;
    if (!(unreclaimable >= this.#openAt - MAX_LATE_MS)) return;
    const at = Math.max(unreclaimable, this.#openAt);
    if (at > this.#openAt) this.#open(at);
    let replica = this.#replicas.get(pod);
    if (replica === undefined) {
      replica = { cpuSum: 0, cpuCount: 0, memory: null, unreclaimable: null, throttledSum: 0, throttledCount: 0 };
      this.#replicas.set(pod, replica);
    }
    const memory = sample.memoryPeakBytes ?? sample.memoryBytes;
    if (memory !== null) {
      replica.memory = Math.max(replica.memory ?? 0, memory);
      const rss = sample.memoryRssBytes ?? null;
      if (rss !== null) replica.unreclaimable = Math.max(replica.unreclaimable ?? 0, Math.min(memory, rss * KERNEL_RATIO));
    }
    if (sample.cpuMillicores !== null) {
      replica.cpuSum += sample.cpuMillicores;
      replica.cpuCount += 1;
    }
    if (sample.throttledRatio !== null && sample.throttledRatio !== undefined) {
      replica.throttledSum += sample.throttledRatio;
      replica.throttledCount += 1;
    }
  }

  /** Windows with samples, oldest first, the current one last. */
  windows(): readonly DemandWindow[] {
    return this.#replicas.size === 0 ? this.#closed : [...this.#closed, this.#mergeWindows()];
  }

  /** Start of the observed time in which memory neither rose nor fell; null without a measurement. */
  get memorySteadySince(): Instant | null {
    return this.#still?.since ?? null;
  }

  #open(at: Instant): void {
    if (this.#replicas.size > 0) {
      this.hot.observe(this.#openAt + WINDOW_MS, cpuByReplica(this.#replicas));
      this.#close(this.#mergeWindows());
    }
    if (this.#closed.length > WINDOWS_KEPT) this.#closed.shift();
    this.#openAt = at;
    this.#replicas = new Map();
  }

  #close(window: DemandWindow): void {
    this.#closed.push(window);
    const { at, memoryBytes } = window;
    if (memoryBytes === null) return;
    const still = this.#still;
    const moved = still === null || memoryBytes > still.highest * RISEN_RATIO || memoryBytes < still.highest * FALLEN_RATIO;
    if (moved) this.#still = { highest: memoryBytes, since: at };
  }

  #mergeWindows(): DemandWindow {
    let memory: number | null = null;
    let unreclaimable: number | null = null;
    let isRssReported = false;
    let [throttledSum, throttledCount] = [0, 0];
    for (const replica of this.#replicas.values()) {
      memory = greaterAmount(memory, replica.memory);
      unreclaimable = greaterAmount(unreclaimable, replica.unreclaimable ?? replica.memory);
      isRssReported ||= replica.unreclaimable !== null;
      if (replica.throttledCount === 0) continue;
      throttledSum += replica.throttledSum / replica.throttledCount;
      throttledCount += 1;
    }
    const cpu = [...cpuByReplica(this.#replicas).values()].sort((a, b) => a - b);
    return {
      at: this.#openAt,
      memoryBytes: memory,
      unreclaimableBytes: isRssReported ? unreclaimable : null,
      cpuMillicores: cpu[Math.ceil(cpu.length * REPLICA_PERCENTILE) - 1] ?? null,
      throttledRatio: throttledCount === 0 ? null : throttledSum / throttledCount,
    };
  }
}

function cpuByReplica(replicas: ReadonlyMap<string, ReplicaMinute>): ReadonlyMap<string, number> {
  return new Map([...replicas].flatMap(([pod, { cpuSum, cpuCount }]) => (cpuCount === 0 ? [] : [[pod, cpuSum / cpuCount] as const])));
}
