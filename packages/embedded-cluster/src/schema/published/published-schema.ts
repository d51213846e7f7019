/** A schema in Kubernetes' OpenAPI v3 documents. References are `#/components/schemas/<name>`. */
export interface PublishedSchema {
  readonly description?: string;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly properties?: Readonly<Record<string, PublishedSchema>>;
  readonly required?: readonly string[];
  readonly items?: PublishedSchema;
  /** `true` in custom resources only. */
  readonly additionalProperties?: PublishedSchema | boolean;
  readonly $ref?: string;
  /** A single reference, which allows a description or a default next to it. */
  readonly allOf?: readonly PublishedSchema[];
  readonly oneOf?: readonly PublishedSchema[];
  readonly default?: unknown;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'granular' | 'atomic';
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Prefix of a reference to a named schema. */
export const COMPONENTS = '#/components/schemas/';

/** Name of the referenced schema, also in `allOf`; undefined without a reference. */
export function referredName(schema: PublishedSchema): string | undefined {
  return (schema.$ref ?? schema.allOf?.[0]?.$ref)?.slice(COMPONENTS.length);
}
