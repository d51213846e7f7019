// Current usage of containers and nodes. A UsageSource writes it, queries read it, and listeners receive each sample.

import { addKnown, type Resources } from '#kube/records/resources';
import { STALE_PERIODS } from '../../core/model/stale-source.ts';
import { MINUTE_MS, type Bytes, type DurationMs, type Instant, type Millicores } from '#kube/units';
import type { ContainerRef, ContainerUsage, NetworkUsage, NodeUsage, PodRef, UsageSample, VolumeUsage } from '#kube/records/usage';
import { faultOfReport, type PodRecord } from '#kube/records/pod';
import type { WorkloadKey } from '#kube/records/workload';
import type { CountedKill } from '../../core/resize/model/evidence/counted-kill.ts';
import type { Changes } from '../../ports/changes.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Counter, Metrics } from '../../ports/metrics.ts';
import type {
  EvidenceReading,
  EvidenceSink,
  SummaryReading,
  UsageChange,
  UsageFailure,
  UsageReading,
  UsageSink,
} from '../../ports/usage/usage-source.ts';
import { EvidenceLog } from '../evidence/evidence-log.ts';
import { FailureLog } from '../evidence/failure-log.ts';
import { OomWatch, type OomKillListener } from '../evidence/oom-watch.ts';
import { describeClock, NodeClocks } from './node-clocks.ts';
import { faultOfContainer, PodSamples, type ContainerSamples } from './pod-samples.ts';
import { findClockLead, correctedSample, faultOfSample } from './sample-gate.ts';
import { SummaryLog } from './summary-log.ts';
import { UsageGraphs } from './usage-graphs.ts';
import { UsageProblems } from './usage-problems.ts';

/** Dependencies of `UsageModel`. */
export interface UsageModelDependencies {
  readonly clock: Clock;
  readonly reader: ClusterReader;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Period of the source; usage is stale after two of them. */
  readonly intervalMs: DurationMs;
}

/** Receives a valid sample of one replica, with the current record of its pod. Synchronous; must not block. */
export type SampleListener = (workload: WorkloadKey, container: string, pod: PodRecord, sample: UsageSample) => void;

/** CPU and memory in use; null: not measured. */
export interface UsageTotal {
  readonly cpuMillicores: Millicores | null;
  readonly memoryBytes: Bytes | null;
}

/** Minimum lifetime of a sample: metrics.k8s.io measures once a minute in many clusters, and kubelets up to every 20 seconds. */
const MIN_FRESH_MS: DurationMs = 3 * MINUTE_MS;
/** Minimum tolerance for the age of reported usage of a node with a correct clock. */
const MIN_TOLERANCE_MS: DurationMs = 2 * MINUTE_MS;

/** Usage of the cluster. */
export class UsageModel implements UsageSink, EvidenceSink, Changes<UsageChange> {
  /** Throttling and pressure. */
  readonly evidence = new EvidenceLog();
  readonly graphs = new UsageGraphs();
  readonly #dependencies: UsageModelDependencies;
  readonly #samples: PodSamples;
  readonly #problems: UsageProblems;
  readonly #nodes = new Map<string, { readonly usage: NodeUsage | null; readonly confirmedAt: Instant }>();
  readonly #clocks: NodeClocks;
  readonly #summaries = new SummaryLog();
  readonly #listeners = new Set<SampleListener>();
  readonly #changeListeners = new Set<(change: UsageChange) => void>();
  #revision = 0;
  readonly #oomWatch: OomWatch;
  readonly #failureLog: FailureLog;
  readonly #accepted: Counter;
  readonly #dropped: Counter;
  readonly #failures: Counter;
  readonly #unsubscribe: () => void;
  #confirmedAt: Instant = 0;

