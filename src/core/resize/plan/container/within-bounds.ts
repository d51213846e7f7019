// Bounds values that come from the past, such as those of a roll-back: the floor or the ceiling may have been set since.

import { formatAmount } from '#kube/quantity';
import type { OptionalResources, RequestsAndLimits, ResourceName, Resources } from '#kube/records/resources';
import { FIELD, RESOURCES, withAmount, type Values } from '../../model/container-values.ts';
import { requestBounds } from '../../policy/container-rules.ts';
import type { PolicyRules } from '../../policy/policy-rules.ts';
import type { WorkloadOverrides } from '../../policy/workload-overrides.ts';
import { mostOfNode } from './limit-bound.ts';

/** Bounded values, and a message about each amount that differs. */
export interface BoundedValues {
  readonly values: Values;
  /** For example `cpu of main 300m instead of 200m, by its floor`. */
  readonly messages: readonly string[];
}

/** How a message names the source of a bound; other sources are no user's bounds. */
const SOURCES: Readonly<Record<string, string>> = { floor: 'by its floor', ceiling: 'by its ceiling', policy: "by the policy's min" };

/** What bounds values. */
export interface ValueBounds {
  readonly policy: PolicyRules;
  readonly overrides: WorkloadOverrides;
  /** Allocatable of the largest node that the workload's pods ran on; null: no node is known. */
  readonly largestNode: Resources | null;
}

/**
 * Raises requests below a floor or `min`, as far as the largest node allows, and lowers those above a ceiling. The policy's `max` lowers
 * none: the reduction to it may be what does harm. A limit equal to its request stays equal, and none is below it.
 */
export function withinBounds(values: Values, bounds: ValueBounds): BoundedValues {
  const messages: string[] = [];
  const bounded = [...values].map(([name, amounts]): [string, RequestsAndLimits] => {
    let next = amounts;
    for (const resource of RESOURCES) {
      const request = amounts.requests[FIELD[resource]];
      const bound = request === null ? null : boundOf(request, resource, bounds, name);
      if (request === null || bound === null) continue;
      next = withRequest(next, resource, bound.value);
      messages.push(
        `${resource} of ${name} ${formatAmount(resource, bound.value)} instead of ${formatAmount(resource, request)}, ${bound.text}`,
      );
    }
    return [name, next];
  });
  return { values: new Map(bounded), messages };
}

/** The bound that an amount breaks; null: none. */
function boundOf(
  request: number,
  resource: ResourceName,
  { policy, overrides, largestNode }: ValueBounds,
  container: string,
): { readonly value: number; readonly text: string } | null {
  const { min, max } = requestBounds(resource, policy, overrides, container, null);
  const isAboveMax = max !== null && request > max.value && max.source === 'ceiling';
  const broken = request < min.value ? min : isAboveMax ? max : null;
  const text = broken === null ? undefined : SOURCES[broken.source];
  if (broken === null || text === undefined) return null;
  // A pod that fits no node would never start.
  const most = largestNode === null ? Infinity : mostOfNode(largestNode, resource);
  if (broken.value <= request || broken.value <= most) return { value: broken.value, text };
  return request >= most ? null : { value: most, text: `${text} and the largest node` };
}

function withRequest({ requests, limits }: RequestsAndLimits, resource: ResourceName, request: number): RequestsAndLimits {
  const [before, limit] = [requests[FIELD[resource]], limits[FIELD[resource]]];
  const isEqual = limit !== null && limit === before;
  const nextLimits: OptionalResources =
    limit === null ? limits : withAmount(limits, resource, isEqual ? request : Math.max(limit, request));
  return { requests: withAmount(requests, resource, request), limits: nextLimits };
}
