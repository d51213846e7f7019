import type { ClusterAccess } from '../../api/cluster-access.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ContainerName } from '../../usage/recording-files.ts';

/** Path of the pod template in each kind. */
const TEMPLATE_OWNERS: readonly (readonly [resource: string, path: readonly string[]])[] = [
  ['deployments.apps', ['spec', 'template', 'spec']],
  ['statefulsets.apps', ['spec', 'template', 'spec']],
  ['daemonsets.apps', ['spec', 'template', 'spec']],
  ['replicasets.apps', ['spec', 'template', 'spec']],
  ['jobs.batch', ['spec', 'template', 'spec']],
  ['cronjobs.batch', ['spec', 'jobTemplate', 'spec', 'template', 'spec']],
  ['pods', ['spec']],
];

interface PartialPodSpec {
  readonly containers?: readonly { readonly name: string }[];
  readonly initContainers?: readonly { readonly name: string; readonly restartPolicy?: string }[];
}

/** Every container of top-level workloads, including sidecars, to which recordings are assigned. */
export function templateContainers(cluster: Pick<ClusterAccess, 'list'>): readonly ContainerName[] {
  return TEMPLATE_OWNERS.flatMap(([resource, path]) =>
    cluster
      .list(resource)
      .filter((object) => object.metadata.ownerReferences?.some((owner) => owner.controller === true) !== true)
      .flatMap((object) => containersOf(object, path)),
  );
}

function containersOf(object: KubeObject, path: readonly string[]): ContainerName[] {
  let at: unknown = object;
  for (const step of path) at = (at as Readonly<Record<string, unknown>> | undefined)?.[step];
  const { containers = [], initContainers = [] } = (at ?? {}) as PartialPodSpec;
  const { namespace = '', name } = object.metadata;
  const sidecars = initContainers.filter((container) => container.restartPolicy === 'Always');
  return [...containers, ...sidecars].map((container) => ({ namespace, workload: name, container: container.name }));
}
