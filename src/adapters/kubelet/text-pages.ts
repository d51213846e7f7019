import type { NodeRecord } from '../../core/model/node.ts';
import type { ContainerCounters, KubeletPages, ResourceMetrics } from '../../ports/kubelet-pages.ts';
import { CadvisorPage } from './cadvisor-page.ts';
import type { KubeletFetcher } from './kubelet-fetcher.ts';
import { readResourceMetrics } from './resource-metrics.ts';

/** Kubelet pages as kubelets serve them: text over HTTP. */
export class TextPages implements KubeletPages {
  readonly #fetcher: KubeletFetcher;

  constructor(fetcher: KubeletFetcher) {
    this.#fetcher = fetcher;
  }

  async resourceMetrics(node: NodeRecord, signal: AbortSignal, maxBytes: number): Promise<ResourceMetrics> {
    return textMetrics(await this.#fetcher.get(node, '/metrics/resource', signal, maxBytes));
  }

  /** Rejects also where the text is not JSON. */
  async statsSummary(node: NodeRecord, signal: AbortSignal, maxBytes: number): Promise<unknown> {
    return JSON.parse(await this.#fetcher.get(node, '/stats/summary', signal, maxBytes));
  }

  async containerCounters(node: NodeRecord, signal: AbortSignal, maxBytes: number): Promise<readonly ContainerCounters[]> {
    const page = new CadvisorPage();
    await this.#fetcher.stream(node, '/metrics/cadvisor', (chunk) => page.push(chunk), signal, maxBytes);
    return page.end();
  }
}

/** A page's text as its series. */
export function textMetrics(text: string): ResourceMetrics {
  return { visit: (visitor) => readResourceMetrics(text, visitor) };
}
