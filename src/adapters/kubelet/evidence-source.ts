// Reads throttling and OOM kills of containers from cumulative counters at a bounded cost: a node with a CPU-limited container is read once
// per hour, and every 5 minutes while a change on it is verified or a container there is near its limit.

import type { NodeRecord } from '#kube/records/node';
import { faultOfReport, type ContainerRecord, type PodRecord } from '#kube/records/pod';
import { HOUR_MS, MINUTE_MS, SECOND_MS, type DurationMs, type Instant, type Millicores, type Ratio } from '#kube/units';
import type { PodRef } from '#kube/records/usage';
import type { Activity, Clock, MachineTimer } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import type { ContainerCounters, ContainerCounterSource } from '#kube/kubelet/kubelet-pages';
import type { Counter, Histogram, Metrics } from '../../ports/metrics.ts';
import { PageTooLarge } from '../../ports/usage/page-too-large.ts';
import type { EvidenceReading, EvidenceSink } from '../../ports/usage/usage-source.ts';
import { CounterDeltas } from './counter-deltas.ts';
import { nextReadingAt, phaseOf } from './phase.ts';
import { readWithin } from './read-within.ts';
import { Slots } from './slots.ts';

export interface EvidenceSourceDependencies {
  /** Readable sources in order of preference. The next is read where one fails or has no CPU-limited container of the node. */
  readonly sources: () => readonly ContainerCounterSource[];
  readonly reader: Pick<ClusterReader, 'nodes' | 'findNode' | 'findPod' | 'podsOnNode'>;
  /** Last sampled CPU of a container; null: unknown. */
  readonly cpuOf: (pod: PodRecord, container: string) => Millicores | null;
  /** Whether a change of the pod's workload is being verified. */
  readonly isVerified: (pod: PodRecord) => boolean;
  readonly clock: Clock;
  readonly timer: MachineTimer;
  readonly activity: Activity;
  readonly metrics: Metrics;
}

export const CLOSE_INTERVAL_MS: DurationMs = 5 * MINUTE_MS;
export const INTERVAL_MS: DurationMs = HOUR_MS;
/** A container at this fraction of its CPU limit may be throttled, since one-minute means hide peaks. */
export const NEAR_LIMIT_RATIO: Ratio = 0.7;
/** Interval at which new nodes are discovered. */
const SWEEP_MS: DurationMs = MINUTE_MS;
/** Deadline of one page in machine time: kubelets of large nodes need seconds to write it. */
const DEADLINE_MS: DurationMs = 15 * SECOND_MS;
/** Pages are large: more concurrent reads would delay the usage readings of every minute. */
const CONCURRENCY = 8;
/** Initial readings of a node, one sampling interval apart: the first has no previous reading to compare with. */
const FIRST_READINGS = 2;
/** The first readings of all nodes are spread over this time. */
const FIRST_WITHIN_MS: DurationMs = MINUTE_MS;

interface Poller {
  readonly deltas: CounterDeltas;
  tries: number;
  readings: number;
  readAt: Instant;
  busy: boolean;
  cancel: () => void;
}

/** Polls container counters of all nodes and reports evidence of throttling and OOM kills to a sink. */
export class EvidenceSource {
  readonly #dependencies: EvidenceSourceDependencies;
  readonly #slots = new Slots(CONCURRENCY);
  readonly #reads: Counter;
  readonly #duration: Histogram;
  readonly #pollers = new Map<string, Poller>();

