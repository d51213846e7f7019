import type { Instant } from '#kube/units';
import type { AccessAttributes } from './access/authorization.ts';
import type { FieldError } from './api-error.ts';
import type { ClusterAccess } from './cluster-access.ts';
import type { KubeObject } from './kube-object.ts';

export interface StrategyContext {
  readonly now: Instant;
  /** Read-only: a strategy never writes another object. */
  readonly cluster: Pick<ClusterAccess, 'get' | 'list'>;
  readonly user: string;
  readonly dryRun: boolean;
  /** Whether the user may do something else too. Absent for components, which may do everything. */
  readonly isAllowed?: (attributes: AccessAttributes) => boolean;
}

/**
 * Rules of one resource, in addition to its schema. The generic verbs call these in order: prepare (may change the draft), schema defaults
 * and validation, validate, admit. `subresource` is '' for the main resource, else `status`, `resize`, `scale`, `binding`.
 */
export interface ResourceStrategy {
  /** Sets what the server computes (phase, QoS class, ClusterIP, tolerations) and drops what a client may not set (status). */
  prepareForCreate?(draft: KubeObject, context: StrategyContext): void;
  /** Restores the parts that this subresource may not change. */
  prepareForUpdate?(draft: KubeObject, old: KubeObject, context: StrategyContext, subresource: string): void;
  validate?(object: KubeObject, old: KubeObject | null, context: StrategyContext, subresource: string): FieldError[];
  /** Quota, LimitRange and the like. Throws ApiStatusError. May still change the draft (LimitRange defaults) on create. */
  admit?(object: KubeObject, old: KubeObject | null, context: StrategyContext, subresource: string): void;
  /** Warnings for an accepted object, above all about features that the embedded cluster does not act on. */
  warnings?(object: KubeObject): readonly string[];
}

/** A verb on a subresource that is not a plain write (`pods/binding`, `pods/eviction`). Throws ApiStatusError; returns the body. */
export type SubresourceAction = (
  target: KubeObject,
  body: Record<string, unknown>,
  context: StrategyContext & { readonly cluster: ClusterAccess },
) => Record<string, unknown>;
