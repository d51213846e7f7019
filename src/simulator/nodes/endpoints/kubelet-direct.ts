import type { NodeRecord } from '../../../core/model/node.ts';
import type { KubeletPages, ResourceMetrics } from '../../../ports/kubelet-pages.ts';
import type { KubeletEndpoints } from './kubelet-endpoints.ts';

/**
 * A kubelet's pages without a network: how a controller in the same process reads usage at full speed. The two pages
 * that it reads every minute come as what they say; printing and parsing their text would cost more than the rest.
 */
export class KubeletDirect implements KubeletPages {
  readonly #endpoints: KubeletEndpoints;

  constructor(endpoints: KubeletEndpoints) {
    this.#endpoints = endpoints;
  }

  async resourceMetrics(node: NodeRecord): Promise<ResourceMetrics> {
    const endpoints = this.#endpoints;
    return {
      visit(visitor) {
        if (!endpoints.visitResourceMetrics(node.name, visitor)) throw noSuchNode(node.name);
      },
    };
  }

  async statsSummary(node: NodeRecord): Promise<unknown> {
    const summary = this.#endpoints.statsSummary(node.name);
    if (summary === undefined) throw noSuchNode(node.name);
    return summary;
  }

  /** @param path with a slash in front. Throws an Error that names node and path for any answer but 200. */
  get(node: string, path: string): string {
    const answer = this.#endpoints.get(node, path);
    if (answer === undefined) throw noSuchNode(node);
    if (answer.status === 200) return answer.body;
    throw new Error(`kubelet of node ${node}: ${path} answered HTTP ${answer.status}`);
  }
}

function noSuchNode(node: string): Error {
  return new Error(`kubelet of node ${node}: there is no such node`);
}
