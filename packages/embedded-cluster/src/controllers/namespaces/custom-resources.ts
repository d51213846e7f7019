import type { ClusterAccess } from '../../api/cluster-access.ts';
import type { KubeObject } from '../../api/kube-object.ts';

/** One kind that a CustomResourceDefinition adds. */
export interface CustomResource {
  /** `recommendations.evenkeel.io` */
  readonly resource: string;
  readonly group: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** It has a scale subresource. */
  readonly scaled: boolean;
}

export const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

export function customResources(cluster: ClusterAccess): CustomResource[] {
  return cluster.list(DEFINITIONS).map(customResourceOf);
}

export function customResourceOf(definition: KubeObject): CustomResource {
  const spec = definition['spec'] as {
    group: string;
    scope?: string;
    names: { plural: string; kind: string };
    versions?: { subresources?: { scale?: object } }[];
  };
  return {
    resource: `${spec.names.plural}.${spec.group}`,
    group: spec.group,
    kind: spec.names.kind,
    namespaced: spec.scope !== 'Cluster',
    scaled: (spec.versions ?? []).some((version) => version.subresources?.scale !== undefined),
  };
}
