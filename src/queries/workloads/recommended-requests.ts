import type { OptionalResources } from '#kube/records/resources';
import { UNSET_RESOURCES } from '#kube/records/resources';
import type { WorkloadKey } from '#kube/records/workload';
import { readQuantities } from '../../core/recommendations/quantities.ts';
import type { ReadSources } from '../sources.ts';

type ByContainer = ReadonlyMap<string, OptionalResources>;

/** Recommended requests by workload and container, read once per workload during one pass over the pods. */
export class RecommendedRequests {
  readonly #sources: Pick<ReadSources, 'cluster' | 'decisions'>;
  readonly #byWorkload = new Map<WorkloadKey, ByContainer>();

  constructor(sources: Pick<ReadSources, 'cluster' | 'decisions'>) {
    this.#sources = sources;
  }

  /** null per resource without a recommendation. */
  of(key: WorkloadKey | null, container: string): OptionalResources {
    if (key === null) return UNSET_RESOURCES;
    let byContainer = this.#byWorkload.get(key);
    if (byContainer === undefined) this.#byWorkload.set(key, (byContainer = this.#read(key)));
    return byContainer.get(container) ?? UNSET_RESOURCES;
  }

  #read(key: WorkloadKey): ByContainer {
    const { cluster, decisions } = this.#sources;
    const status = cluster.findRecommendation(key)?.status ?? decisions.unpublished(key);
    return new Map((status?.containers ?? []).map(({ name, recommended }) => [name, readQuantities(recommended?.requests)]));
  }
}
