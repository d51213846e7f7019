// What settles the matter before any change is thought of.

import type { ResizeMode } from '../../../apis/conditions.ts';
import { collectingText } from './change-summary.ts';
import { outcome, type Outcome } from '../model/decision.ts';
import type { DecisionNote } from '../model/decision-note.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import type { ContainerPlan } from '../model/container-plan.ts';
import { limitBelowRequest } from '../model/container-values.ts';
import type { WorkloadRecord } from '#kube/records/workload';

/** null: changes are possible. */
export function neverChanges(
  situation: WorkloadSituation,
  mode: ResizeMode,
  plans: readonly ContainerPlan[],
): { readonly outcome: Outcome; readonly notes: readonly DecisionNote[] } | null {
  const { overrides, policyProblem, gateState } = situation;
  const settled = (what: Outcome, notes: readonly DecisionNote[] = []) => ({ outcome: what, notes });
  if (overrides.excluded) return settled(outcome('excluded', null, 'left alone by the annotation evenkeel.io/exclude'));
  if (mode === 'Off') return settled(outcome('excluded', null, 'left alone: mode Off'));
  const [problem] = overrides.problems;
  if (problem !== undefined) {
    const note = { type: 'Warning', reason: 'InvalidAnnotation', message: problem } as const;
    return settled(outcome('blocked', 'invalid-annotation', overrides.problems.join('; ')), [note]);
  }
  if (policyProblem !== null) return settled(outcome('blocked', 'invalid-policy', policyProblem));
  const invalid = invalidTemplate(situation.workload);
  if (invalid !== null) return settled(outcome('blocked', 'invalid-template', invalid));
  if (!gateState.inPlace) {
    return settled(outcome('blocked', 'no-in-place', 'the API server has no pods/resize; it comes with Kubernetes 1.33'));
  }
  if (plans.every(({ target }) => target === null)) return settled(outcome('collecting', null, collectingText(plans, situation)));
  return null;
}

/** The API server refuses such pods; only a template that it does not validate, of a custom resource, can be so. null: it is valid. */
function invalidTemplate({ containers }: WorkloadRecord): string | null {
  for (const container of containers) {
    const resource = limitBelowRequest(container);
    if (resource === null) continue;
    return `container ${container.name} of the template: its ${resource} limit is below its request; the API server refuses such pods`;
  }
  return null;
}
