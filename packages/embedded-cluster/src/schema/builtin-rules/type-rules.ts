import type { StructuralSchema } from '../structural-schema.ts';

/**
 * Rules that Kubernetes' code adds to the published schema of one type: defaults, bounds, enums and required fields. Its OpenAPI documents
 * have none of these for built-in kinds.
 */
export interface TypeRules {
  /** Fields that are required although the published schema declares them optional. */
  readonly required?: readonly string[];
  readonly fields?: Readonly<Record<string, FieldRules>>;
}

export interface FieldRules extends Pick<StructuralSchema, 'default' | 'enum' | 'minimum' | 'maximum' | 'uniqueItems'> {
  /** The published default is not set, because Go omits the field with that value. */
  readonly isDefaultOmitted?: true;
  /** Rules of each item of a list. */
  readonly items?: Pick<StructuralSchema, 'enum'>;
}

/** Rules by schema name, without `io.k8s.api.`: `core.v1.Pod`. */
export type RulesByType = Readonly<Record<string, TypeRules>>;
