/** A CustomResourceDefinition with a scale subresource, whose objects may have any fields. */
export function aScalableDefinition({
  group,
  kind,
  plural,
  version = 'v1',
  scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
}: {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly version?: string;
  readonly scale?: object;
}): object {
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      scope: 'Namespaced',
      versions: [{ name: version, served: true, storage: true, schema, subresources: { status: {}, scale } }],
    },
  };
}
