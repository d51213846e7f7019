// A template that a person has raised since sizes were put in force: what was learnt before says nothing against it, so it is
// the least in force until a new reduction has passed every gate.

import { UNSET_RESOURCES, type OptionalResources, type RequestsAndLimits } from '#kube/records/resources';
import { FIELD, RESOURCES, sameValues, valuesOf, withAmount, type Values } from '../model/container-values.ts';
import type { ResizeMemory, WorkloadSituation } from '../model/situation.ts';

/** A smaller difference is one of notation. */
const MIN_RAISE_RATIO = 1.001;

const NOTHING: RequestsAndLimits = { requests: UNSET_RESOURCES, limits: UNSET_RESOURCES };

/** Whether the template asks for more of anything than it did when it was last looked at. */
export function isTemplateRaised({ workload, memory }: Pick<WorkloadSituation, 'workload' | 'memory'>): boolean {
  return [...valuesOf(workload)].some(([name, now]) => {
    const raised = raisedFields(memory.template.get(name), now);
    return hasAny(raised.requests) || hasAny(raised.limits);
  });
}

/** What is to be remembered of the template, and of what is in force where it was raised; null: nothing new. */
export function acceptTemplate({ workload, memory }: Pick<WorkloadSituation, 'workload' | 'memory'>): Partial<ResizeMemory> | null {
  const { apply, lastApplied, previous, template: before } = memory;
  const template: Values = apply === null && lastApplied === null ? new Map() : valuesOf(workload);
  if (!isTemplateRaised({ workload, memory })) return isSame(before, template) ? null : { template };
  // Until it has been rolled out pods of both sizes are right.
  if (workload.rolloutInProgress && apply === null) return null;
  return {
    template,
    apply: apply && { ...apply, values: atLeastRaised(apply.values, before, template) },
    lastApplied: lastApplied && { ...lastApplied, values: atLeastRaised(lastApplied.values, before, template) },
    // Should the change be taken back, what was deployed meanwhile is not.
    previous: previous && { ...previous, values: atLeastRaised(previous.values, before, template) },
    // What a person has deployed is no temporary increase.
    cpuBeforeIncrease: new Map(),
  };
}

/**
 * Values with what the template has been raised to as the least. Memory limits that are removed in the template are left out:
 * a resize in place cannot remove them.
 * @param before the template when it was last looked at
 */
export function atLeastRaised(values: Values, before: Values, template: Values): Values {
  const after = [...values].map(([name, own]): [string, RequestsAndLimits] => {
    const now = template.get(name);
    if (now === undefined) return [name, own];
    const raised = raisedFields(before.get(name), now);
    const requests = atLeast(own.requests, raised.requests);
    return [name, { requests, limits: atLeast(atLeast(own.limits, raised.limits), requests) }];
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

/** Amounts that are set, no less than the least that is. */
function atLeast(amounts: OptionalResources, least: OptionalResources): OptionalResources {
  let result = amounts;
  for (const resource of RESOURCES) {
    const [has, wants] = [amounts[FIELD[resource]], least[FIELD[resource]]];
    if (has !== null && wants !== null && wants > has) result = withAmount(result, resource, wants);
  }
  return result;
}

function isSame(a: Values, b: Values): boolean {
  return a.size === b.size && [...a].every(([name, own]) => sameValues(own, b.get(name) ?? NOTHING));
}

function hasAny({ cpuMillicores, memoryBytes }: OptionalResources): boolean {
  return cpuMillicores !== null || memoryBytes !== null;
}
