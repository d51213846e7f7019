import type { StructuralSchema } from '../structural-schema.ts';

/**
 * What Kubernetes' code adds to the published schema of one type: defaults, bounds, choices and fields that must be given. Its
 * OpenAPI documents have none of these for built-in kinds.
 */
export interface TypeRules {
  /** Fields that must be given although the published schema takes the type without them. */
  readonly required?: readonly string[];
  readonly fields?: Readonly<Record<string, FieldRules>>;
}

export interface FieldRules extends Pick<StructuralSchema, 'default' | 'enum' | 'minimum' | 'maximum' | 'uniqueItems'> {
  /** The published default is not written: Go leaves the field out where it has that value. */
  readonly isDefaultOmitted?: true;
  /** Of each item of a list. */
  readonly items?: Pick<StructuralSchema, 'enum'>;
}

/** By schema name, without `io.k8s.api.`: `core.v1.Pod`. */
export type RulesByType = Readonly<Record<string, TypeRules>>;
