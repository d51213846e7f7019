import type { ReportFault } from '#kube/records/pod';
import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { ContainerRef, ContainerUsage, NodeUsage, PodRef } from '#kube/records/usage';
import type { ResourceMetrics, ResourceMetricsVisitor } from '#kube/kubelet/kubelet-pages';
import type { UsageReading } from '../../ports/usage-source.ts';
import type { ContainerRss } from './stats-summary.ts';
import { readLabels, type SeriesLabels } from './resource-metrics.ts';

/** One look at a node, and what of it had to be thrown away. */
export interface NodeReading extends UsageReading {
  readonly dropped: ReadonlyMap<string, number>;
}

interface Counter {
  readonly labels: SeriesLabels | null;
  /** When its counters began at 0; NaN where that is not reported. */
  startedAt: Instant;
  cpuSeconds: number;
  cpuAt: Instant;
  /** Of the reading under way; null: not in it. */
  newCpuSeconds: number | null;
  newCpuAt: Instant;
  memoryBytes: number | null;
  memoryAt: Instant;
  /** From another page, which is read less often. */
  rssBytes: number | null;
  rssAt: Instant;
  seenInRound: number;
}

/** Anonymous memory moves slowly, and is read every 5 minutes. */
const RSS_HOLDS_MS: DurationMs = 10 * MINUTE_MS;
/** A mean over less than this from a start on says nothing. */
const MIN_SINCE_START_MS: DurationMs = 10 * SECOND_MS;
/** Containers that were not seen for this many readings are forgotten. */
const FORGET_AFTER_ROUNDS = 5;
/** More than any node runs: the rest is invented. */
const MAX_CONTAINERS = 5_000;
/**
 * Samples of one page that may be refused: of pods that are not known on the node, and of containers past `MAX_CONTAINERS`. Pods whose
 * events have not arrived have far fewer; each costs time.
 */
const MAX_REFUSED = 10_000;

/** Turns the growing counters of one node into usage: what was used since the reading before. */
export class NodeCounters implements ResourceMetricsVisitor {
  readonly #node: string;
  /** A rate over a longer time than this would smear a peak flat. */
  readonly #maxGapMs: DurationMs;
  readonly #faultOf: (pod: PodRef) => ReportFault | null;
  /** By the text of their labels, which is the same in every reading: it is parsed once. */
  readonly #containers = new Map<string, Counter>();
  readonly #nodeCounter: Counter = newCounter(null);
  #round = 0;
  #now: Instant = 0;
  #dropped = new Map<string, number>();
  #refused = 0;

  /** @param faultOf why what the node reports of a pod does not count: nothing of such a pod is stored */
  constructor(node: string, maxGapMs: DurationMs, faultOf: (pod: PodRef) => ReportFault | null) {
    this.#node = node;
    this.#maxGapMs = maxGapMs;
    this.#faultOf = faultOf;
  }

  /**
   * @param now time of samples that bear none
   * @throws where more than `MAX_REFUSED` samples of the page are of pods that are not known on the node, or of containers past
   * `MAX_CONTAINERS`
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

  /** Memory that is not page cache, for the samples to come. */
  noteRss(rss: readonly ContainerRss[], at: Instant): void {
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
    // Copied: a slice would keep the text of the whole page alive.
    const key = Buffer.from(labels).toString();
    const read = readLabels(key);
    if (read === null) return undefined;
    const fault = this.#faultOf(read) ?? (this.#containers.size < MAX_CONTAINERS ? null : 'unknown-container');
    if (fault !== null) {
      this.#refuse(fault);
      return undefined;
    }
    const counter = newCounter(read);
    this.#containers.set(key, counter);
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
    const fresh = counter.rssBytes !== null && this.#now - counter.rssAt <= RSS_HOLDS_MS && memoryBytes !== null;
    return fresh ? { ...usage, memoryRssBytes: counter.rssBytes } : usage;
  }

  #nodeUsage(): NodeUsage | null {
    const sample = this.#nodeCounter.seenInRound === this.#round ? this.#sample(this.#nodeCounter) : null;
    return sample === null ? null : { node: this.#node, ...sample };
  }

  /**
   * null where the page has no memory, and its CPU counter gives no rate: the kubelet repeats its last sample of CPU, or there is none to
   * compare with.
   */
  #sample(counter: Counter): { at: Instant; cpuMillicores: number | null; memoryBytes: number | null } | null {
    const at = Math.max(counter.newCpuSeconds === null ? 0 : counter.newCpuAt, counter.memoryBytes === null ? 0 : counter.memoryAt);
    const cpuMillicores = this.#rate(counter);
    const { memoryBytes } = counter;
    counter.memoryBytes = null;
    return cpuMillicores === null && memoryBytes === null ? null : { at, cpuMillicores, memoryBytes };
  }

  // null after too long a gap, and for the first value (or one that went back: the container was started again) of a
  // container that did not start just now. One that did has used all of its counter since: what ends within a reading or
  // two would never be measured otherwise.
  #rate(counter: Counter): number | null {
    const { cpuSeconds, cpuAt, newCpuSeconds, newCpuAt } = counter;
    if (newCpuSeconds === null) return null;
    counter.newCpuSeconds = null;
    const elapsedMs = newCpuAt - cpuAt;
    // A value of the time before is a repeat. One of an earlier time is of a clock that was set back: the next counts from it.
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
      throw new Error(
        `node ${this.#node} reports more than ${MAX_REFUSED} series of pods that are not known on it: nothing of its page is used`,
      );
    }
  }

  #drop(reason: string): void {
    this.#dropped.set(reason, (this.#dropped.get(reason) ?? 0) + 1);
  }
}

/** Core-seconds per second are cores; two digits of a millicore are more than the kernel's own accounting has. */
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
