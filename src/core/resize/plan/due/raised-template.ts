// Accepts a template that a user has raised since values were applied: earlier usage does not contradict it, so its amounts are lower
// bounds of the values in force until a new reduction has passed every gate.

import { raiseResources, UNSET_RESOURCES, type OptionalResources, type RequestsAndLimits } from '#kube/records/resources';
import { FIELD, RESOURCES, hasSameValues, valuesOf, withAmount, type Values } from '../../model/container-values.ts';
import type { ResizeMemory, WorkloadSituation } from '../../model/situation.ts';
import { isResizedWithWorkload } from '../../policy/container-rules.ts';

/** A smaller difference is a matter of notation. */
const MIN_RAISE_RATIO = 1.001;

const NOTHING: RequestsAndLimits = { requests: UNSET_RESOURCES, limits: UNSET_RESOURCES };

/** Whether any amount of the template is greater than at the last decision. */
export function isTemplateRaised(situation: Pick<WorkloadSituation, 'workload' | 'memory'>): boolean {
  return raisedContainers(situation).length > 0;
}

function raisedContainers({ workload, memory }: Pick<WorkloadSituation, 'workload' | 'memory'>): readonly string[] {
  return [...valuesOf(workload)].flatMap(([name, now]) => {
    const raised = raisedFields(memory.template.get(name), now);
    return hasAny(raised.requests) || hasAny(raised.limits) ? [name] : [];
  });
}

/** The memory to store for the present template, with raised amounts in force; null: unchanged. */
export function acceptTemplate(situation: WorkloadSituation): Partial<ResizeMemory> | null {
  const { workload, memory, policy, overrides } = situation;
  const { approved } = situation.userRequests;
  const { apply, lastApplied, previous, template: before } = memory;
  const isUnused = apply === null && lastApplied === null && approved === null;
  const template: Values = isUnused ? new Map() : valuesOf(workload);
  const raised = raisedContainers(situation);
  if (raised.length === 0) return isSame(before, template) ? null : { template };
  // During the rollout pods of both sizes are correct.
  if (workload.rolloutInProgress && apply === null) return null;
  return {
    template,
    // An approval of reductions was given for the earlier values.
    endedApprovalAt: raised.some((name) => isResizedWithWorkload(policy, overrides, name))
      ? (approved?.at ?? null)
      : memory.endedApprovalAt,
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

/** The amounts that are greater than before. A request is also raised where none was set: it is 0 for the scheduler; a limit is lowered. */
function raisedFields(before: RequestsAndLimits | undefined, now: RequestsAndLimits): RequestsAndLimits {
  if (before === undefined) return NOTHING;
  return { requests: raisedAmounts(before.requests, now.requests, 0), limits: raisedAmounts(before.limits, now.limits, Infinity) };
}

/** @param unset what an amount counts for that was not set */
function raisedAmounts(before: OptionalResources, now: OptionalResources, unset: number): OptionalResources {
  let raised = now;
  for (const resource of RESOURCES) {
    const [was, is] = [before[FIELD[resource]] ?? unset, now[FIELD[resource]]];
    if (is === null || is <= 0 || is < was * MIN_RAISE_RATIO) raised = withAmount(raised, resource, null);
  }
  return raised;
}

function isSame(a: Values, b: Values): boolean {
  return a.size === b.size && [...a].every(([name, values]) => hasSameValues(values, b.get(name) ?? NOTHING));
}

function hasAny({ cpuMillicores, memoryBytes }: OptionalResources): boolean {
  return cpuMillicores !== null || memoryBytes !== null;
}
