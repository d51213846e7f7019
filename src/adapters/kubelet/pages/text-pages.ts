// Kubelet pages served as text over HTTP.

import type { NodeRecord } from '#kube/records/node';
import type { ContainerCounters, KubeletPages, PageBounds, ResourceMetrics } from '#kube/kubelet/kubelet-pages';
import { CadvisorPage } from './cadvisor-page.ts';
import type { KubeletAddress, KubeletFetcher } from '../kubelet-fetcher.ts';
import type { KnownIds } from './container-ids.ts';
import { ContainerLabels, MetricCollector, type MetricColumns } from './metric-columns.ts';
import type { PageName } from './page-bounds.ts';
import { pickSummaryFields } from './summary-fields.ts';

/** Parsed content of each page: plain data, which can be posted between threads. */
export interface ParsedPages {
  readonly metrics: MetricColumns;
  /** JSON text of the fields that are read: it is written, copied and parsed in a fraction of the time of a copy of its objects. */
  readonly summary: string;
  readonly counters: readonly ContainerCounters[];
}

/** Bounds of a page, and what its receiver knows of the containers. */
export interface PageQuery extends PageBounds {
  /** For `metrics`; absent or null: nothing. */
  readonly known?: KnownIds | null;
}

/** Fetches and parses a page of a node's kubelet. Rejects like `KubeletPages`, and where the text is malformed. */
export interface PageReader {
  read<Page extends PageName>(page: Page, node: KubeletAddress, query: PageQuery, signal: AbortSignal): Promise<ParsedPages[Page]>;
}

/** Parses pages in the calling thread. */
export class InlinePageReader implements PageReader {
  readonly #fetcher: KubeletFetcher;
  readonly #metrics: MetricCollector;

  constructor(fetcher: KubeletFetcher, metrics = new MetricCollector()) {
    this.#fetcher = fetcher;
    this.#metrics = metrics;
  }

  async read<Page extends PageName>(page: Page, node: KubeletAddress, query: PageQuery, signal: AbortSignal): Promise<ParsedPages[Page]>;
  async read(page: PageName, node: KubeletAddress, query: PageQuery, signal: AbortSignal): Promise<ParsedPages[PageName]> {
    const { maxBytes, maxContainers, known = null } = query;
    switch (page) {
      case 'metrics':
        return this.#metrics.collect(node.name, await this.#fetcher.get(node, '/metrics/resource', signal, maxBytes), query, known);
      case 'summary': {
        const bytes = await this.#fetcher.get(node, '/stats/summary', signal, maxBytes);
        return JSON.stringify(pickSummaryFields(JSON.parse(bytes.toString('utf8')), query));
      }
      case 'counters': {
        const counters = new CadvisorPage(maxContainers);
        await this.#fetcher.stream(node, '/metrics/cadvisor', (chunk) => counters.push(chunk), signal, maxBytes);
        return counters.end();
      }
    }
  }
}

/** KubeletPages over a PageReader. */
export class TextPages implements KubeletPages {
  readonly #reader: PageReader;
  readonly #labels = new ContainerLabels();

  constructor(reader: PageReader) {
    this.#reader = reader;
  }

  async resourceMetrics(node: NodeRecord, signal: AbortSignal, bounds: PageBounds): Promise<ResourceMetrics> {
    const columns = await this.#reader.read('metrics', node, { ...bounds, known: this.#labels.known(node.name) }, signal);
    return this.#labels.resolve(node.name, columns);
  }

  async statsSummary(node: NodeRecord, signal: AbortSignal, bounds: PageBounds): Promise<unknown> {
    return JSON.parse(await this.#reader.read('summary', node, bounds, signal));
  }

  containerCounters(node: NodeRecord, signal: AbortSignal, bounds: PageBounds): Promise<readonly ContainerCounters[]> {
    return this.#reader.read('counters', node, bounds, signal);
  }
}
