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
  /** `metadata.generation` increases with changes of the spec. */
  readonly hasGeneration: boolean;
  /** The generation also counts annotations. */
  readonly generationCountsAnnotations?: true;
  /** A PUT of a missing object creates it. */
  readonly createdByUpdate?: true;
  /** Name of the schema that describes it (built-in: `io.k8s.api.core.v1.Pod`); custom resources carry their own. */
  readonly schemaName: string;
  /** Dotted paths that field selectors support, besides metadata.name and metadata.namespace. */
  readonly fieldSelectors: readonly string[];
}

/** Name of a resource in code: `pods`, `deployments.apps`. */
export function resourceId(descriptor: Pick<ResourceDescriptor, 'group' | 'plural'>): string {
  return descriptor.group === '' ? descriptor.plural : `${descriptor.plural}.${descriptor.group}`;
}
