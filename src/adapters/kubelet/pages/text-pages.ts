// Kubelet pages served as text over HTTP.

import type { NodeRecord } from '#kube/records/node';
import type { ContainerCounters, KubeletPages, PageBounds, ResourceMetrics } from '#kube/kubelet/kubelet-pages';
import { CadvisorPage } from './cadvisor-page.ts';
import type { KubeletAddress, KubeletFetcher } from '../kubelet-fetcher.ts';
import { collectColumns, columnMetrics, type MetricColumns } from './metric-columns.ts';
import type { PageName } from './page-bounds.ts';
import { pickSummaryFields } from './summary-fields.ts';

/** Parsed content of each page: plain data, which can be posted between threads. */
export interface ParsedPages {
  readonly metrics: MetricColumns;
  readonly summary: unknown;
  readonly counters: readonly ContainerCounters[];
}

/** Fetches and parses a page of a node's kubelet. Rejects like `KubeletPages`, and where the text is malformed. */
export interface PageReader {
  read<Page extends PageName>(page: Page, node: KubeletAddress, bounds: PageBounds, signal: AbortSignal): Promise<ParsedPages[Page]>;
}

/** Parses pages in the calling thread. */
export class InlinePageReader implements PageReader {
  readonly #fetcher: KubeletFetcher;

  constructor(fetcher: KubeletFetcher) {
    this.#fetcher = fetcher;
  }

  async read<Page extends PageName>(page: Page, node: KubeletAddress, bounds: PageBounds, signal: AbortSignal): Promise<ParsedPages[Page]>;
  async read(page: PageName, node: KubeletAddress, bounds: PageBounds, signal: AbortSignal): Promise<ParsedPages[PageName]> {
    const { maxBytes, maxContainers } = bounds;
    switch (page) {
      case 'metrics':
        return collectColumns(await this.#fetcher.get(node, '/metrics/resource', signal, maxBytes), bounds);
      case 'summary':
        return pickSummaryFields(JSON.parse(await this.#fetcher.get(node, '/stats/summary', signal, maxBytes)), bounds);
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

  constructor(reader: PageReader) {
    this.#reader = reader;
  }

  async resourceMetrics(node: NodeRecord, signal: AbortSignal, bounds: PageBounds): Promise<ResourceMetrics> {
    return columnMetrics(await this.#reader.read('metrics', node, bounds, signal));
  }

  statsSummary(node: NodeRecord, signal: AbortSignal, bounds: PageBounds): Promise<unknown> {
    return this.#reader.read('summary', node, bounds, signal);
  }

  containerCounters(node: NodeRecord, signal: AbortSignal, bounds: PageBounds): Promise<readonly ContainerCounters[]> {
    return this.#reader.read('counters', node, bounds, signal);
  }
}
