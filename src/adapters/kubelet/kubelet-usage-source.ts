// Usage read directly from kubelets: every node once per interval, each with its own offset.

import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { NodeRecord } from '#kube/records/node';
import { faultOfReport, type ReportFault } from '#kube/records/pod';
import type { ContainerRef } from '#kube/records/usage';
import type { Activity, Clock, MachineTimer } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import type { Counter, Histogram, Metrics } from '../../ports/metrics.ts';
import type { KubeletPages, PageBounds } from '#kube/kubelet/kubelet-pages';
import { PageTooLarge } from '../../ports/usage/page-too-large.ts';
import { UntrustedKubelet } from '#kube/kubelet/untrusted-kubelet';
import type { UsageSink, UsageSource } from '../../ports/usage/usage-source.ts';
import { NodeCounters } from './pages/node-counters.ts';
import { pageBounds } from './pages/page-bounds.ts';
import { phaseOf, nextReadingAt } from './phase.ts';
import { readWithin } from './read-within.ts';
import { Slots } from './slots.ts';
import { readStatsSummary } from './pages/stats-summary.ts';

export interface KubeletUsageSourceDependencies {
  readonly pages: KubeletPages;
  readonly reader: Pick<ClusterReader, 'nodes' | 'findNode' | 'findPod' | 'podsOnNode'>;
  readonly clock: Clock;
  readonly timer: MachineTimer;
  readonly activity: Activity;
  readonly metrics: Metrics;
  readonly concurrency?: number;
}

/** Deadline of one page in machine time. */
const DEADLINE_MS: DurationMs = 5_000;
/** Volumes and network usage change slowly, and the page is large. */
const SUMMARY_EVERY_MS: DurationMs = 5 * MINUTE_MS;
/** First readings are spread over this time; a counter yields a rate only from the second reading on. */
const FIRST_WITHIN_MS: DurationMs = 10_000;
/** First readings per second of a larger cluster, up to an interval: each opens a TLS connection, of some milliseconds of CPU. */
const FIRST_PER_SECOND = 50;
/** A longer span than this many intervals counts as a gap without a rate. */
const GAP_INTERVALS = 3;

interface Poller {
  readonly counters: NodeCounters;
  /** Offset of this node's readings as a fraction of the interval, 0–1. */
  readonly phase: number;
  cancel: () => void;
  busy: boolean;
  summaryDueAt: Instant;
}

/** Reads `/metrics/resource` of every ready node each interval and `/stats/summary` every 5 minutes. */
export class KubeletUsageSource implements UsageSource {
  readonly name = 'kubelet';
  readonly #dependencies: KubeletUsageSourceDependencies;
  readonly #slots: Slots;
  readonly #reads: Counter;
  readonly #duration: Histogram;
  readonly #pollers = new Map<string, Poller>();

