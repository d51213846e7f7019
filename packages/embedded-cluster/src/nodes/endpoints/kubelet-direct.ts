import type { NodeRecord } from '#kube/records/node';
import type { ContainerCounters, KubeletPages, ResourceMetrics } from '#kube/kubelet/kubelet-pages';
import { UntrustedKubelet } from '#kube/kubelet/untrusted-kubelet';
import type { KubeletEndpoints } from './kubelet-endpoints.ts';

/**
 * Kubelet pages for a controller in the same process, without HTTP. Usage pages are returned as values: printing and parsing their text
 * would cost more than the rest of a reading.
 */
export class KubeletDirect implements KubeletPages {
  /** The kubelets have self-signed certificates, as with kubeadm's defaults: their pages are refused. */
  selfSigned = false;
  readonly #endpoints: KubeletEndpoints;

  constructor(endpoints: KubeletEndpoints) {
    this.#endpoints = endpoints;
  }

  async resourceMetrics(node: NodeRecord): Promise<ResourceMetrics> {
    return this.#existing(node, this.#endpoints.resourceMetrics(node.name));
  }

  async statsSummary(node: NodeRecord): Promise<unknown> {
    return this.#existing(node, this.#endpoints.statsSummary(node.name));
  }

  async containerCounters(node: NodeRecord): Promise<readonly ContainerCounters[]> {
    return this.#existing(node, this.#endpoints.containerCounters(node.name));
  }

  /** @param path path with a leading slash. Throws an Error with node and path for any status other than 200. */
  get(node: string, path: string): string {
    const answer = this.#endpoints.get(node, path);
    if (answer === undefined) throw noSuchNode(node);
    if (answer.status === 200) return answer.body;
    throw new Error(`kubelet of node ${node}: ${path} answered HTTP ${answer.status}`);
  }

  #existing<T>(node: NodeRecord, page: T | undefined): T {
    if (page === undefined) throw noSuchNode(node.name);
    if (this.selfSigned) throw new UntrustedKubelet(`kubelet of node ${node.name}`, 'DEPTH_ZERO_SELF_SIGNED_CERT');
    return page;
  }
}

function noSuchNode(node: string): Error {
  return new Error(`kubelet of node ${node}: the node does not exist`);
}
