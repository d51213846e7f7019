// The series of `/metrics/resource` as columns, which are cheap to post between threads.

import type { PageBounds, ResourceMetrics, ResourceMetricsVisitor } from '#kube/kubelet/kubelet-pages';
import { PageTooLarge } from '../../../ports/usage/page-too-large.ts';
import type { Instant } from '#kube/units';
import { readResourceMetrics } from './resource-metrics.ts';

const SERIES = { containerCpu: 0, containerMemory: 1, containerStart: 2, nodeCpu: 3, nodeMemory: 4 } as const;
/** A container has three series; a page that repeats them far more often is not a kubelet's. */
const SAMPLES_PER_CONTAINER = 8;

/** One row per sample, in the order of the page. */
export interface MetricColumns {
  /** Time of receipt by the machine's clock, used for samples without a timestamp. */
  readonly receivedAtMs: number;
  /** Distinct label texts of containers. */
  readonly labels: readonly string[];
  /** A value of `SERIES`. */
  readonly series: Uint8Array<ArrayBuffer>;
  /** Index into `labels`; 0 for series of the node. */
  readonly container: Uint32Array<ArrayBuffer>;
  readonly value: Float64Array<ArrayBuffer>;
  /** NaN: the sample has no time. */
  readonly at: Float64Array<ArrayBuffer>;
}

/** Parses a page into columns. @throws PageTooLarge where it has more containers or samples than the pods of its node account for */
export function collectColumns(text: string, { maxContainers }: Pick<PageBounds, 'maxContainers'>): MetricColumns {
  const receivedAtMs = machineNowMs();
  const collector = new Collector(maxContainers);
  readResourceMetrics(text, collector);
  return { receivedAtMs, ...collector.columns() };
}

/** Milliseconds since the epoch, the same in all threads of the process. */
function machineNowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** The columns as ResourceMetrics, which visits each row. */
export function columnMetrics({ receivedAtMs, labels, series, container, value, at }: MetricColumns): ResourceMetrics {
  return {
    ageMs: Math.max(0, machineNowMs() - receivedAtMs),
    visit: (visitor) => {
      for (let row = 0; row < series.length; row += 1) {
        const [of, sample, time] = [labels[container[row] ?? 0] ?? '', value[row] ?? NaN, at[row] ?? NaN];
        visitRow(visitor, series[row], of, sample, Number.isNaN(time) ? null : time);
      }
    },
  };
}

function visitRow(visitor: ResourceMetricsVisitor, series: number | undefined, labels: string, value: number, at: Instant | null): void {
  if (series === SERIES.containerCpu) visitor.containerCpuSeconds(labels, value, at);
  else if (series === SERIES.containerMemory) visitor.containerMemoryBytes(labels, value, at);
  else if (series === SERIES.containerStart) visitor.containerStart(labels, value);
  else if (series === SERIES.nodeCpu) visitor.nodeCpuSeconds(value, at);
  else if (series === SERIES.nodeMemory) visitor.nodeMemoryBytes(value, at);
}

class Collector implements ResourceMetricsVisitor {
  readonly #maxContainers: number;
  readonly #indices = new Map<string, number>();
  readonly #series: number[] = [];
  readonly #container: number[] = [];
  readonly #value: number[] = [];
  readonly #at: number[] = [];

  constructor(maxContainers: number) {
    this.#maxContainers = maxContainers;
  }

  columns(): Omit<MetricColumns, 'receivedAtMs'> {
    return {
      labels: [...this.#indices.keys()],
      series: Uint8Array.from(this.#series),
      container: Uint32Array.from(this.#container),
      value: Float64Array.from(this.#value),
      at: Float64Array.from(this.#at),
    };
  }

  containerCpuSeconds(labels: string, value: number, at: Instant | null): void {
    this.#add(SERIES.containerCpu, this.#indexOf(labels), value, at);
  }

  containerMemoryBytes(labels: string, value: number, at: Instant | null): void {
    this.#add(SERIES.containerMemory, this.#indexOf(labels), value, at);
  }

  containerStart(labels: string, startedAt: Instant): void {
    this.#add(SERIES.containerStart, this.#indexOf(labels), startedAt, null);
  }

  nodeCpuSeconds(value: number, at: Instant | null): void {
    this.#add(SERIES.nodeCpu, 0, value, at);
  }

  nodeMemoryBytes(value: number, at: Instant | null): void {
    this.#add(SERIES.nodeMemory, 0, value, at);
  }

  #indexOf(labels: string): number {
    const known = this.#indices.get(labels);
    if (known !== undefined) return known;
    if (this.#indices.size >= this.#maxContainers) throw new PageTooLarge(`the page has more than ${this.#maxContainers} containers`);
    const index = this.#indices.size;
    this.#indices.set(labels, index);
    return index;
  }

  #add(series: number, container: number, value: number, at: Instant | null): void {
    const maxSamples = SAMPLES_PER_CONTAINER * this.#maxContainers;
    if (this.#series.length >= maxSamples) throw new PageTooLarge(`the page has more than ${maxSamples} samples of containers`);
    this.#series.push(series);
    this.#container.push(container);
    this.#value.push(value);
    this.#at.push(at ?? NaN);
  }
}
