// Corrects drift: resizes pods that differ from the values in force, because they were created from the template or need a roll-back.

import { carryOut, type CarryOut } from './carry-out.ts';
import { heldByPerson } from './interlocks.ts';
import { isMadeSmaller } from './remembered-change.ts';
import { isTemplateRaised } from './raised-template.ts';
import type { ResizeStep } from '../model/resize-step.ts';
import type { WorkloadSituation } from '../model/situation.ts';

const NOT_YET = 'the pod differs from the values in force for its workload';
const HALF_DONE = 'the change that reduced the pod was ended';
const NOTHING: CarryOut = { steps: [], settled: [], reachable: 0, waits: [] };

/** Steps that correct drift. While a user holds the workload, only a requested roll-back and the end of an interrupted change are made. */
export function conforming(situation: WorkloadSituation): CarryOut {
  const { memory, gateState, now } = situation;
  const { lastApplied: settled, rolledBack } = memory;
  if (settled === null) return NOTHING;
  const isRollBack = rolledBack?.at === settled.at;
  const isAskedFor = isRollBack && rolledBack.requestedAt !== null;
  if (heldByPerson(situation) && !isAskedFor) return { ...NOTHING, steps: halfDone(situation) };
  const isWarmingUp = gateState.warmUpUntil !== null && gateState.warmUpUntil > now;
  // Pods of a new template with greater values have what the user deployed, so they are not reduced.
  const isLoweringHeld = isWarmingUp || isTemplateRaised(situation);
  // A pod that was created after the roll-back never had the values that are rolled back.
  const before = isRollBack ? situation.pods.filter(({ createdAt }) => createdAt <= settled.at) : [];
  const since = situation.pods.filter((pod) => !before.includes(pod));
  const most = isLoweringHeld ? 0 : Number.POSITIVE_INFINITY;
  return joined(
    carryOut({ ...situation, pods: before }, settled.values, {
      kind: 'correct-drift',
      // An automatic roll-back reverts only reductions, so a pod that it would lower never had them.
      most: isAskedFor ? Number.POSITIVE_INFINITY : most,
      isRollBack: true,
      isRequested: isAskedFor,
      because: `rolled back: ${rolledBack?.message ?? ''}`,
    }),
    carryOut({ ...situation, pods: since }, settled.values, { kind: 'correct-drift', most, because: NOT_YET }),
  );
}

/**
 * Steps of a roll-back while other changes are blocked: pods are raised to the previous values. A requested roll-back also lowers the
 * pods that had the new values, but not pods that were created later.
 */
export function rollBackSteps(situation: WorkloadSituation): readonly ResizeStep[] {
  const { memory, pods } = situation;
  const { lastApplied: settled, rolledBack, apply } = memory;
  if (settled === null || rolledBack?.at !== settled.at) return [];
  if (heldByPerson(situation) && rolledBack.requestedAt === null) return halfDone(situation);
  const because = `rolled back: ${rolledBack.message}`;
  const isAskedFor = rolledBack.requestedAt !== null;
  const had = pods.filter(({ createdAt }) => createdAt <= settled.at);
  const since = pods.filter((pod) => !had.includes(pod));
  return joined(
    carryOut(
      { ...situation, pods: had },
      settled.values,
      // A later raise is not reverted, and an automatic roll-back lowers nothing.
      {
        kind: 'correct-drift',
        most: isAskedFor && apply === null ? Number.POSITIVE_INFINITY : 0,
        isRollBack: true,
        isRequested: isAskedFor,
        because,
      },
    ),
    carryOut({ ...situation, pods: since }, settled.values, { kind: 'correct-drift', most: 0, because: NOT_YET }),
  ).steps;
}

function joined(a: CarryOut, b: CarryOut): CarryOut {
  return {
    steps: [...a.steps, ...b.steps],
    settled: [...a.settled, ...b.settled],
    reachable: a.reachable + b.reachable,
    waits: [...a.waits, ...b.waits],
  };
}

/** Raises that restore pods which an ended change had reduced: regressions of those pods would no longer be detected. */
export function halfDone(situation: WorkloadSituation): readonly ResizeStep[] {
  const { lastApplied, previous, apply } = situation.memory;
  if (lastApplied === null || apply !== null) return [];
  const { steps } = carryOut(situation, lastApplied.values, { kind: 'correct-drift', most: 0, because: HALF_DONE });
  // A pod that Evenkeel resized later has its values for another reason, for example a user's reset.
  return steps.filter(({ pod }) => isMadeSmaller(pod, previous) && (pod.resizedBy?.at ?? 0) <= lastApplied.at);
}