  constructor(dependencies: EvidenceSourceDependencies) {
    this.#dependencies = dependencies;
    this.#reads = dependencies.metrics.counter({
      name: 'evenkeel_evidence_reads_total',
      help: 'Readings of a node’s container counters (throttling, OOM kills), by source and outcome: ok, empty, failed, too-large.',
      labels: ['source', 'outcome'],
    });
    this.#duration = dependencies.metrics.histogram({
      name: 'evenkeel_evidence_read_duration_seconds',
      help: 'Duration of one reading of a node’s container counters.',
      labels: ['source'],
      buckets: [0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    });
  }

  /**
   * Reads until the signal aborts. A failing node is reported to the sink and never rejects.
   * @param samplingMs usage sampling interval
   */
  async run(sink: EvidenceSink, samplingMs: DurationMs, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { clock } = this.#dependencies;
    let cancelSweep = (): void => undefined;
    const sweep = (): void => {
      this.#startNewNodes(sink, samplingMs, signal);
      cancelSweep = clock.schedule(clock.now() + SWEEP_MS, sweep);
    };
    sweep();
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    cancelSweep();
    for (const poller of this.#pollers.values()) poller.cancel();
    this.#pollers.clear();
  }

  #startNewNodes(sink: EvidenceSink, samplingMs: DurationMs, signal: AbortSignal): void {
    const { reader, clock } = this.#dependencies;
    for (const { name } of reader.nodes()) {
      if (this.#pollers.has(name)) continue;
      const phase = phaseOf(name);
      const poller: Poller = { deltas: new CounterDeltas(), tries: 0, readings: 0, readAt: 0, busy: false, cancel: () => undefined };
      this.#pollers.set(name, poller);
      const tick = (): void => {
        const node = reader.findNode(name);
        if (node === undefined) {
          this.#pollers.delete(name);
          return;
        }
        const now = clock.now();
        const isDue = node.ready && !poller.busy && this.#isDue(node, poller);
        // The second reading follows after one sampling interval even if the first failed; later failures are not retried sooner.
        const isFirst = isDue && poller.tries === 0;
        poller.cancel = clock.schedule(isFirst ? now + samplingMs : nextReadingAt(now, CLOSE_INTERVAL_MS, phase), tick);
        if (isDue) this.#poll(node, poller, sink, signal);
      };
      poller.cancel = clock.schedule(clock.now() + phase * Math.min(samplingMs, FIRST_WITHIN_MS), tick);
    }
  }

  #isDue(node: NodeRecord, poller: Poller): boolean {
    const { reader, clock, sources } = this.#dependencies;
    if (sources().length === 0) return false;
    const due = poller.readings < FIRST_READINGS || clock.now() - poller.readAt >= INTERVAL_MS;
    for (const pod of reader.podsOnNode(node.name)) {
      const limited = pod.containers.filter((container) => cpuLimitOf(container) !== null);
      if (limited.length > 0 && (due || this.#isClose(pod, limited))) return true;
    }
    return false;
  }

  #isClose(pod: PodRecord, limited: readonly ContainerRecord[]): boolean {
    const { cpuOf, isVerified } = this.#dependencies;
    const isNearLimit = limited.some((container) => {
      const used = cpuOf(pod, container.name);
      return used !== null && used >= NEAR_LIMIT_RATIO * (cpuLimitOf(container) ?? Infinity);
    });
    return isNearLimit || isVerified(pod);
  }

  #poll(node: NodeRecord, poller: Poller, sink: EvidenceSink, signal: AbortSignal): void {
    poller.busy = true;
    poller.tries += 1;
    const idle = this.#dependencies.activity.begin();
    const dueAt = this.#dependencies.clock.now();
    void this.#slots
      .use(async () => {
        sink.onEvidence(await this.#read(node, poller, sink, signal));
        // Uses the due time: the duration of a reading must not shift the next reading by a whole interval.
        poller.readAt = dueAt;
        poller.readings += 1;
      })
      .catch((err: unknown) => {
        const message = err instanceof Error ? err.message : String(err);
        sink.onEvidenceFailure({ node: node.name, at: this.#dependencies.clock.now(), message });
      })
      .finally(() => {
        poller.busy = false;
        idle();
      });
  }

  async #read(node: NodeRecord, poller: Poller, sink: EvidenceSink, signal: AbortSignal): Promise<EvidenceReading> {
    const { source, counters } = await this.#readPreferred(node, signal);
    const { clock, reader } = this.#dependencies;
    const now = clock.now();
    const isOwn = ({ namespace, pod }: PodRef): boolean => {
      const fault = faultOfReport(node.name, reader.findPod(namespace, pod));
      if (fault !== null) sink.onDropped(fault, 1);
      return fault === null;
    };
    return { node: node.name, source, at: now, containers: poller.deltas.read(counters, now, isOwn) };
  }

  /** Reads the first source that has CPU-limited containers of the node. @throws Error with the problem of each source */
  async #readPreferred(node: NodeRecord, signal: AbortSignal): Promise<{ source: string; counters: readonly ContainerCounters[] }> {
    const problems: string[] = [];
    for (const source of this.#dependencies.sources()) {
      try {
        const counters = await this.#readFrom(source, node, signal);
        const hasLimits = counters.some(({ cpuPeriods }) => cpuPeriods !== null);
        this.#reads.add(1, { source: source.name, outcome: hasLimits ? 'ok' : 'empty' });
        if (hasLimits) return { source: source.name, counters };
        problems.push(`${source.name} has no container_cpu_cfs_periods_total of any container on node ${node.name}`);
      } catch (err) {
        this.#reads.add(1, { source: source.name, outcome: err instanceof PageTooLarge ? 'too-large' : 'failed' });
        problems.push(err instanceof Error ? err.message : String(err));
      }
    }
    throw new Error(problems.join('; '));
  }

  async #readFrom(source: ContainerCounterSource, node: NodeRecord, signal: AbortSignal): Promise<readonly ContainerCounters[]> {
    const { timer } = this.#dependencies;
    const startedMs = timer.nowMs();
    const counters = await readWithin(timer, DEADLINE_MS, (stop) => source.containerCounters(node, stop), signal);
    this.#duration.observe((timer.nowMs() - startedMs) / 1000, { source: source.name });
    return counters;
  }
}

/** The effective limit; the requested limit until the kubelet reports it. */
function cpuLimitOf({ actual, limits }: ContainerRecord): Millicores | null {
  return (actual ?? { limits }).limits.cpuMillicores;
}
