import type { ReportFault } from '#kube/records/pod';
import { NumberRows } from '#kube/number-rows';
import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { ContainerRef, ContainerUsage, NodeUsage } from '#kube/records/usage';
import type { ResourceMetrics, ResourceMetricsVisitor } from '#kube/kubelet/kubelet-pages';
import type { UsageReading } from '../../../ports/usage/usage-source.ts';
import type { ContainerRss } from './stats-summary.ts';
import { readLabels } from './resource-metrics.ts';

/** Usage of a node from one reading, with the number of dropped samples by reason. */
export interface NodeReading extends UsageReading {
  readonly dropped: ReadonlyMap<string, number>;
}

/** Columns of a counter's row. */
const STARTED_AT = 0;
const CPU_SECONDS = 1;
const CPU_AT = 2;
const NEW_CPU_SECONDS = 3;
const NEW_CPU_AT = 4;
const MEMORY_BYTES = 5;
const MEMORY_AT = 6;
const RSS_BYTES = 7;
const RSS_AT = 8;
const SEEN_IN_ROUND = 9;
const WIDTH = 10;
/** A node has some tens of containers. */
const ROWS_PER_CHUNK = 16;

/** The cumulative counters of one container, or of the node (without names), in a row of numbers. One object with the names saves 50 bytes. */
class Counter implements ContainerRef {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly #rows: NumberRows;
  readonly #row: number;

  constructor({ namespace, pod, container }: ContainerRef, rows: NumberRows) {
    this.namespace = namespace;
    this.pod = pod;
    this.container = container;
    this.#rows = rows;
    this.#row = rows.add();
  }

  /** Start of its counters; null: not reported. */
  get startedAt(): Instant | null {
    return this.#rows.get(this.#row, STARTED_AT);
  }

  set startedAt(at: Instant | null) {
    this.#rows.set(this.#row, STARTED_AT, at);
  }

  /** The previous value; null: none. */
  get cpu(): Reading | null {
    return this.#read(CPU_SECONDS, CPU_AT);
  }

  set cpu(reading: Reading | null) {
    this.#write(CPU_SECONDS, CPU_AT, reading);
  }

  /** The value of the current reading; null: absent. */
  get newCpu(): Reading | null {
    return this.#read(NEW_CPU_SECONDS, NEW_CPU_AT);
  }

  set newCpu(reading: Reading | null) {
    this.#write(NEW_CPU_SECONDS, NEW_CPU_AT, reading);
  }

  get memory(): Reading | null {
    return this.#read(MEMORY_BYTES, MEMORY_AT);
  }

  set memory(reading: Reading | null) {
    this.#write(MEMORY_BYTES, MEMORY_AT, reading);
  }

  /** From `/stats/summary`, which is read less often. */
  get rss(): Reading | null {
    return this.#read(RSS_BYTES, RSS_AT);
  }

  set rss(reading: Reading | null) {
    this.#write(RSS_BYTES, RSS_AT, reading);
  }

  /** Number of the last reading that had it. */
  get seenInRound(): number {
    return this.#rows.get(this.#row, SEEN_IN_ROUND) ?? 0;
  }

  set seenInRound(round: number) {
    this.#rows.set(this.#row, SEEN_IN_ROUND, round);
  }

  /** Frees its row. */
  delete(): void {
    this.#rows.delete(this.#row);
  }

  #read(value: number, at: number): Reading | null {
    const read = this.#rows.get(this.#row, value);
    return read === null ? null : { value: read, at: this.#rows.get(this.#row, at) ?? 0 };
  }

  #write(value: number, at: number, reading: Reading | null): void {
    this.#rows.set(this.#row, value, reading?.value ?? null);
    this.#rows.set(this.#row, at, reading?.at ?? null);
  }
}

interface Reading {
  readonly value: number;
  readonly at: Instant;
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

/**
 * The names of a container by the record of its pod, or why reports about the pod are dropped. Names of a record, because those of a page are
 * parts of its text.
 */
export type FindNames = (reported: ContainerRef) => ContainerRef | ReportFault;

/** Converts the cumulative counters of one node into usage since the previous reading. */
export class NodeCounters implements ResourceMetricsVisitor {
  readonly #node: string;
  /** Maximum span of a rate: a longer mean would hide peaks. */
  readonly #maxGapMs: DurationMs;
  readonly #findNames: FindNames;
  /** By label text, which is the same in every reading, so that it is parsed once. */
  readonly #containers = new Map<string, Counter>();
  readonly #rows = new NumberRows(WIDTH, ROWS_PER_CHUNK);
  readonly #nodeCounter = new Counter({ namespace: '', pod: '', container: '' }, this.#rows);
  #round = 0;
  #now: Instant = 0;
  #dropped = new Map<string, number>();
  #refused = 0;

