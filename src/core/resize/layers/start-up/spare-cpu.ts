import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import type { RequestsAndLimits } from '#kube/records/resources';
import type { Millicores } from '#kube/units';
import type { WorkloadSituation } from '../../model/situation.ts';
import { cpuLeftByQuotas } from './boosted-cpu.ts';

/** Free CPU of nodes and quotas, which each boost reduces. */
export class SpareCpu {
  readonly #free: Map<string, Millicores>;
  #request: Millicores;
  #limit: Millicores;

  constructor({ freeOnNodes, quotas }: WorkloadSituation) {
    this.#free = new Map([...freeOnNodes].map(([node, { cpuMillicores }]) => [node, cpuMillicores]));
    const left = cpuLeftByQuotas(quotas);
    this.#request = left.request;
    this.#limit = left.limit;
  }

  /** CPU that a container may have above `base`: its present CPU above it, plus free CPU. */
  of({ node }: PodRecord, { requests, limits }: ContainerRecord, base: RequestsAndLimits): { request: Millicores; limit: Millicores } {
    const free = this.#free.get(node ?? '') ?? Infinity;
    const above = (has: Millicores | null, without: Millicores | null): Millicores => Math.max(0, (has ?? 0) - (without ?? 0));
    return {
      request: Math.max(0, Math.min(free, this.#request)) + above(requests.cpuMillicores, base.requests.cpuMillicores),
      limit: Math.max(0, this.#limit) + above(limits.cpuMillicores, base.limits.cpuMillicores),
    };
  }

  take({ node }: PodRecord, { requests, limits }: ContainerRecord, to: RequestsAndLimits | undefined): void {
    if (to === undefined) return;
    const more = Math.max(0, (to.requests.cpuMillicores ?? 0) - (requests.cpuMillicores ?? 0));
    this.#request -= more;
    this.#limit -= Math.max(0, (to.limits.cpuMillicores ?? 0) - (limits.cpuMillicores ?? 0));
    const free = this.#free.get(node ?? '');
    if (free !== undefined) this.#free.set(node ?? '', free - more);
  }
}
