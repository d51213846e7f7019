// Puts limit exceptions around a decision: they are taken a step further before it, and what they ask of the pods is added
// to what it asks.

import type { ResizeMode } from '../../../../apis/conditions.ts';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import type { ResizeStep } from '../../model/resize-step.ts';
import type { WorkloadDecision } from '../../model/decision.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { modeInForce } from '../../policy/policy-rules.ts';
import { planContainers } from '../../plan/plan-containers.ts';
import { mayChangePods } from '../../plan/interlocks.ts';
import type { ResizeLayer } from '../layer.ts';
import { decideExceptions, type ExceptionsDecision } from './decide-exceptions.ts';
import { exceptionWords } from './exception-words.ts';
import { isReturning, type LimitException } from '../../model/limit-exception.ts';
import { NO_OVERAGE_STEPS, overageSteps, type OverageSteps } from './overage-steps.ts';

/** While limits are given or taken back the pods are looked at this often. */
const UNDER_WAY_MS: DurationMs = MINUTE_MS;
/** What an open exception does not talk over: it could not be acted on, or something is being done already. */
const MORE_SPECIFIC: ReadonlySet<WorkloadDecision['state']> = new Set(['excluded', 'blocked', 'applying', 'idle']);

export const limitExceptions: ResizeLayer = {
  name: 'limit-exceptions',
  apply(context, next) {
    const mode = modeInForce(context.policy, context.overrides);
    const exceptions = isFrozen(context) ? frozen(context) : nextStep(context, mode);
    const known = remembering(context, exceptions);
    const decision = next(known);
    const acts = mayChangePods(context) && decision.state !== 'idle';
    const overage = acts ? overageSteps({ ...known, memory: decision.memory }, decision.containers) : NO_OVERAGE_STEPS;
    return joined(decision, exceptions, overage, context, acts);
  },
};

/** An annotation or policy that cannot be read says nothing about what people want: everything stays as it is. */
function isFrozen({ overrides, policyProblem }: WorkloadSituation): boolean {
  return overrides.problems.length > 0 || policyProblem !== null;
}

function frozen({ memory }: WorkloadSituation): ExceptionsDecision {
  return { memory: { limitExceptions: memory.limitExceptions }, notes: [], ceilings: [] };
}

/** The same situation where there was no exception and is none: the earlier result is kept. */
function remembering(context: WorkloadSituation, { memory }: ExceptionsDecision): WorkloadSituation {
  const isNothing = context.memory.limitExceptions.length === 0 && memory.limitExceptions?.length === 0;
  return isNothing ? context : { ...context, memory: { ...context.memory, ...memory } };
}

function nextStep(situation: WorkloadSituation, mode: ResizeMode): ExceptionsDecision {
  const { overrides, memory, now } = situation;
  if (!overrides.excluded && mode !== 'Off') return decideExceptions(situation, mode, planContainers(situation));
  const limitExceptions = memory.limitExceptions.map((each): LimitException =>
    each.state === 'open'
      ? { ...each, state: 'resolved', closedAt: now, evidence: `left alone since; it was: ${each.evidence}`.slice(0, 1024) }
      : each,
  );
  return { memory: { limitExceptions }, notes: [], ceilings: [] };
}

function joined(
  decision: WorkloadDecision,
  exceptions: ExceptionsDecision,
  { given, returned }: OverageSteps,
  { now }: WorkloadSituation,
  acts: boolean,
): WorkloadDecision {
  const { limitExceptions } = decision.memory;
  const words = exceptionWords(limitExceptions, { given, returned }, now);
  const isOpen = limitExceptions.some(({ state }) => state === 'open');
  const unfinished = acts && (given.steps.length > 0 || given.waits.length > 0 || limitExceptions.some((each) => isReturning(each, now)));
  return {
    ...decision,
    ...(isOpen && !MORE_SPECIFIC.has(decision.state) ? { state: 'exception', reason: null } : {}),
    message: words === null ? decision.message : `${words}; ${decision.message}`,
    steps: merged(decision.steps, given.steps, returned.steps),
    notes: [...decision.notes, ...exceptions.notes],
    ceilings: acts ? exceptions.ceilings : [],
    lookAgainInMs: unfinished ? Math.min(decision.lookAgainInMs, UNDER_WAY_MS) : decision.lookAgainInMs,
  };
}

/** One resize a pod and decision: what saves it from a kill first, then what the node could not do, then the rest. */
function merged(own: readonly ResizeStep[], given: readonly ResizeStep[], returned: readonly ResizeStep[]): readonly ResizeStep[] {
  const byPod = (steps: readonly ResizeStep[]): Set<string> => new Set(steps.map(({ pod }) => pod.uid));
  const backs = byPod(own.filter(({ kind }) => kind === 'revert'));
  const urgent = given.filter(({ pod }) => !backs.has(pod.uid));
  const taken = byPod(urgent);
  const others = own.filter(({ pod }) => !taken.has(pod.uid));
  const busy = new Set([...taken, ...byPod(others)]);
  return [...urgent, ...others, ...returned.filter(({ pod }) => !busy.has(pod.uid))];
}
