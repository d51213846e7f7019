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

  async resourceMetrics({ name }: Pick<NodeRecord, 'name'>): Promise<ResourceMetrics> {
    return this.#existing(name, this.#endpoints.resourceMetrics(name));
  }

  async statsSummary({ name }: Pick<NodeRecord, 'name'>): Promise<unknown> {
    return this.#existing(name, this.#endpoints.statsSummary(name));
  }

  async containerCounters({ name }: Pick<NodeRecord, 'name'>): Promise<readonly ContainerCounters[]> {
    return this.#existing(name, this.#endpoints.containerCounters(name));
  }

  /** @param path path with a leading slash. Throws an Error with node and path for any status other than 200. */
  get(node: string, path: string): string {
    const answer = this.#endpoints.get(node, path);
    if (answer === undefined) throw noSuchNode(node);
    if (answer.status === 200) return answer.body;
    throw new Error(`kubelet of node ${node}: ${path} answered HTTP ${answer.status}`);
  }

  #existing<T>(node: string, page: T | undefined): T {
    if (page === undefined) throw noSuchNode(node);
    if (this.selfSigned) throw new UntrustedKubelet(`kubelet of node ${node}`, 'DEPTH_ZERO_SELF_SIGNED_CERT');
    return page;
  }
}

function noSuchNode(node: string): Error {
  return new Error(`kubelet of node ${node}: the node does not exist`);
}
