import type { RequestsAndLimits, ResourceName, Resources } from '#kube/records/resources';
import type { Ratio } from '#kube/units';
import { FIELD } from '../../model/container-values.ts';
import type { LimitPolicy } from '../../policy/policy-rules.ts';

/** Share of the largest node that a limit may reach; the rest is for the system, DaemonSets and other pods. */
const NODE_SHARE: Ratio = 0.8;

export interface LimitBoundInputs {
  readonly resource: ResourceName;
  /** The workload's ceiling, else the policy's `max`, in millicores or bytes; null: neither is set. */
  readonly maxRequest: number | null;
  readonly limit: LimitPolicy;
  /** Requests equal limits and stay equal, whatever ratio the policy has. */
  readonly guaranteed: boolean;
  /** Deployed values; undefined for a container that is not in the template. */
  readonly template: RequestsAndLimits | undefined;
  /** Allocatable of the largest node that the workload's pods ran on; null: no node is known. */
  readonly largestNode: Resources | null;
}

/**
 * Upper bound for raises of a limit, in bytes or millicores: the smaller of the maximum request × the container's ratio of limit to
 * request, and 80 % of the largest node. OOM kills and throttling always require more than the present limit, so a leak or a busy loop
 * would otherwise raise it without end. null: no bound.
 */
export function limitBound({ resource, maxRequest, limit, guaranteed, template, largestNode }: LimitBoundInputs): number | null {
  const bounds: number[] = [];
  if (maxRequest !== null) bounds.push(Math.floor(maxRequest * (guaranteed ? 1 : limitRatio(limit, template, resource))));
  if (largestNode !== null) bounds.push(mostOfNode(largestNode, resource));
  return bounds.length === 0 ? null : Math.min(...bounds);
}

/** The most that one container may have of the largest node, in bytes or millicores. */
export function mostOfNode(largestNode: Resources, resource: ResourceName): number {
  return Math.floor(largestNode[FIELD[resource]] * NODE_SHARE);
}

/** Ratio of limit to request by the policy, else as deployed; at least 1. */
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
