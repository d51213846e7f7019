// Layer for limit exceptions: advances them before the decision of the inner layers, and adds the steps of their overages to it.

import type { ResizeMode } from '../../../../apis/conditions.ts';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import type { ResizeStep } from '../../model/resize-step.ts';
import type { WorkloadDecision } from '../../model/decision.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { modeInForce } from '../../policy/policy-rules.ts';
import { planContainers } from '../../plan/plan-containers.ts';
import { canChangePodsNow } from '../../plan/blockers/blockers.ts';
import type { ResizeLayer } from '../layer.ts';
import { decideExceptions, type ExceptionsDecision } from './decide-exceptions.ts';
import { describeExceptions } from './exception-message.ts';
import { isOverageEnding, type LimitException } from '../../model/limit-exception.ts';
import { NO_OVERAGE_STEPS, overageSteps, type OverageSteps } from './overage-steps.ts';

/** Interval of decisions while temporary limits are granted or taken back. */
const CHANGE_INTERVAL_MS: DurationMs = MINUTE_MS;
/** States that state `exception` does not replace. */
const MORE_SPECIFIC: ReadonlySet<WorkloadDecision['state']> = new Set(['excluded', 'blocked', 'applying', 'idle']);

export const limitExceptions: ResizeLayer = {
  name: 'limit-exceptions',
  apply(context, next) {
    const mode = modeInForce(context.policy, context.overrides);
    const exceptions = isFrozen(context) ? unchangedExceptions(context) : advanceExceptions(context, mode);
    const known = withExceptions(context, exceptions);
    const decision = next(known);
    const canAct = canChangePodsNow(context) && decision.state !== 'idle';
    const overage = canAct ? overageSteps({ ...known, memory: decision.memory }, decision.containers) : NO_OVERAGE_STEPS;
    return mergeDecision(decision, exceptions, overage, context, canAct);
  },
};

/** Whether exceptions are left unchanged, because an annotation or the policy is invalid. */
function isFrozen({ overrides, policyProblem }: WorkloadSituation): boolean {
  return overrides.problems.length > 0 || policyProblem !== null;
}

function unchangedExceptions({ memory }: WorkloadSituation): ExceptionsDecision {
  return { memory: { limitExceptions: memory.limitExceptions }, events: [], ceilings: [] };
}

/** The situation with the new exceptions; the same object without any, so that its cached plans are used again. */
function withExceptions(context: WorkloadSituation, { memory }: ExceptionsDecision): WorkloadSituation {
  const isNothing = context.memory.limitExceptions.length === 0 && memory.limitExceptions?.length === 0;
  return isNothing ? context : { ...context, memory: { ...context.memory, ...memory } };
}

function advanceExceptions(situation: WorkloadSituation, mode: ResizeMode): ExceptionsDecision {
  const { overrides, memory, now } = situation;
  if (!overrides.excluded && mode !== 'Off') return decideExceptions(situation, mode, planContainers(situation));
  const limitExceptions = memory.limitExceptions.map((each): LimitException =>
    each.state === 'open'
      ? { ...each, state: 'resolved', closedAt: now, evidence: `the workload was excluded; before: ${each.evidence}`.slice(0, 1024) }
      : each,
  );
  return { memory: { limitExceptions }, events: [], ceilings: [] };
}

function mergeDecision(
  decision: WorkloadDecision,
  exceptions: ExceptionsDecision,
  { given, returned }: OverageSteps,
  { now }: WorkloadSituation,
  canAct: boolean,
): WorkloadDecision {
  const { limitExceptions } = decision.memory;
  const words = describeExceptions(limitExceptions, { given, returned }, now);
  const isOpen = limitExceptions.some(({ state }) => state === 'open');
  const unfinished =
    canAct && (given.steps.length > 0 || given.waits.length > 0 || limitExceptions.some((each) => isOverageEnding(each, now)));
  return {
    ...decision,
    ...(isOpen && !MORE_SPECIFIC.has(decision.state) ? { state: 'exception', reason: null } : {}),
    message: words === null ? decision.message : `${words}; ${decision.message}`,
    steps: mergeSteps(decision.steps, given.steps, returned.steps),
    events: [...decision.events, ...exceptions.events],
    ceilings: canAct ? exceptions.ceilings : [],
    reconcileAfterMs: unfinished ? Math.min(decision.reconcileAfterMs, CHANGE_INTERVAL_MS) : decision.reconcileAfterMs,
  };
}

/** One step for each pod: reverts first, then granted overages, which prevent OOM kills, then other steps, then the end of overages. */
function mergeSteps(steps: readonly ResizeStep[], given: readonly ResizeStep[], returned: readonly ResizeStep[]): readonly ResizeStep[] {
  const byPod = (steps: readonly ResizeStep[]): Set<string> => new Set(steps.map(({ pod }) => pod.uid));
  const reverted = byPod(steps.filter(({ kind }) => kind === 'revert'));
  const urgent = given.filter(({ pod }) => !reverted.has(pod.uid));
  const taken = byPod(urgent);
  const others = steps.filter(({ pod }) => !taken.has(pod.uid));
  const busy = new Set([...taken, ...byPod(others)]);
  return [...urgent, ...others, ...returned.filter(({ pod }) => !busy.has(pod.uid))];
}
