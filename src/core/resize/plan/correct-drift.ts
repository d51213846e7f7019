// Which pods are brought to what is in force: those created since from the template, those that a roll-back is for.

import { carryOut, type CarryOut } from './carry-out.ts';
import { heldByPerson } from './interlocks.ts';
import { isMadeSmaller } from './remembered-change.ts';
import { isTemplateRaised } from './raised-template.ts';
import type { ResizeStep } from '../model/resize-step.ts';
import type { WorkloadSituation } from '../model/situation.ts';

const NOT_YET = 'the pod has not yet what is in force for its workload';
const HALF_DONE = 'the change that made it smaller was ended';
const NOTHING: CarryOut = { steps: [], settled: [], reachable: 0, waits: [] };

/** While a person holds the workload, only what a person has asked to be taken back, and what was half done. */
export function conforming(situation: WorkloadSituation): CarryOut {
  const { memory, gateState, now } = situation;
  const { lastApplied: settled, rolledBack } = memory;
  if (settled === null) return NOTHING;
  const isRollBack = rolledBack?.at === settled.at;
  const isAskedFor = isRollBack && rolledBack.requestedAt !== null;
  if (heldByPerson(situation) && !isAskedFor) return { ...NOTHING, steps: halfDone(situation) };
  const isWarmingUp = gateState.warmUpUntil !== null && gateState.warmUpUntil > now;
  // Pods of a template that is being rolled out with more than before have what a person wants.
  const isLoweringHeld = isWarmingUp || isTemplateRaised(situation);
  // A pod that was created since had nothing that is taken back.
  const before = isRollBack ? situation.pods.filter(({ createdAt }) => createdAt <= settled.at) : [];
  const since = situation.pods.filter((pod) => !before.includes(pod));
  const most = isLoweringHeld ? 0 : Number.POSITIVE_INFINITY;
  return joined(
    carryOut({ ...situation, pods: before }, settled.values, {
      kind: 'correct-drift',
      // An automatic roll-back takes back reductions alone: a pod that it would lower never had them.
      most: isAskedFor ? Number.POSITIVE_INFINITY : most,
      isRollBack: true,
      isRequested: isAskedFor,
      because: `rolled back: ${rolledBack?.message ?? ''}`,
    }),
    carryOut({ ...situation, pods: since }, settled.values, { kind: 'correct-drift', most, because: NOT_YET }),
  );
}

/**
 * What a roll-back does while nothing else may be done: pods are raised to the values before it. One that a user requested also lowers
 * the pods that had what is taken back, never those that were created since.
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
      // A raise that began since is not taken back, and an automatic roll-back lowers nothing.
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

/** Values that are restored to pods which the last change reduced before it was ended: they are not watched any more. Raises alone. */
export function halfDone(situation: WorkloadSituation): readonly ResizeStep[] {
  const { lastApplied, previous, apply } = situation.memory;
  if (lastApplied === null || apply !== null) return [];
  const { steps } = carryOut(situation, lastApplied.values, { kind: 'correct-drift', most: 0, because: HALF_DONE });
  // What we ourselves did since then has other reasons: a person's reset, say.
  return steps.filter(({ pod }) => isMadeSmaller(pod, previous) && (pod.resizedBy?.at ?? 0) <= lastApplied.at);
}
