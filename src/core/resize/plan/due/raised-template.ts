// Accepts a template that a user has raised since values were applied: earlier usage does not contradict it, so its amounts are lower
// bounds of the values in force until a new reduction has passed every gate.

import { raiseResources, UNSET_RESOURCES, type OptionalResources, type RequestsAndLimits } from '#kube/records/resources';
import { FIELD, RESOURCES, hasSameValues, valuesOf, withAmount, type Values } from '../../model/container-values.ts';
import type { ResizeMemory, WorkloadSituation } from '../../model/situation.ts';

/** A smaller difference is a matter of notation. */
const MIN_RAISE_RATIO = 1.001;

const NOTHING: RequestsAndLimits = { requests: UNSET_RESOURCES, limits: UNSET_RESOURCES };

/** Whether any amount of the template is greater than at the last decision. */
export function isTemplateRaised({ workload, memory }: Pick<WorkloadSituation, 'workload' | 'memory'>): boolean {
  return [...valuesOf(workload)].some(([name, now]) => {
    const raised = raisedFields(memory.template.get(name), now);
    return hasAny(raised.requests) || hasAny(raised.limits);
  });
}

/** The memory to store for the present template, with raised amounts in force; null: unchanged. */
export function acceptTemplate({
  workload,
  memory,
  now,
}: Pick<WorkloadSituation, 'workload' | 'memory' | 'now'>): Partial<ResizeMemory> | null {
  const { apply, lastApplied, previous, template: before } = memory;
  const template: Values = apply === null && lastApplied === null ? new Map() : valuesOf(workload);
  if (!isTemplateRaised({ workload, memory })) return isSame(before, template) ? null : { template };
  // During the rollout pods of both sizes are correct.
  if (workload.rolloutInProgress && apply === null) return null;
  return {
    template,
    templateRaisedAt: now,
    apply: apply && { ...apply, values: applyTemplateRaises(apply.values, before, template) },
    lastApplied: lastApplied && { ...lastApplied, values: applyTemplateRaises(lastApplied.values, before, template) },
    // A roll-back of the change does not revert what was deployed meanwhile.
    previous: previous && { ...previous, values: applyTemplateRaises(previous.values, before, template) },
    // Deployed values are no temporary increase.
    cpuBeforeIncrease: new Map(),
  };
}

/**
 * Values with the raised amounts of the template as lower bounds. A removed memory limit is ignored, because an in-place resize cannot
 * remove it.
 * @param before values of the template at the last decision
 */
export function applyTemplateRaises(values: Values, before: Values, template: Values): Values {
  const after = [...values].map(([name, inForce]): [string, RequestsAndLimits] => {
    const now = template.get(name);
    if (now === undefined) return [name, inForce];
    const raised = raisedFields(before.get(name), now);
    const requests = raiseResources(inForce.requests, raised.requests);
    return [name, { requests, limits: raiseResources(raiseResources(inForce.limits, raised.limits), requests) }];
  });
  return new Map(after);
}

function raisedFields(before: RequestsAndLimits | undefined, now: RequestsAndLimits): RequestsAndLimits {
  return { requests: raisedAmounts(before?.requests, now.requests), limits: raisedAmounts(before?.limits, now.limits) };
}

function raisedAmounts(before: OptionalResources | undefined, now: OptionalResources): OptionalResources {
  let raised = now;
  for (const resource of RESOURCES) {
    const [was, is] = [before?.[FIELD[resource]] ?? null, now[FIELD[resource]]];
    if (was === null || is === null || is < was * MIN_RAISE_RATIO) raised = withAmount(raised, resource, null);
  }
  return raised;
}

function isSame(a: Values, b: Values): boolean {
  return a.size === b.size && [...a].every(([name, values]) => hasSameValues(values, b.get(name) ?? NOTHING));
}

function hasAny({ cpuMillicores, memoryBytes }: OptionalResources): boolean {
  return cpuMillicores !== null || memoryBytes !== null;
}