  /** @param findNames nothing is stored about a container for which it returns a fault */
  constructor(node: string, maxGapMs: DurationMs, findNames: FindNames) {
    this.#node = node;
    this.#maxGapMs = maxGapMs;
    this.#findNames = findNames;
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
        if (this.#round - counter.seenInRound > FORGET_AFTER_ROUNDS) this.#forget(key, counter);
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
      const bytes = byContainer.get(keyOf(counter));
      if (bytes === undefined || bytes < 0) continue;
      counter.rss = { value: bytes, at };
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
    const names = this.#containers.size < MAX_CONTAINERS ? this.#findNames(read) : 'unknown-container';
    if (typeof names === 'string') {
      this.#refuse(names);
      return undefined;
    }
    const counter = new Counter(names, this.#rows);
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
    counter.newCpu = { value, at: at ?? this.#now };
  }

  #takeMemory(counter: Counter | undefined, value: number, at: Instant | null): void {
    if (counter === undefined) return;
    const fault = Number.isNaN(value) ? 'nan' : value < 0 ? 'negative' : null;
    if (fault !== null) {
      this.#drop(fault);
      return;
    }
    counter.seenInRound = this.#round;
    counter.memory = { value, at: at ?? this.#now };
  }

  #containerUsage(counter: Counter): ContainerUsage | null {
    const sample = this.#sample(counter);
    if (sample === null) return null;
    const { namespace, pod, container } = counter;
    const { at, cpuMillicores, memoryBytes } = sample;
    const usage = { namespace, pod, container, at, cpuMillicores, memoryBytes };
    const { rss } = counter;
    const isFresh = rss !== null && this.#now - rss.at <= RSS_VALID_MS && memoryBytes !== null;
    return isFresh ? { ...usage, memoryRssBytes: rss.value } : usage;
  }

  #nodeUsage(): NodeUsage | null {
    const sample = this.#nodeCounter.seenInRound === this.#round ? this.#sample(this.#nodeCounter) : null;
    return sample === null ? null : { node: this.#node, ...sample };
  }

  /** null where the page has no memory and no CPU rate: the kubelet repeated its last CPU sample, or there is no previous one. */
  #sample(counter: Counter): { at: Instant; cpuMillicores: number | null; memoryBytes: number | null } | null {
    const { memory } = counter;
    const at = Math.max(counter.newCpu?.at ?? 0, memory?.at ?? 0);
    const cpuMillicores = this.#rate(counter);
    const memoryBytes = memory?.value ?? null;
    counter.memory = null;
    return cpuMillicores === null && memoryBytes === null ? null : { at, cpuMillicores, memoryBytes };
  }

  // null after a gap, and for a first or decreased value unless the container has just started. Then its whole counter is usage since the
  // start, so that containers living for one or two readings are measured.
  #rate(counter: Counter): number | null {
    const { cpu: before, newCpu: now } = counter;
    if (now === null) return null;
    counter.newCpu = null;
    const elapsedMs = before === null ? 0 : now.at - before.at;
    // The same timestamp is a repeated sample. An earlier one comes from a clock that was set back: the next rate is measured from it.
    if (before !== null && elapsedMs === 0) return null;
    counter.cpu = now;
    if (before !== null && elapsedMs < 0) {
      this.#drop('out-of-order');
      return null;
    }
    if (before === null || now.value < before.value) return this.#rateSinceStart(counter.startedAt, now, before?.at ?? 0);
    if (elapsedMs > this.#maxGapMs) {
      this.#drop('gap');
      return null;
    }
    return millicores(now.value - before.value, elapsedMs);
  }

  #rateSinceStart(startedAt: Instant | null, now: Reading, before: Instant): number | null {
    if (startedAt === null) return null;
    const elapsedMs = now.at - startedAt;
    const startedSince = startedAt > before && elapsedMs >= MIN_SINCE_START_MS && elapsedMs <= this.#maxGapMs;
    return startedSince ? millicores(now.value, elapsedMs) : null;
  }

  #forget(key: string, counter: Counter): void {
    this.#containers.delete(key);
    counter.delete();
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
