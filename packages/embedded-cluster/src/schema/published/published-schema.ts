/** A schema as Kubernetes' OpenAPI v3 documents have it. References are `#/components/schemas/<name>`. */
export interface PublishedSchema {
  readonly description?: string;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly properties?: Readonly<Record<string, PublishedSchema>>;
  readonly required?: readonly string[];
  readonly items?: PublishedSchema;
  /** `true` in custom resources alone. */
  readonly additionalProperties?: PublishedSchema | boolean;
  readonly $ref?: string;
  /** One reference, beside which a field has a description or a default. */
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

/** What a reference to a named schema begins with. */
export const COMPONENTS = '#/components/schemas/';

/** The name that a schema refers to, by itself or beside other facts of a field; undefined where it refers to none. */
export function referredName(schema: PublishedSchema): string | undefined {
  return (schema.$ref ?? schema.allOf?.[0]?.$ref)?.slice(COMPONENTS.length);
}
