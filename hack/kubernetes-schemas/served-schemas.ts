import { BUILT_IN_RESOURCES } from '#embedded-cluster/api/resources/descriptors';

/** Bodies of subresources. */
const SUBRESOURCE_BODIES = [
  'io.k8s.api.authentication.v1.TokenRequest',
  'io.k8s.api.autoscaling.v1.Scale',
  'io.k8s.api.core.v1.Binding',
  'io.k8s.api.policy.v1.Eviction',
];
/** Custom resources have them, too. */
const METADATA = ['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta'];

/** Kinds that the embedded API server serves, and their lists. The metrics API is a server of its own: k8s.io/kubernetes has no document of it. */
export function servedSchemas(): string[] {
  const kinds = BUILT_IN_RESOURCES.filter(({ group }) => group !== 'metrics.k8s.io').flatMap(({ schemaName, verbs }) =>
    verbs.includes('list') ? [schemaName, `${schemaName}List`] : [schemaName],
  );
  return [...kinds, ...SUBRESOURCE_BODIES, ...METADATA];
}
