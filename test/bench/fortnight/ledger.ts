// Measures a run while it proceeds: requests, usage, events of pods, cost.

import { DAY_MS, GiB, MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { Pod } from '#embedded-cluster/controllers/wire/pod';
import type { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { costAtMeanPrice } from './mean-price.ts';
import { Overruns } from './overruns.ts';
import type { ClusterCounters, ContainerTally } from '#embedded-cluster/nodes/simulator-counters';

const SAMPLE_MS: DurationMs = 15 * MINUTE_MS;

export interface Requested {
  readonly cpuCores: number;
  readonly memoryGib: number;
}

/** Figures of a whole run. */
export interface FortnightFigures {
  readonly requestedAtStart: Requested;
  readonly requestedAtEnd: Requested;
  /** Means over the second half. */
  readonly requestedMean: Requested;
  readonly usedMean: Requested;
  readonly requestsPerMonthUsd: number;
  readonly podsMean: number;
  readonly oomKills: number;
  readonly restarts: number;
  readonly throttledSeconds: number;
  readonly throttledRatio: number;
  readonly unmetCpuRatio: number;
  readonly evictions: number;
  readonly resizes: number;
  readonly resizesPerWorkloadDay: number;
  /** Share of the samples of running containers with usage above the request in force. */
  readonly cpuOverrunRatio: number;
  readonly memoryOverrunRatio: number;
  /** Sum over all pods of the time from creation to the start of their containers, in seconds. */
  readonly pendingSeconds: number;
  readonly longestPendingSeconds: number;
  /** Tally of each container, to explain the figures. */
  readonly tallies: readonly ContainerTally[];
}

interface Sample {
  readonly at: Instant;
  readonly requested: Requested;
  readonly used: Requested;
  readonly perMonthUsd: number;
  readonly pods: number;
}

/** Starts to sample when it is constructed. */
export class Ledger {
  readonly #cluster: EmbeddedCluster;
  readonly #from: ClusterCounters;
  readonly #talliesFrom: readonly ContainerTally[];
  readonly #startedAt: Instant;
  readonly #samples: Sample[] = [];
  readonly #isLeftOut: (at: Instant) => boolean;
  readonly #overruns = new Overruns();
  /** Creation times of pods that have not started, by uid. */
  readonly #pending = new Map<string, Instant>();
  #pendingMs: DurationMs = 0;
  #longestPendingMs: DurationMs = 0;

  /** @param isLeftOut times at which requests do not depend on the sizer */
  constructor(cluster: EmbeddedCluster, isLeftOut: (at: Instant) => boolean = () => false) {
    this.#cluster = cluster;
    this.#isLeftOut = isLeftOut;
    this.#startedAt = cluster.clock.now();
    this.#from = cluster.nodes.counters();
    this.#talliesFrom = cluster.nodes.tallies();
    cluster.server.accessAs('ledger').onChange('pods', ({ type, object }) => this.#followStart(type, object as Pod));
    this.#sample();
    this.#plan();
  }

  /** Figures of the samples so far. @param workloads number of workloads */
  figures(workloads: number): FortnightFigures {
    const { clock, nodes } = this.#cluster;
    const to = nodes.counters();
    const now = clock.now();
    const days = (now - this.#startedAt) / DAY_MS;
    const second = this.#samples.filter(({ at }) => at >= now - (now - this.#startedAt) / 2);
    const mean = (pick: (sample: Sample) => number): number => round(second.reduce((sum, each) => sum + pick(each), 0) / second.length);
    const resizes = to.resizes - this.#from.resizes;
    const throttledMs = to.throttledMs - this.#from.throttledMs;
    for (const created of this.#pending.values()) this.#endPending(now - created);
    return {
      requestedAtStart: this.#samples[0]?.requested ?? { cpuCores: 0, memoryGib: 0 },
      requestedAtEnd: this.#read().requested,
      requestedMean: { cpuCores: mean(({ requested }) => requested.cpuCores), memoryGib: mean(({ requested }) => requested.memoryGib) },
      usedMean: { cpuCores: mean(({ used }) => used.cpuCores), memoryGib: mean(({ used }) => used.memoryGib) },
      requestsPerMonthUsd: mean(({ perMonthUsd }) => perMonthUsd),
      podsMean: mean(({ pods }) => pods),
      oomKills: to.oomKills - this.#from.oomKills,
      restarts: to.restarts - this.#from.restarts,
      throttledSeconds: Math.round(throttledMs / 1000),
      throttledRatio: round(throttledMs / Math.max(1, to.limitedMs - this.#from.limitedMs), 1e6),
      unmetCpuRatio: round(
        (to.unmetCoreSeconds - this.#from.unmetCoreSeconds) / Math.max(1, to.demandedCoreSeconds - this.#from.demandedCoreSeconds),
        1e6,
      ),
      evictions: to.evictions - this.#from.evictions,
      resizes,
      resizesPerWorkloadDay: round(resizes / (workloads * days)),
      ...this.#overruns.ratios(),
      pendingSeconds: Math.round(this.#pendingMs / 1000),
      longestPendingSeconds: Math.round(this.#longestPendingMs / 1000),
      tallies: this.#tallies(),
    };
  }

  #tallies(): readonly ContainerTally[] {
    const before = new Map(this.#talliesFrom.map((tally) => [`${tally.workload}/${tally.container}`, tally]));
    return this.#cluster.nodes.tallies().map((tally) => {
      const from = before.get(`${tally.workload}/${tally.container}`);
      if (from === undefined) return tally;
      return {
        ...tally,
        oomKills: tally.oomKills - from.oomKills,
        restarts: tally.restarts - from.restarts,
        limitedMs: tally.limitedMs - from.limitedMs,
        throttledMs: tally.throttledMs - from.throttledMs,
        demandedCoreSeconds: tally.demandedCoreSeconds - from.demandedCoreSeconds,
        unmetCoreSeconds: tally.unmetCoreSeconds - from.unmetCoreSeconds,
      };
    });
  }

  #followStart(type: string, pod: Pod): void {
    const { uid } = pod.metadata;
    const now = this.#cluster.clock.now();
    const waits = type !== 'DELETED' && pod.status.phase === 'Pending';
    const created = this.#pending.get(uid);
    if (waits && created === undefined) this.#pending.set(uid, now);
    if (waits || created === undefined) return;
    this.#pending.delete(uid);
    this.#endPending(now - created);
  }

  #endPending(ms: DurationMs): void {
    this.#pendingMs += ms;
    this.#longestPendingMs = Math.max(this.#longestPendingMs, ms);
  }

  #plan(): void {
    const { clock } = this.#cluster;
    clock.schedule(clock.now() + SAMPLE_MS, () => {
      this.#sample();
      this.#plan();
    });
  }

  #sample(): void {
    this.#overruns.add(this.#cluster);
    if (!this.#isLeftOut(this.#cluster.clock.now())) this.#samples.push(this.#read());
  }

  #read(): Sample {
    const { nodes, clock, server } = this.#cluster;
    const summary = nodes.summary();
    const amounts = (cpuMillicores: number, memoryBytes: number): Requested => ({
      cpuCores: round(cpuMillicores / 1000),
      memoryGib: round(memoryBytes / GiB),
    });
    return {
      at: clock.now(),
      requested: amounts(summary.requestedCpuMillicores, summary.requestedMemoryBytes),
      used: amounts(summary.usedCpuMillicores, summary.usedMemoryBytes),
      perMonthUsd: costAtMeanPrice(this.#cluster, summary),
      pods: server.accessAs('ledger').list('pods').length,
    };
  }
}

function round(value: number, by = 100): number {
  return Math.round(value * by) / by;
}
