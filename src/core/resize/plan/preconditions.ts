// States in which a workload is never changed: excluded, blocked, or without enough usage.

import type { ResizeMode } from '../../../apis/conditions.ts';
import { collectingText } from './change-summary.ts';
import { outcome, type Outcome } from '../model/decision.ts';
import type { DecisionEvent } from '../model/decision-event.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import type { ContainerPlan } from '../model/container-plan.ts';
import { limitBelowRequest } from '../model/container-values.ts';
import type { WorkloadRecord } from '#kube/records/workload';

/** Outcome of a workload that is not changed, with its Events; null: changes are possible. */
export function checkPreconditions(
  situation: WorkloadSituation,
  mode: ResizeMode,
  plans: readonly ContainerPlan[],
): { readonly outcome: Outcome; readonly events: readonly DecisionEvent[] } | null {
  const { overrides, policyProblem, gateState } = situation;
  const prevented = (what: Outcome, events: readonly DecisionEvent[] = []) => ({ outcome: what, events });
  if (overrides.excluded) return prevented(outcome('excluded', null, 'excluded by the annotation evenkeel.io/exclude'));
  if (mode === 'Off') return prevented(outcome('excluded', null, 'excluded by mode Off'));
  const [problem] = overrides.problems;
  if (problem !== undefined) {
    const event = { type: 'Warning', reason: 'InvalidAnnotation', message: problem } as const;
    return prevented(outcome('blocked', 'invalid-annotation', overrides.problems.join('; ')), [event]);
  }
  if (policyProblem !== null) return prevented(outcome('blocked', 'invalid-policy', policyProblem));
  const invalid = invalidTemplate(situation.workload);
  if (invalid !== null) return prevented(outcome('blocked', 'invalid-template', invalid));
  if (!gateState.inPlace) {
    return prevented(outcome('blocked', 'no-in-place', 'the API server has no pods/resize, which requires Kubernetes 1.33'));
  }
  if (plans.every(({ target }) => target === null)) return prevented(outcome('collecting', null, collectingText(plans, situation)));
  return null;
}

/** Why pods of a template are invalid; null: it is valid. Only a custom resource can have such a template, because the API server does not validate it. */
function invalidTemplate({ containers }: WorkloadRecord): string | null {
  for (const container of containers) {
    const resource = limitBelowRequest(container);
    if (resource === null) continue;
    return `container ${container.name} of the template: the ${resource} limit is below the request, so the API server rejects its pods`;
  }
  return null;
}
