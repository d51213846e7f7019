// Corrects drift: resizes pods that differ from the values in force, because they were created from the template or need a roll-back.

import { ofResizedContainers, planSteps, type StepPlan } from './steps/plan-steps.ts';
import { isHeldByUser } from './blockers/blockers.ts';
import { isReducedByChange } from './due/remembered-change.ts';
import type { ContainerPlan } from '../model/container-plan.ts';
import { containersShortOfMemory } from './pod/keep-memory.ts';
import { isTemplateRaised } from './due/raised-template.ts';
import type { ResizeStep } from '../model/resize-step.ts';
import type { WorkloadSituation } from '../model/situation.ts';

const DRIFTED = 'the pod differs from the values in force for its workload';
const CHANGE_ENDED = 'the change that reduced the pod was ended';
const NOTHING: StepPlan = { steps: [], actuated: [], reachable: 0, waits: [] };

/**
 * Steps that correct drift. While a user holds the workload, only a requested roll-back and the end of an interrupted change are made.
 * @param plans no pod is reduced below the memory that its containers need
 */
export function correctDrift(situation: WorkloadSituation, plans: readonly ContainerPlan[]): StepPlan {
  const { memory, gateState, now } = situation;
  const { lastApplied, rolledBack } = memory;
  if (lastApplied === null) return NOTHING;
  const isRollBack = rolledBack?.at === lastApplied.at;
  const isRequested = isRollBack && rolledBack.requestedAt !== null;
  if (isHeldByUser(situation) && !isRequested) return { ...NOTHING, steps: restoreEndedChange(situation) };
  const isWarmingUp = gateState.warmUpUntil !== null && gateState.warmUpUntil > now;
  // Pods of a new template with greater values have what the user deployed, so they are not reduced.
  const isLoweringHeld = isWarmingUp || isTemplateRaised(situation);
  // A pod that was created after the roll-back never had the values that are rolled back.
  const before = isRollBack ? situation.pods.filter(({ createdAt }) => createdAt <= lastApplied.at) : [];
  const createdSince = situation.pods.filter((pod) => !before.includes(pod));
  const maxPods = isLoweringHeld ? 0 : Number.POSITIVE_INFINITY;
  return joinProgress(
    planSteps({ ...situation, pods: before }, lastApplied.values, {
      kind: 'correct-drift',
      // An automatic roll-back reverts only reductions, so a pod that it would lower never had them.
      maxPods: isRequested ? Number.POSITIVE_INFINITY : maxPods,
      isRollBack: true,
      isRequested: isRequested,
      reason: `rolled back: ${rolledBack?.message ?? ''}`,
    }),
    planSteps({ ...situation, pods: createdSince }, ofResizedContainers(situation, lastApplied.values), {
      kind: 'correct-drift',
      maxPods,
      keepMemoryOf: containersShortOfMemory(plans, lastApplied.values),
      reason: DRIFTED,
    }),
  );
}

/**
 * Steps of a roll-back while other changes are blocked: pods are raised to the previous values. A requested roll-back also lowers the
 * pods that had the new values, but not pods that were created later.
 */
export function listRollBackSteps(situation: WorkloadSituation): readonly ResizeStep[] {
  const { memory, pods } = situation;
  const { lastApplied, rolledBack, apply } = memory;
  if (lastApplied === null || rolledBack?.at !== lastApplied.at) return [];
  if (isHeldByUser(situation) && rolledBack.requestedAt === null) return restoreEndedChange(situation);
  const reason = `rolled back: ${rolledBack.message}`;
  const isRequested = rolledBack.requestedAt !== null;
  const existing = pods.filter(({ createdAt }) => createdAt <= lastApplied.at);
  const createdSince = pods.filter((pod) => !existing.includes(pod));
  return joinProgress(
    planSteps(
      { ...situation, pods: existing },
      lastApplied.values,
      // A later raise is not reverted, and an automatic roll-back lowers nothing.
      {
        kind: 'correct-drift',
        maxPods: isRequested && apply === null ? Number.POSITIVE_INFINITY : 0,
        isRollBack: true,
        isRequested: isRequested,
        reason,
      },
    ),
    planSteps({ ...situation, pods: createdSince }, ofResizedContainers(situation, lastApplied.values), {
      kind: 'correct-drift',
      maxPods: 0,
      reason: DRIFTED,
    }),
  ).steps;
}

function joinProgress(a: StepPlan, b: StepPlan): StepPlan {
  return {
    steps: [...a.steps, ...b.steps],
    actuated: [...a.actuated, ...b.actuated],
    reachable: a.reachable + b.reachable,
    waits: [...a.waits, ...b.waits],
  };
}

/** Raises that restore pods which an ended change had reduced: regressions of those pods would no longer be detected. */
export function restoreEndedChange(situation: WorkloadSituation): readonly ResizeStep[] {
  const { lastApplied, previous, apply } = situation.memory;
  if (lastApplied === null || apply !== null) return [];
  const { steps } = planSteps(situation, lastApplied.values, { kind: 'correct-drift', maxPods: 0, reason: CHANGE_ENDED });
  // A pod that Evenkeel resized later has its values for another reason, for example a user's reset.
  return steps.filter(({ pod }) => isReducedByChange(pod, previous) && (pod.resizedBy?.at ?? 0) <= lastApplied.at);
}
