// What the kernel held back of containers, from cumulative counters, at a bounded cost: a node with a CPU-limited container
// is read once an hour, and every 5 minutes while a change on it is verified or a container there comes near its limit.

import type { NodeRecord } from '#kube/records/node';
import { faultOfReport, type ContainerRecord, type PodRecord } from '#kube/records/pod';
import { HOUR_MS, MINUTE_MS, SECOND_MS, type DurationMs, type Instant, type Millicores, type Ratio } from '#kube/units';
import type { PodRef } from '#kube/records/usage';
import type { Activity, Clock, MachineTimer } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster-reader.ts';
import type { ContainerCounters, ContainerCounterSource } from '#kube/kubelet/kubelet-pages';
import type { Counter, Histogram, Metrics } from '../../ports/metrics.ts';
import { PageTooLarge } from '../../ports/page-too-large.ts';
import type { EvidenceReading, EvidenceSink } from '../../ports/usage-source.ts';
import { CounterDeltas } from './counter-deltas.ts';
import { nextAt, phaseOf } from './phase.ts';
import { readWithin } from './read-within.ts';
import { Slots } from './slots.ts';

export interface EvidenceSourceDependencies {
  /** Those that may be asked now, in the order of preference: the next is asked where one fails or knows none of a node's limited
   * containers. */
  readonly sources: () => readonly ContainerCounterSource[];
  readonly reader: Pick<ClusterReader, 'nodes' | 'findNode' | 'findPod' | 'podsOnNode'>;
  /** CPU of a container as last sampled; null: not known. */
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
/** CPU at this share of its limit may well be throttled: a minute's mean hides the peaks. */
export const NEAR_LIMIT_RATIO: Ratio = 0.7;
/** How often nodes that joined are looked for. */
const SWEEP_MS: DurationMs = MINUTE_MS;
/** Machine time for one page: kubelets of large nodes take seconds to write it. */
const DEADLINE_MS: DurationMs = 15 * SECOND_MS;
/** Pages are large: more at once would take the network from the usage that is read every minute. */
const CONCURRENCY = 8;
/** Readings before the interval of an hour begins, one sampling interval apart: the first has nothing to compare with. */
const FIRST_READINGS = 2;
/** The first reading of each node comes within this time, each at its own moment of it. */
const FIRST_WITHIN_MS: DurationMs = MINUTE_MS;

interface Poller {
  readonly deltas: CounterDeltas;
  tries: number;
  readings: number;
  readAt: Instant;
  busy: boolean;
  cancel: () => void;
}

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
      help: 'Readings of the counters of a node’s containers (throttling, OOM kills), by source and outcome: ok, empty, failed, too-large.',
      labels: ['source', 'outcome'],
    });
    this.#duration = dependencies.metrics.histogram({
      name: 'evenkeel_evidence_read_duration_seconds',
      help: 'Time of one reading of the counters of a node’s containers.',
      labels: ['source'],
      buckets: [0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    });
  }

  /**
   * Reads until the signal aborts. Never throws for one bad node.
   * @param samplingMs how often usage is read
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
        // The second try comes soon, whatever became of the first; a node that fails is then not asked more often than others.
        const isFirst = isDue && poller.tries === 0;
        poller.cancel = clock.schedule(isFirst ? now + samplingMs : nextAt(now, CLOSE_INTERVAL_MS, phase), tick);
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
        // The moment it was due: the time that a reading takes must not move the next by a whole interval.
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
    const { source, counters } = await this.#readFirst(node, signal);
    const { clock, reader } = this.#dependencies;
    const now = clock.now();
    const isOwn = ({ namespace, pod }: PodRef): boolean => {
      const fault = faultOfReport(node.name, reader.findPod(namespace, pod));
      if (fault !== null) sink.onDropped(fault, 1);
      return fault === null;
    };
    return { node: node.name, source, at: now, containers: poller.deltas.read(counters, now, isOwn) };
  }

  /** Of the first source that knows the node's limited containers. */
  async #readFirst(node: NodeRecord, signal: AbortSignal): Promise<{ source: string; counters: readonly ContainerCounters[] }> {
    const problems: string[] = [];
    for (const source of this.#dependencies.sources()) {
      try {
        const counters = await this.#readFrom(source, node, signal);
        const known = counters.some(({ cpuPeriods }) => cpuPeriods !== null);
        this.#reads.add(1, { source: source.name, outcome: known ? 'ok' : 'empty' });
        if (known) return { source: source.name, counters };
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

/** In force; before the kubelet has reported it, as asked for. */
function cpuLimitOf({ actual, limits }: ContainerRecord): Millicores | null {
  return (actual ?? { limits }).limits.cpuMillicores;
}