  constructor(dependencies: UsageModelDependencies) {
    const { metrics, reader } = dependencies;
    this.#dependencies = dependencies;
    this.#samples = new PodSamples(reader);
    this.#problems = new UsageProblems(dependencies.logger);
    this.#clocks = new NodeClocks(Math.max(MIN_TOLERANCE_MS, STALE_PERIODS * dependencies.intervalMs));
    this.#accepted = metrics.counter({ name: 'evenkeel_usage_samples_total', help: 'Usage samples accepted.' });
    this.#dropped = metrics.counter({
      name: 'evenkeel_usage_samples_dropped_total',
      help: 'Usage samples dropped, by reason: nan, negative, future, out-of-order, gap, absurd, empty, unknown-pod, unknown-container, foreign-pod.',
      labels: ['reason'],
    });
    this.#failures = metrics.counter({
      name: 'evenkeel_usage_failures_total',
      help: 'Failed readings of usage, by node or of the whole source.',
    });
    this.#oomWatch = new OomWatch(dependencies);
    this.#failureLog = new FailureLog(reader);
    this.#unsubscribe = reader.subscribe((change) => {
      if (change.kind === 'pod') this.#forgetIfGone(change.key, change.workload);
      else if (change.kind === 'node') this.#forgetNodeIfGone(change.key);
      else if (change.kind === 'workload' && reader.findWorkload(change.key) === undefined) this.graphs.forget(change.key);
    });
  }

  /** Calls the listener with every valid sample from now on. Returns the cancel function. */
  onSample(listener: SampleListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Count of new samples so far. Samples of deleted pods and nodes end with a change of the cluster. */
  revision(): number {
    return this.#revision;
  }

  subscribe(listener: (change: UsageChange) => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  /** Calls the listener with every OOM kill once, beginning with those of current pod statuses. Returns the cancel function. */
  onOomKill(listener: OomKillListener): () => void {
    return this.#oomWatch.onOomKill(listener);
  }

  /** OOM kills of the last day by counters that the pod's status does not have. */
  countedKillsOf(pod: PodRecord): readonly CountedKill[] {
    return this.#oomWatch.countedKillsOf(pod);
  }

  /** Observed failures of a pod's containers in the last two days. */
  failuresOf(pod: PodRecord): readonly Instant[] {
    return this.#failureLog.of(pod);
  }

  onUsage(reading: UsageReading): void {
    const now = this.#dependencies.clock.now();
    const readAt = Math.min(now, reading.readAt ?? now);
    const clock = this.#clocks.observe(reading, readAt);
    const { offsetMs } = clock;
    let accepted = 0;
    for (const usage of reading.containers) if (this.#take(reading.node, correctedSample(usage, offsetMs, now), now)) accepted += 1;
    if (accepted > 0) this.#accepted.add(accepted);
    const ahead = findClockLead(reading.containers, now - offsetMs);
    if (ahead !== null) {
      const message = `${describeClock(reading.node, offsetMs - ahead)}: its usage is ignored`;
      this.onFailure({ node: reading.node, at: now, message });
      return;
    }
    // A reading confirms the source also without containers. A confirmation in the future is from before the clock was set back.
    this.#confirmedAt = this.#confirmedAt > now ? readAt : Math.max(this.#confirmedAt, readAt);
    if (reading.nodeUsage !== null) this.#takeNode(correctedSample(reading.nodeUsage, offsetMs, now), now, readAt);
    else this.#nodes.set(reading.node, { usage: this.#nodes.get(reading.node)?.usage ?? null, confirmedAt: readAt });
    this.#problems.resolve(null);
    const problem = this.#clocks.problemOf(reading.node, clock);
    if (problem === null) this.#problems.resolve(reading.node);
    else this.#problems.report(reading.node, problem, 'Usage has wrong timestamps');
  }

  onSummary(reading: SummaryReading): void {
    const now = this.#dependencies.clock.now();
    const { node, volumes, network, pressure } = reading;
    this.#summaries.add({ volumes: this.#filterOwn(node, volumes), network: this.#filterOwn(node, network) }, now);
    this.evidence.takePressure(node, pressure === null ? null : this.#filterOwn(node, pressure), now);
  }

  onEvidence(reading: EvidenceReading): void {
    this.evidence.onEvidence({ ...reading, containers: this.#filterOwn(reading.node, reading.containers) });
  }

  onEvidenceFailure(failure: { readonly node: string; readonly at: Instant; readonly message: string }): void {
    if (this.evidence.problemOf(failure.node) !== failure.message) {
      this.#dependencies.logger.warn('Throttling could not be read', { node: failure.node, problem: failure.message });
    }
    this.evidence.onEvidenceFailure(failure);
  }

  onFailure(failure: UsageFailure): void {
    this.#failures.add(1);
    this.#problems.report(failure.node, failure.message, 'Usage could not be read');
  }

  onDropped(reason: string, count: number): void {
    if (count > 0) this.#dropped.add(count, { reason });
  }

  /** Time of the last reading of any node; 0: none. */
  confirmedAt(): Instant {
    return this.#confirmedAt;
  }

  /** Whether no node was read for two periods. */
  isStale(): boolean {
    return this.#dependencies.clock.now() - this.#confirmedAt > STALE_PERIODS * this.#dependencies.intervalMs;
  }

  /** Whether a node was not read for two periods, or never. */
  isNodeStale(node: string): boolean {
    const confirmedAt = this.#nodes.get(node)?.confirmedAt ?? Number.NEGATIVE_INFINITY;
    // A confirmation in the future also counts as stale: the clock was set back since.
    return Math.abs(this.#dependencies.clock.now() - confirmedAt) > STALE_PERIODS * this.#dependencies.intervalMs;
  }

  /** Whether the current usage of a pod is unknown: its node is stale, or a running container has no current sample. */
  isUnread({ namespace, name, node, containers }: PodRecord): boolean {
    if (node === null) return false;
    if (this.isNodeStale(node)) return true;
    const known = this.containersOf(namespace, name);
    return containers.some((container) => container.state === 'running' && !this.#isKnown(known.get(container.name)));
  }

  #isKnown(sample: UsageSample | undefined): boolean {
    if (sample === undefined) return false;
    return sample.cpuMillicores !== null && sample.memoryBytes !== null && this.#isFresh(sample);
  }

  /** Message about the current problem of the source; null: the last reading of every node was valid. */
  problem(): string | null {
    return this.#problems.summary();
  }

  /** The newest samples of a pod's containers. */
  containersOf(namespace: string, pod: string): ContainerSamples {
    return this.#samples.containersOf(namespace, pod);
  }

  /** Usage of a node, including system daemons; null: not current. */
  usedByNode(node: string): NodeUsage | null {
    const usage = this.#nodes.get(node)?.usage ?? null;
    return usage !== null && this.#isFresh(usage) ? usage : null;
  }

  /** Usage of each pod; null: no current samples. */
  *usedByPod(): Iterable<UsageTotal> {
    for (const pod of this.#samples.pods()) yield this.#sum(pod.values());
  }

  volumes(): Iterable<VolumeUsage> {
    return this.#summaries.volumes();
  }

  networkOf(namespace: string, pod: string): NetworkUsage | undefined {
    return this.#summaries.networkOf(namespace, pod);
  }

  /** Unsubscribes from the cluster. */
  close(): void {
    this.#unsubscribe();
    this.#oomWatch.close();
    this.#failureLog.close();
  }

  #take(node: string, usage: ContainerUsage, now: Instant): boolean {
    const entry = this.#samples.findOrAdd(usage);
    const fault =
      faultOfReport(node, entry?.pod) ??
      faultOfContainer(entry, usage.container) ??
      faultOfSample(usage, now, entry?.get(usage.container) ?? null, this.#capacityOf(node));
    if (entry === undefined || fault !== null) {
      this.#dropped.add(1, { reason: fault ?? 'unknown-pod' });
      return false;
    }
    const { pod, workload } = entry;
    const sample = this.evidence.sampleOf(usage);
    // The record's name, for the same reason as in PodSamples.
    const container = pod.containers.find(({ name }) => name === usage.container)?.name ?? usage.container;
    entry.set(container, sample);
    this.#notify('pod', () => `${usage.namespace}/${usage.pod}`);
    if (workload === null) return true;
    this.graphs.add(workload, container, pod.name, sample);
    this.#oomWatch.observe(workload, container, pod, sample);
    for (const listener of this.#listeners) listener(workload, container, pod, sample);
    return true;
  }

  /** Filters the reports of a node to its own pods and their containers; others are counted as dropped. */
  #filterOwn<R extends PodRef | ContainerRef>(node: string, reported: readonly R[]): readonly R[] {
    const { reader } = this.#dependencies;
    return reported.flatMap((report) => {
      const pod = reader.findPod(report.namespace, report.pod);
      const own = pod === undefined ? null : withNamesOf(pod, report);
      const fault = faultOfReport(node, pod) ?? (own === null ? 'unknown-container' : null);
      if (fault !== null) this.#dropped.add(1, { reason: fault });
      return fault !== null || own === null ? [] : [own];
    });
  }

  #capacityOf(node: string): Resources | null {
    return this.#dependencies.reader.findNode(node)?.capacity ?? null;
  }

  #takeNode(usage: NodeUsage, now: Instant, readAt: Instant): void {
    const before = this.#nodes.get(usage.node)?.usage ?? null;
    const fault = faultOfSample(usage, now, before, this.#capacityOf(usage.node));
    this.#nodes.set(usage.node, { usage: fault === null ? usage : before, confirmedAt: readAt });
    if (fault === null) this.#notify('node', () => usage.node);
    if (fault !== null) {
      this.#dropped.add(1, { reason: fault });
      return;
    }
    this.graphs.addNode(usage);
  }

  #notify(kind: UsageChange['kind'], keyOf: () => string): void {
    this.#revision += 1;
    if (this.#changeListeners.size === 0) return;
    const change = { kind, key: keyOf() };
    for (const listener of this.#changeListeners) listener(change);
  }

  #forgetIfGone(key: string, workload: WorkloadKey | null): void {
    const slash = key.indexOf('/');
    const [namespace, name] = [key.slice(0, slash), key.slice(slash + 1)];
    const pod = this.#dependencies.reader.findPod(namespace, name);
    this.#samples.update(namespace, name, pod);
    if (pod !== undefined) return;
    this.#summaries.forgetPod(namespace, name);
    this.evidence.forgetPod(namespace, name);
    if (workload !== null && this.#isGone(workload)) this.graphs.forget(workload);
  }

  /** Whether a workload without a record has no pods left, such as a bare pod. */
  #isGone(workload: WorkloadKey): boolean {
    const { reader } = this.#dependencies;
    if (reader.findWorkload(workload) !== undefined) return false;
    for (const _ of reader.podsOf(workload)) return false;
    return true;
  }

  #forgetNodeIfGone(node: string): void {
    if (this.#dependencies.reader.findNode(node) !== undefined) return;
    this.#nodes.delete(node);
    this.#clocks.forget(node);
    this.graphs.forgetNode(node);
    this.#problems.resolve(node);
    this.evidence.forgetNode(node);
  }

  #isFresh(sample: UsageSample): boolean {
    const freshForMs = Math.max(MIN_FRESH_MS, (STALE_PERIODS + 1) * this.#dependencies.intervalMs);
    return Math.abs(this.#dependencies.clock.now() - sample.at) <= freshForMs;
  }

  #sum(samples: Iterable<UsageSample>): UsageTotal {
    let total: UsageTotal = { cpuMillicores: null, memoryBytes: null };
    for (const sample of samples) if (this.#isFresh(sample)) total = addUsage(total, sample);
    return total;
  }
}

/** Sum of two usages. An unknown one counts as 0, unless both are unknown. */
export function addUsage(a: UsageTotal, b: UsageTotal): UsageTotal {
  return { cpuMillicores: addKnown(a.cpuMillicores, b.cpuMillicores), memoryBytes: addKnown(a.memoryBytes, b.memoryBytes) };
}

/**
 * A report with the names of the pod's record: its own may be parts of a page's text, which they would keep in memory. null: the pod has no
 * such container.
 */
function withNamesOf<R extends PodRef | ContainerRef>(pod: PodRecord, report: R): R | null {
  const names = { namespace: pod.namespace, pod: pod.name };
  if (!('container' in report)) return { ...report, ...names };
  const container = pod.containers.find(({ name }) => name === report.container);
  return container === undefined ? null : { ...report, ...names, container: container.name };
}