  constructor(dependencies: KubeletUsageSourceDependencies) {
    this.#dependencies = dependencies;
    this.#slots = new Slots(dependencies.concurrency ?? 64);
    this.#reads = dependencies.metrics.counter({
      name: 'evenkeel_kubelet_reads_total',
      help: 'Pages read from kubelets, by page and outcome: ok, failed, too-large, skipped (the previous reading is in progress).',
      labels: ['page', 'outcome'],
    });
    this.#duration = dependencies.metrics.histogram({
      name: 'evenkeel_kubelet_read_duration_seconds',
      help: 'Duration of reading one kubelet page.',
      labels: ['page'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5],
    });
  }

  async run(sink: UsageSink, intervalMs: DurationMs, signal: AbortSignal): Promise<void> {
    const { clock } = this.#dependencies;
    let cancelSweep = (): void => undefined;
    const sweep = (): void => {
      this.#startNewNodes(sink, intervalMs, signal);
      cancelSweep = clock.schedule(clock.now() + intervalMs, sweep);
    };
    if (!signal.aborted) {
      sweep();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    }
    cancelSweep();
    for (const poller of this.#pollers.values()) poller.cancel();
    this.#pollers.clear();
  }

  #startNewNodes(sink: UsageSink, intervalMs: DurationMs, signal: AbortSignal): void {
    const { reader, clock } = this.#dependencies;
    const added = [...reader.nodes()].filter(({ name }) => !this.#pollers.has(name));
    const firstWithinMs = Math.min(intervalMs, Math.max(FIRST_WITHIN_MS, (added.length / FIRST_PER_SECOND) * SECOND_MS));
    for (const node of added) {
      const phase = phaseOf(node.name);
      const counters = new NodeCounters(node.name, GAP_INTERVALS * intervalMs, (reported) => this.#namesOf(node.name, reported));
      const poller: Poller = { counters, phase, cancel: () => undefined, busy: false, summaryDueAt: 0 };
      this.#pollers.set(node.name, poller);
      const tick = (): void => {
        const current = reader.findNode(node.name);
        if (current === undefined) {
          this.#pollers.delete(node.name);
          return;
        }
        poller.cancel = clock.schedule(nextReadingAt(clock.now(), intervalMs, phase), tick);
        // The kubelet of a node that is not ready is probably down: reading it would only wait for the deadline.
        if (current.ready) this.#poll(current, poller, sink, signal);
      };
      poller.cancel = clock.schedule(clock.now() + phase * firstWithinMs, tick);
    }
  }

  #namesOf(node: string, { namespace, pod, container }: ContainerRef): ContainerRef | ReportFault {
    const record = this.#dependencies.reader.findPod(namespace, pod);
    const fault = faultOfReport(node, record);
    if (fault !== null || record === undefined) return fault ?? 'unknown-pod';
    const known = record.containers.find(({ name }) => name === container);
    return { namespace: record.namespace, pod: record.name, container: known?.name ?? container };
  }

  #poll(node: NodeRecord, poller: Poller, sink: UsageSink, signal: AbortSignal): void {
    if (poller.busy) {
      this.#reads.add(1, { page: 'metrics', outcome: 'skipped' });
      return;
    }
    poller.busy = true;
    const idle = this.#dependencies.activity.begin();
    void this.#slots
      .use(() => this.#read(node, poller, sink, signal))
      .catch((err: unknown) => {
        const failure = { node: node.name, at: this.#dependencies.clock.now(), message: err instanceof Error ? err.message : String(err) };
        sink.onFailure(err instanceof UntrustedKubelet ? { ...failure, code: 'untrusted-certificate' } : failure);
      })
      .finally(() => {
        poller.busy = false;
        idle();
      });
  }

  async #read(node: NodeRecord, poller: Poller, sink: UsageSink, signal: AbortSignal): Promise<void> {
    const { clock, pages, reader } = this.#dependencies;
    const bounds = (page: 'metrics' | 'summary'): PageBounds => pageBounds(page, reader.podsOnNode(node.name));
    const metrics = await this.#page('metrics', (stop) => pages.resourceMetrics(node, stop, bounds('metrics')), signal);
    const reading = poller.counters.read(metrics, clock.now() - (metrics.ageMs ?? 0));
    for (const [reason, count] of reading.dropped) sink.onDropped(reason, count);
    sink.onUsage(reading);
    if (clock.now() < poller.summaryDueAt) return;
    poller.summaryDueAt = clock.now() + SUMMARY_EVERY_MS;
    const json = await this.#page('summary', (stop) => pages.statsSummary(node, stop, bounds('summary')), signal);
    const { rss, ...summary } = readStatsSummary(node.name, json, clock.now());
    poller.counters.recordRss(rss, clock.now());
    sink.onSummary(summary);
  }

  async #page<T>(page: string, read: (stop: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { timer } = this.#dependencies;
    const startedMs = timer.nowMs();
    try {
      const content = await readWithin(timer, DEADLINE_MS, read, signal);
      this.#reads.add(1, { page, outcome: 'ok' });
      return content;
    } catch (err) {
      this.#reads.add(1, { page, outcome: err instanceof PageTooLarge ? 'too-large' : 'failed' });
      throw err;
    } finally {
      this.#duration.observe((timer.nowMs() - startedMs) / 1000, { page });
    }
  }
}
