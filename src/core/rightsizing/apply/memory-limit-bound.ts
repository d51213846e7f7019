import type { RequestsAndLimits, Resources } from '../../model/resources.ts';
import type { Bytes, Ratio } from '../../model/units.ts';
import type { LimitPolicy } from '../policy/policy-rules.ts';

/** The rest of the largest node is for the system, DaemonSets and whatever else runs there. */
const NODE_SHARE: Ratio = 0.8;

export interface MemoryLimitBoundInputs {
  /** The workload's ceiling, else the policy's `max`; null: neither is set. */
  readonly maxRequest: Bytes | null;
  readonly limit: LimitPolicy;
  /** As deployed; undefined for a container that only the pods have. */
  readonly template: RequestsAndLimits | undefined;
  /** Allocatable; null: no node is known. */
  readonly largestNode: Resources | null;
}

/**
 * The most that a memory limit is raised to, whatever OOM kills ask for: each kill asks for more than the limit that it hit,
 * so that a leak or a loop of kills would otherwise have no end. The greatest allowed request times the container's own
 * ratio of limit to request, and 80 % of the largest node. null: nothing bounds it.
 */
export function memoryLimitBound({ maxRequest, limit, template, largestNode }: MemoryLimitBoundInputs): Bytes | null {
  const bounds: Bytes[] = [];
  if (maxRequest !== null) bounds.push(Math.floor(maxRequest * limitRatio(limit, template)));
  if (largestNode !== null) bounds.push(Math.floor(largestNode.memoryBytes * NODE_SHARE));
  return bounds.length === 0 ? null : Math.min(...bounds);
}

/** Limit ÷ request, at least 1. */
function limitRatio({ rule, ratio }: LimitPolicy, template: RequestsAndLimits | undefined): Ratio {
  if (rule === 'Ratio' && ratio !== null) return Math.max(1, ratio);
  const [request, limit] = [template?.requests.memoryBytes ?? null, template?.limits.memoryBytes ?? null];
  return request === null || limit === null || request <= 0 ? 1 : Math.max(1, limit / request);
}
