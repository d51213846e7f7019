import { workloadKey, type WorkloadRef } from '#kube/records/workload';
import type { ClusterAccess } from '../../api/cluster-access.ts';
import type { KubeObject, OwnerReference } from '../../api/kube-object.ts';
import { WorkloadLoad } from './workload-load.ts';

const RESOURCE_BY_KIND: Readonly<Record<string, string>> = {
  Deployment: 'deployments.apps',
  StatefulSet: 'statefulsets.apps',
  ReplicaSet: 'replicasets.apps',
  Job: 'jobs.batch',
};
/** Kinds whose pods have separate work. All other owners share a load over their pods. */
const UNSHARED_KINDS: ReadonlySet<string> = new Set(['DaemonSet', 'Job', 'CronJob', 'Pod']);

/** Finds the workload of a pod, and the load that its pods share. */
export class WorkloadLoads {
  readonly #cluster: Pick<ClusterAccess, 'get'>;
  readonly #loads = new Map<string, WorkloadLoad>();

  constructor(cluster: Pick<ClusterAccess, 'get'>) {
    this.#cluster = cluster;
  }

  of(pod: KubeObject): WorkloadLoad {
    const { ref, replicas } = this.#resolve(pod);
    const key = workloadKey(ref);
    let load = this.#loads.get(key);
    if (load === undefined) {
      load = new WorkloadLoad(ref, replicas, !UNSHARED_KINDS.has(ref.kind));
      this.#loads.set(key, load);
    }
    return load;
  }

  #resolve(pod: KubeObject): { readonly ref: WorkloadRef; readonly replicas: number } {
    const namespace = pod.metadata.namespace ?? '';
    let object: KubeObject | undefined = pod;
    let ref: WorkloadRef = { namespace, kind: 'Pod', name: pod.metadata.name };
    for (let owner = controllerOf(object); owner !== undefined; owner = controllerOf(object)) {
      ref = { namespace, kind: owner.kind, name: owner.name };
      const resource = RESOURCE_BY_KIND[owner.kind];
      object = resource === undefined ? undefined : this.#cluster.get(resource, namespace, owner.name);
    }
    const spec = object?.['spec'] as { readonly replicas?: number } | undefined;
    return { ref, replicas: spec?.replicas ?? 1 };
  }
}

function controllerOf(object: KubeObject | undefined): OwnerReference | undefined {
  return object?.metadata.ownerReferences?.find((owner) => owner.controller === true);
}
