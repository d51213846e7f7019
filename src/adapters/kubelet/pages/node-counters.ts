import type { ReportFault } from '#kube/records/pod';
import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { ContainerRef, ContainerUsage, NodeUsage, PodRef } from '#kube/records/usage';
import type { ResourceMetrics, ResourceMetricsVisitor } from '#kube/kubelet/kubelet-pages';
import type { UsageReading } from '../../../ports/usage/usage-source.ts';
import type { ContainerRss } from './stats-summary.ts';
import { readLabels, type SeriesLabels } from './resource-metrics.ts';

/** Usage of a node from one reading, with the number of dropped samples by reason. */
export interface NodeReading extends UsageReading {
  readonly dropped: ReadonlyMap<string, number>;
}

interface Counter {
  readonly labels: SeriesLabels | null;
  /** Start of its counters; NaN where not reported. */
  startedAt: Instant;
  cpuSeconds: number;
  cpuAt: Instant;
  /** Value of the current reading; null: absent. */
  newCpuSeconds: number | null;
  newCpuAt: Instant;
  memoryBytes: number | null;
  memoryAt: Instant;
  /** From `/stats/summary`, which is read less often. */
  rssBytes: number | null;
  rssAt: Instant;
  seenInRound: number;
}

/** Anonymous memory changes slowly, and is read every 5 minutes. */
const RSS_VALID_MS: DurationMs = 10 * MINUTE_MS;
/** Minimum time since the start for a meaningful mean. */
const MIN_SINCE_START_MS: DurationMs = 10 * SECOND_MS;
/** Number of readings without a container after which its counters are deleted. */
const FORGET_AFTER_ROUNDS = 5;
/** More containers than any node runs; further ones are rejected. */
const MAX_CONTAINERS = 5_000;
/**
 * Maximum rejected samples of one page: of unknown pods, and of containers beyond `MAX_CONTAINERS`. Each costs time, and pods whose events
 * have not arrived have far fewer.
 */
const MAX_REFUSED = 10_000;

/** Converts the cumulative counters of one node into usage since the previous reading. */
export class NodeCounters implements ResourceMetricsVisitor {
  readonly #node: string;
  /** Maximum span of a rate: a longer mean would hide peaks. */
  readonly #maxGapMs: DurationMs;
  readonly #faultOf: (pod: PodRef) => ReportFault | null;
  /** By label text, which is the same in every reading, so that it is parsed once. */
  readonly #containers = new Map<string, Counter>();
  readonly #nodeCounter: Counter = newCounter(null);
  #round = 0;
  #now: Instant = 0;
  #dropped = new Map<string, number>();
  #refused = 0;

  /** @param faultOf why reports about a pod are dropped; nothing about such a pod is stored */
  constructor(node: string, maxGapMs: DurationMs, faultOf: (pod: PodRef) => ReportFault | null) {
    this.#node = node;
    this.#maxGapMs = maxGapMs;
    this.#faultOf = faultOf;
  }

  /**
   * Usage since the previous reading.
   * @param now time of samples without a timestamp
   * @throws Error where more than `MAX_REFUSED` samples are of unknown pods or of containers beyond `MAX_CONTAINERS`
   */
  read(metrics: ResourceMetrics, now: Instant): NodeReading {
    this.#round += 1;
    this.#now = now;
    this.#dropped = new Map();
    this.#refused = 0;
    metrics.visit(this);
    const containers: ContainerUsage[] = [];
    for (const [key, counter] of this.#containers) {
      if (counter.seenInRound !== this.#round) {
        if (this.#round - counter.seenInRound > FORGET_AFTER_ROUNDS) this.#containers.delete(key);
        continue;
      }
      const usage = this.#containerUsage(counter);
      if (usage !== null) containers.push(usage);
    }
    return { node: this.#node, containers, nodeUsage: this.#nodeUsage(), dropped: this.#dropped };
  }

  /** Sets memory without page cache, included in samples for `RSS_VALID_MS`. */
  recordRss(rss: readonly ContainerRss[], at: Instant): void {
    const byContainer = new Map(rss.map((each) => [keyOf(each), each.bytes]));
    for (const counter of this.#containers.values()) {
      const bytes = counter.labels === null ? undefined : byContainer.get(keyOf(counter.labels));
      if (bytes === undefined || bytes < 0) continue;
      counter.rssBytes = bytes;
      counter.rssAt = at;
    }
  }

  containerCpuSeconds(labels: string, value: number, at: Instant | null): void {
    this.#takeCpu(this.#counterOf(labels), value, at);
  }

  containerMemoryBytes(labels: string, value: number, at: Instant | null): void {
    this.#takeMemory(this.#counterOf(labels), value, at);
  }

  containerStart(labels: string, startedAt: Instant): void {
    const counter = startedAt > 0 ? this.#counterOf(labels) : undefined;
    if (counter !== undefined) counter.startedAt = startedAt;
  }

  nodeCpuSeconds(value: number, at: Instant | null): void {
    this.#takeCpu(this.#nodeCounter, value, at);
  }

  nodeMemoryBytes(value: number, at: Instant | null): void {
    this.#takeMemory(this.#nodeCounter, value, at);
  }

  #counterOf(labels: string): Counter | undefined {
    const known = this.#containers.get(labels);
    if (known !== undefined) return known;
    const read = readLabels(labels);
    if (read === null) return undefined;
    const fault = this.#faultOf(read) ?? (this.#containers.size < MAX_CONTAINERS ? null : 'unknown-container');
    if (fault !== null) {
      this.#refuse(fault);
      return undefined;
    }
    const counter = newCounter(read);
    this.#containers.set(labels, counter);
    return counter;
  }

  #takeCpu(counter: Counter | undefined, value: number, at: Instant | null): void {
    if (counter === undefined) return;
    const fault = Number.isNaN(value) ? 'nan' : value < 0 ? 'negative' : null;
    if (fault !== null) {
      this.#drop(fault);
      return;
    }
    counter.seenInRound = this.#round;
    counter.newCpuSeconds = value;
    counter.newCpuAt = at ?? this.#now;
  }

