// The series of `/metrics/resource` as numbers, which are cheap to post between threads.

import type { PageBounds, ResourceMetrics, ResourceMetricsVisitor } from '#kube/kubelet/kubelet-pages';
import { PageTooLarge } from '../../../ports/usage/page-too-large.ts';
import type { Instant } from '#kube/units';
import { ByNode, ContainerIds, type KnownIds } from './container-ids.ts';
import { readSamples, SERIES } from './resource-metrics.ts';

/** A container has three series; a page that repeats them far more often is not a kubelet's. */
const SAMPLES_PER_CONTAINER = 8;
/** Values of a sample in `MetricColumns.samples`: its series and container, its value, and its time, or NaN. */
const WIDTH = 3;
/** More than there are series: the first value of a sample is the container's id times this, plus the series. */
const SERIES_RADIX = 8;

export interface MetricColumns {
  /** Time of receipt by the machine's clock, used for samples without a timestamp. */
  readonly receivedAtMs: number;
  /** Number of the table of ids. */
  readonly table: number;
  /** Id of the first of `added`; 0: the table is new. */
  readonly firstAdded: number;
  /** Labels of containers that the table did not have, in the order of their ids. */
  readonly added: readonly string[];
  /** `WIDTH` values for each sample, in the order of the page. */
  readonly samples: Float64Array<ArrayBuffer>;
}

/** Parses pages into columns, with ids of containers that stay the same from page to page of a node. */
export class MetricCollector {
  readonly #ids = new ByNode<ContainerIds>();
  #tables = 0;

  /**
   * @param known the ids that the receiver has; others than those of the last page start a new table
   * @throws PageTooLarge where the page has more containers or samples than the pods of its node account for
   */
  collect(node: string, page: Buffer, { maxContainers }: Pick<PageBounds, 'maxContainers'>, known: KnownIds | null): MetricColumns {
    const receivedAtMs = machineNowMs();
    const ids = this.#ids.find(node, receivedAtMs);
    const isKnown = ids !== undefined && !ids.isOutdated && ids.table === known?.table && ids.count === known.count;
    const columns = isKnown ? collectWith(ids, page, maxContainers) : null;
    if (columns !== null) return { receivedAtMs, ...columns };
    this.#tables += 1;
    const empty = new ContainerIds(this.#tables);
    const all = collectWith(empty, page, maxContainers);
    if (all === null) throw new PageTooLarge(`the page has more than ${maxContainers} containers`);
    this.#ids.set(node, empty, receivedAtMs);
    return { receivedAtMs, ...all };
  }
}

/** null where the ids do not suffice. */
function collectWith(ids: ContainerIds, page: Buffer, maxContainers: number): Omit<MetricColumns, 'receivedAtMs'> | null {
  const maxValues = SAMPLES_PER_CONTAINER * maxContainers * WIDTH;
  const firstAdded = ids.count;
  const samples: number[] = [];
  let refused = 0;
  ids.beginPage();
  readSamples(page, (series, labelsFrom, labelsTo, value, at) => {
    const id = labelsTo === 0 ? 0 : ids.idOf(page, labelsFrom, labelsTo, maxContainers);
    if (id === null) {
      refused += 1;
      return;
    }
    if (samples.length >= maxValues) throw new PageTooLarge(`the page has more than ${maxValues / WIDTH} samples of containers`);
    samples.push(id * SERIES_RADIX + series, value, at);
  });
  return refused > 0 ? null : { table: ids.table, firstAdded, added: ids.added, samples: Float64Array.from(samples) };
}

/** Receives columns, and has the labels of the ids. */
export class ContainerLabels {
  readonly #byNode = new ByNode<{ readonly table: number; readonly labels: string[] }>();

  /** What a reader of the node's pages is to know; null: nothing. */
  known(node: string): KnownIds | null {
    const known = this.#byNode.find(node, machineNowMs());
    return known === undefined ? null : { table: known.table, count: known.labels.length };
  }

  /** The columns of a node's page as ResourceMetrics, which visits each sample. @throws Error where the ids are not those of `known` */
  resolve(node: string, { receivedAtMs, table, firstAdded, added, samples }: MetricColumns): ResourceMetrics {
    let known = this.#byNode.find(node, receivedAtMs);
    if (firstAdded === 0) this.#byNode.set(node, (known = { table, labels: [] }), receivedAtMs);
    if (known?.table !== table || known.labels.length !== firstAdded) throw new Error(`the page of node ${node} has unknown container ids`);
    known.labels.push(...added);
    const { labels } = known;
    return { ageMs: Math.max(0, machineNowMs() - receivedAtMs), visit: (visitor) => visitSamples(samples, labels, visitor) };
  }
}

function visitSamples(samples: Float64Array, labels: readonly string[], visitor: ResourceMetricsVisitor): void {
  for (let row = 0; row < samples.length; row += WIDTH) {
    const [code = 0, value = NaN, time = NaN] = [samples[row], samples[row + 1], samples[row + 2]];
    const at: Instant | null = Number.isNaN(time) ? null : time;
    const of = labels[Math.floor(code / SERIES_RADIX)] ?? '';
    const series = code % SERIES_RADIX;
    if (series === SERIES.containerCpu) visitor.containerCpuSeconds(of, value, at);
    else if (series === SERIES.containerMemory) visitor.containerMemoryBytes(of, value, at);
    else if (series === SERIES.containerStart) visitor.containerStart(of, value);
    else if (series === SERIES.nodeCpu) visitor.nodeCpuSeconds(value, at);
    else if (series === SERIES.nodeMemory) visitor.nodeMemoryBytes(value, at);
  }
}

/** Milliseconds since the epoch, the same in all threads of the process. */
function machineNowMs(): number {
  return performance.timeOrigin + performance.now();
}
