import type { RequestsAndLimits, ResourceName, Resources } from '#kube/records/resources';
import type { Ratio } from '#kube/units';
import { FIELD } from '../model/container-values.ts';
import type { LimitPolicy } from '../policy/policy-rules.ts';

/** The rest of the largest node is for the system, DaemonSets and whatever else runs there. */
const NODE_SHARE: Ratio = 0.8;

export interface LimitBoundInputs {
  readonly resource: ResourceName;
  /** The workload's ceiling, else the policy's `max`; null: neither is set. */
  readonly maxRequest: number | null;
  readonly limit: LimitPolicy;
  /** Requests equal limits and stay so, whatever ratio the policy asks for. */
  readonly guaranteed: boolean;
  /** As deployed; undefined for a container that only the pods have. */
  readonly template: RequestsAndLimits | undefined;
  /** Allocatable of the largest node that the workload's pods ran on; null: no node is known. */
  readonly largestNode: Resources | null;
}

/**
 * The most that a limit is raised to, in bytes or millicores, whatever OOM kills or throttling ask for: each of them asks for more
 * than the limit that was hit, so that a leak, a loop of kills or a busy loop would otherwise have no end. The greatest allowed
 * request times the container's own ratio of limit to request, and 80 % of the largest node. null: nothing bounds it.
 */
export function limitBound({ resource, maxRequest, limit, guaranteed, template, largestNode }: LimitBoundInputs): number | null {
  const bounds: number[] = [];
  if (maxRequest !== null) bounds.push(Math.floor(maxRequest * (guaranteed ? 1 : limitRatio(limit, template, resource))));
  if (largestNode !== null) bounds.push(Math.floor(largestNode[FIELD[resource]] * NODE_SHARE));
  return bounds.length === 0 ? null : Math.min(...bounds);
}

/** Limit ÷ request, at least 1. */
export function limitRatio(
  { rule, ratio }: LimitPolicy,
  template: RequestsAndLimits | undefined,
  resource: ResourceName = 'memory',
): Ratio {
  if (rule === 'Ratio' && ratio !== null) return Math.max(1, ratio);
  const field = FIELD[resource];
  const [request, limit] = [template?.requests[field] ?? null, template?.limits[field] ?? null];
  return request === null || limit === null || request <= 0 ? 1 : Math.max(1, limit / request);
}