  #takeMemory(counter: Counter | undefined, value: number, at: Instant | null): void {
    if (counter === undefined) return;
    const fault = Number.isNaN(value) ? 'nan' : value < 0 ? 'negative' : null;
    if (fault !== null) {
      this.#drop(fault);
      return;
    }
    counter.seenInRound = this.#round;
    counter.memoryBytes = value;
    counter.memoryAt = at ?? this.#now;
  }

  #containerUsage(counter: Counter): ContainerUsage | null {
    if (counter.labels === null) return null;
    const sample = this.#sample(counter);
    if (sample === null) return null;
    const { namespace, pod, container } = counter.labels;
    const { at, cpuMillicores, memoryBytes } = sample;
    const usage = { namespace, pod, container, at, cpuMillicores, memoryBytes };
    const fresh = counter.rssBytes !== null && this.#now - counter.rssAt <= RSS_VALID_MS && memoryBytes !== null;
    return fresh ? { ...usage, memoryRssBytes: counter.rssBytes } : usage;
  }

  #nodeUsage(): NodeUsage | null {
    const sample = this.#nodeCounter.seenInRound === this.#round ? this.#sample(this.#nodeCounter) : null;
    return sample === null ? null : { node: this.#node, ...sample };
  }

  /** null where the page has no memory and no CPU rate: the kubelet repeated its last CPU sample, or there is no previous one. */
  #sample(counter: Counter): { at: Instant; cpuMillicores: number | null; memoryBytes: number | null } | null {
    const at = Math.max(counter.newCpuSeconds === null ? 0 : counter.newCpuAt, counter.memoryBytes === null ? 0 : counter.memoryAt);
    const cpuMillicores = this.#rate(counter);
    const { memoryBytes } = counter;
    counter.memoryBytes = null;
    return cpuMillicores === null && memoryBytes === null ? null : { at, cpuMillicores, memoryBytes };
  }

  // null after a gap, and for a first or decreased value unless the container has just started. Then its whole counter is usage since the
  // start, so that containers living for one or two readings are measured.
  #rate(counter: Counter): number | null {
    const { cpuSeconds, cpuAt, newCpuSeconds, newCpuAt } = counter;
    if (newCpuSeconds === null) return null;
    counter.newCpuSeconds = null;
    const elapsedMs = newCpuAt - cpuAt;
    // The same timestamp is a repeated sample. An earlier one comes from a clock that was set back: the next rate is measured from it.
    if (cpuAt !== 0 && elapsedMs === 0) return null;
    counter.cpuSeconds = newCpuSeconds;
    counter.cpuAt = newCpuAt;
    if (cpuAt !== 0 && elapsedMs < 0) {
      this.#drop('out-of-order');
      return null;
    }
    if (cpuAt === 0 || newCpuSeconds < cpuSeconds) return this.#rateSinceStart(counter, cpuAt);
    if (elapsedMs > this.#maxGapMs) {
      this.#drop('gap');
      return null;
    }
    return millicores(newCpuSeconds - cpuSeconds, elapsedMs);
  }

  #rateSinceStart({ startedAt, cpuAt, cpuSeconds }: Counter, before: Instant): number | null {
    const elapsedMs = cpuAt - startedAt;
    const startedSince = startedAt > before && elapsedMs >= MIN_SINCE_START_MS && elapsedMs <= this.#maxGapMs;
    return startedSince ? millicores(cpuSeconds, elapsedMs) : null;
  }

  #refuse(reason: string): void {
    this.#drop(reason);
    this.#refused += 1;
    if (this.#refused > MAX_REFUSED) {
      throw new Error(`node ${this.#node} reports more than ${MAX_REFUSED} series of pods unknown on it; the page is dropped`);
    }
  }

  #drop(reason: string): void {
    this.#dropped.set(reason, (this.#dropped.get(reason) ?? 0) + 1);
  }
}

/** Core-seconds per second are cores. Rounded to 0.01 millicores, which exceeds the kernel's accounting precision. */
function millicores(cpuSeconds: number, elapsedMs: DurationMs): number {
  return Math.round((cpuSeconds * 1e8) / elapsedMs) / 100;
}

function keyOf({ namespace, pod, container }: ContainerRef): string {
  return `${namespace}/${pod}/${container}`;
}

function newCounter(labels: SeriesLabels | null): Counter {
  return {
    labels,
    startedAt: Number.NaN,
    cpuSeconds: 0,
    cpuAt: 0,
    newCpuSeconds: null,
    newCpuAt: 0,
    memoryBytes: null,
    memoryAt: 0,
    rssBytes: null,
    rssAt: 0,
    seenInRound: 0,
  };
}
