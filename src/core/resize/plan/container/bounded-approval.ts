// Bounds approved values: a floor, a ceiling or a policy's bound may have been set since, or lie within the tolerance of the approval.

import type { OptionalResources, RequestsAndLimits, ResourceName } from '#kube/records/resources';
import { FIELD, RESOURCES, withAmount, type Values } from '../../model/container-values.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { requestBounds } from '../../policy/container-rules.ts';
import { boundingNode, greatest } from '../pod/largest-node.ts';
import { limitBound, mostOfNode } from './limit-bound.ts';

/** An approval of one container. */
interface ApprovedContainer {
  /** The amounts that the approval names. */
  readonly named: RequestsAndLimits;
  /** The same with the amounts that it leaves out. */
  readonly values: RequestsAndLimits;
  readonly inForce: RequestsAndLimits;
}

/**
 * Approved values within their bounds. A bound limits raises above the values in force, and reduces nothing further than approved. Amounts that the approval leaves out stay.
 * @param named the amounts that the approval names @param values the same with the amounts that it leaves out
 */
export function boundApproval(
  named: Values,
  values: Values,
  inForce: Values,
  plans: readonly ContainerPlan[],
  situation: WorkloadSituation,
): Values {
  return new Map(
    [...values].map(([name, amounts]) => {
      const plan = plans.find((each) => each.name === name);
      const [given, present] = [named.get(name), inForce.get(name)];
      if (plan === undefined || given === undefined || present === undefined) return [name, amounts];
      let bounded = amounts;
      for (const resource of RESOURCES)
        bounded = boundResource({ named: given, values: bounded, inForce: present }, resource, plan, situation);
      return [name, bounded];
    }),
  );
}

function boundResource(
  { named, values, inForce }: ApprovedContainer,
  resource: ResourceName,
  plan: ContainerPlan,
  situation: WorkloadSituation,
): RequestsAndLimits {
  const field = FIELD[resource];
  const [request, limit] = [values.requests[field], values.limits[field]];
  if (request === null || (named.requests[field] === null && named.limits[field] === null)) return values;
  const isEqual = limit === request;
  const mostLimit = Math.max(limitBoundOf(resource, plan, situation), inForce.limits[field] ?? 0, plan.target?.limits[field] ?? 0);
  const { least, most } = boundsOf(resource, plan, situation);
  const mostRequest = Math.max(isEqual ? Math.min(most, mostLimit) : most, inForce.requests[field] ?? 0);
  const isNamed = named.requests[field] !== null || isEqual;
  const boundedRequest = Math.min(isNamed ? Math.max(request, least) : request, mostRequest);
  const boundedLimit = limit === null || isEqual ? limit && boundedRequest : Math.max(Math.min(limit, mostLimit), boundedRequest);
  const limits: OptionalResources = withAmount(values.limits, resource, boundedLimit);
  return { requests: withAmount(values.requests, resource, boundedRequest), limits };
}

/** Bounds of a request. A floor raises it at most to what one container may have of the largest node. */
function boundsOf(
  resource: ResourceName,
  { name }: ContainerPlan,
  situation: WorkloadSituation,
): { readonly least: number; readonly most: number } {
  const largestNode = boundingNode(situation);
  const { min, max } = requestBounds(resource, situation.policy, situation.overrides, name, greatest(situation.largestNode, largestNode));
  const least = largestNode === null ? min.value : Math.min(min.value, mostOfNode(largestNode, resource));
  return { least: min.source === 'default' ? 0 : least, most: max?.value ?? Infinity };
}

function limitBoundOf(resource: ResourceName, { name, policy, targetInputs }: ContainerPlan, situation: WorkloadSituation): number {
  const { max } = requestBounds(resource, situation.policy, situation.overrides, name, null);
  const bound = limitBound({
    resource,
    maxRequest: max?.value ?? null,
    limit: policy[resource].limit,
    guaranteed: targetInputs?.guaranteed === true,
    template: targetInputs?.deployed,
    largestNode: boundingNode(situation),
  });
  return bound ?? Infinity;
}
