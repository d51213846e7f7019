/** A served resource, as data. Everything generic in the API server is driven by these. */
export interface ResourceDescriptor {
  /** `` for core. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** `status`, `scale`, `binding`, `eviction`, `resize`, `log`, `proxy`, `token`, … */
  readonly subresources: readonly string[];
  /** `metadata.generation` moves with the spec. */
  readonly hasGeneration: boolean;
  /** It counts annotations, too. */
  readonly generationCountsAnnotations?: true;
  /** A PUT of what is not there creates it. */
  readonly createdByUpdate?: true;
  /** Name of the schema that describes it (built-in: `io.k8s.api.core.v1.Pod`); custom resources carry their own. */
  readonly schemaName: string;
  /** Dotted paths that may stand in a field selector, besides metadata.name and metadata.namespace. */
  readonly fieldSelectors: readonly string[];
}

/** `pods`, `deployments.apps`: how code names a resource. */
export function resourceId(descriptor: Pick<ResourceDescriptor, 'group' | 'plural'>): string {
  return descriptor.group === '' ? descriptor.plural : `${descriptor.plural}.${descriptor.group}`;
}
