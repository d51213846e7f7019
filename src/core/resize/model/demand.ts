// The last minutes of one container of a workload, all of its replicas together: evidence that a limit is about to be hit.
// Coarser figures (an hour, a day) come too late for that.

import { greaterAmount } from '#kube/records/resources';
import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import { MAX_LATE_MS, type UsageSample } from '#kube/records/usage';
import { HotReplicas, type HotPod } from './hot-replicas.ts';
import type { ThrottledPod } from './throttled-pods.ts';

/** One minute, or as much of it as is over. null: not measured. */
export interface DemandWindow {
  /** When it began. */
  readonly at: Instant;
  /** The greatest working set of any replica: the one that would be killed. */
  readonly memoryBytes: number | null;
  /** The greatest memory that the kernel could not reclaim, where the usage source reports it; else null. */
  readonly ownMemoryBytes?: number | null;
  /** What nine of ten replicas stay below. */
  readonly cpuMillicores: number | null;
  /** Mean over the replicas. */
  readonly throttledRatio: number | null;
}

/** What a container has used lately, the oldest window first. */
export interface ContainerDemand {
  readonly container: string;
  readonly windows: readonly DemandWindow[];
  /** Since when its memory has neither risen nor fallen; null: not known. */
  readonly memoryStillSince?: Instant | null;
  /** Replicas that use far more CPU than the others. */
  readonly hot?: readonly HotPod[];
  /** The most CPU that any other replica used in a minute of late; null or absent: not known. */
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
/** On top of what a container has for itself: what the kernel holds for it. */
const KERNEL_RATIO = 1.2;
/** Memory within this band under its highest counts as steady: a full page cache varies a little. */
const RISEN_RATIO = 1.002;
const FALLEN_RATIO = 0.9;

interface ReplicaMinute {
  cpuSum: number;
  cpuCount: number;
  memory: number | null;
  own: number | null;
  throttledSum: number;
  throttledCount: number;
}

/** Gathers samples into windows. Holds a few hundred bytes. */
export class DemandLog {
  readonly hot = new HotReplicas();
  readonly #closed: DemandWindow[] = [];
  #openAt: Instant = Number.NEGATIVE_INFINITY;
  #replicas = new Map<string, ReplicaMinute>();
  #still: { readonly highest: number; readonly since: Instant } | null = null;

  /** Takes one replica's sample: one that is late counts in the window under way, one that is too late is left out. */
  observe(pod: string, sample: UsageSample): void {
    const own = Math.floor(sample.at / WINDOW_MS) * WINDOW_MS;
    if (!(own >= this.#openAt - MAX_LATE_MS)) return;
    const at = Math.max(own, this.#openAt);
    if (at > this.#openAt) this.#open(at);
    let replica = this.#replicas.get(pod);
    if (replica === undefined) {
      replica = { cpuSum: 0, cpuCount: 0, memory: null, own: null, throttledSum: 0, throttledCount: 0 };
      this.#replicas.set(pod, replica);
    }
    const memory = sample.memoryPeakBytes ?? sample.memoryBytes;
    if (memory !== null) {
      replica.memory = Math.max(replica.memory ?? 0, memory);
      const rss = sample.memoryRssBytes ?? null;
      if (rss !== null) replica.own = Math.max(replica.own ?? 0, Math.min(memory, rss * KERNEL_RATIO));
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

  /** The windows of which anything is known, oldest first, the one under way last. */
  windows(): readonly DemandWindow[] {
    return this.#replicas.size === 0 ? this.#closed : [...this.#closed, this.#joined()];
  }

  /** Since when memory has neither risen nor fallen, as far as it was watched; null: nothing is known. */
  get memoryStillSince(): Instant | null {
    return this.#still?.since ?? null;
  }

  #open(at: Instant): void {
    if (this.#replicas.size > 0) {
      this.hot.observe(this.#openAt + WINDOW_MS, cpuByReplica(this.#replicas));
      this.#close(this.#joined());
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

  #joined(): DemandWindow {
    let memory: number | null = null;
    let own: number | null = null;
    let ownIsReported = false;
    let [throttledSum, throttledCount] = [0, 0];
    for (const replica of this.#replicas.values()) {
      memory = greaterAmount(memory, replica.memory);
      own = greaterAmount(own, replica.own ?? replica.memory);
      ownIsReported ||= replica.own !== null;
      if (replica.throttledCount === 0) continue;
      throttledSum += replica.throttledSum / replica.throttledCount;
      throttledCount += 1;
    }
    const cpu = [...cpuByReplica(this.#replicas).values()].sort((a, b) => a - b);
    return {
      at: this.#openAt,
      memoryBytes: memory,
      ownMemoryBytes: ownIsReported ? own : null,
      cpuMillicores: cpu[Math.ceil(cpu.length * REPLICA_PERCENTILE) - 1] ?? null,
      throttledRatio: throttledCount === 0 ? null : throttledSum / throttledCount,
    };
  }
}

function cpuByReplica(replicas: ReadonlyMap<string, ReplicaMinute>): ReadonlyMap<string, number> {
  return new Map([...replicas].flatMap(([pod, { cpuSum, cpuCount }]) => (cpuCount === 0 ? [] : [[pod, cpuSum / cpuCount] as const])));
}
