// Idles a workload: the sizes of its pods, its replicas, and the state to store before the first write.

import { formatDuration } from '../../../model/duration.ts';
import { MINUTE_MS } from '#kube/units';
import { checkIdleCandidacy, findInPlaceBlocker } from './idle-candidacy.ts';
import type { IdleMemory, Sizes } from '../../model/evidence/idle-memory.ts';
import { requestsOnly } from '../../model/evidence/idle-memory.ts';
import { scaleDown, planScale, type ScalePlan } from './idle-scale.ts';
import { idleSizes, isSmaller } from './idle-size.ts';
import { wakeTriggers } from './waking.ts';
import { containerMode } from '../../policy/policy-rules.ts';
import { boundsOf } from '../../policy/workload-overrides.ts';
import { planSteps, type StepPlan } from '../../plan/steps/plan-steps.ts';
import type { ResizeStep } from '../../model/resize-step.ts';
import { changeSummary } from '../../plan/change-summary.ts';
import { FIELD, RESOURCES, withAmount } from '../../model/container-values.ts';
import { outcome, type Outcome, type ScaleStep } from '../../model/decision.ts';
import type { DecisionEvent } from '../../model/decision-event.ts';
import { nextFloor } from './idle-floor.ts';
import { pickByRank } from '../../model/waiting.ts';
import type { ResizeMemory, WorkloadSituation } from '../../model/situation.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';

/** Decision of idle mode. */
export interface IdleVerdict {
  /** null: the workload is not idle any more, so the inner layers decide. */
  readonly outcome: Outcome | null;
  readonly memory: Partial<ResizeMemory>;
  readonly steps: readonly ResizeStep[];
  readonly events: readonly DecisionEvent[];
  readonly scale: ScaleStep | null;
}

/** Sizes and replicas of the workload while it is idle. */
interface Shrinking {
  readonly natural: Sizes;
  readonly sizes: Sizes;
  readonly plan: ScalePlan;
  readonly progress: StepPlan;
}

/**
 * Idles a workload; null where it is not idle, or where the decision without idle mode takes precedence.
 * @param decided the decision without idle mode
 */
export function idleWorkload(situation: WorkloadSituation, plans: readonly ContainerPlan[], decided: Outcome): IdleVerdict | null {
  if (hasPrecedence(situation, decided)) return null;
  const candidacy = checkIdleCandidacy(situation);
  if (candidacy.kind === 'no') return null;
  const natural: Sizes = new Map(plans.map(({ name, inForce }) => [name, inForce]));
  const { policy, gateState, now } = situation;
  const plan = planScale(situation);
  const notInPlace = findInPlaceBlocker(situation);
  const wanted = sizesFor(situation, natural, plans);
  const sizes = notInPlace !== null || plan.idleReplicas === 0 ? natural : wanted;
  if (!isSmaller(wanted, natural) && plan.idleReplicas === null) return null;
  if (candidacy.kind === 'blocked')
    return reportUnlessWaiting(decided, outcome('awaiting', candidacy.reason, candidacy.message, candidacy.until));
  const idleFor = formatDuration(Math.floor((now - candidacy.belowThresholdSince) / MINUTE_MS) * MINUTE_MS);
  const progress = planSteps(situation, sizes, {
    kind: 'change',
    maxPods: Number.POSITIVE_INFINITY,
    reason: `idle: no load for ${idleFor}`,
  });
  const shrinking: Shrinking = { natural, sizes, plan, progress };
  const blocker = findShrinkBlocker(shrinking, notInPlace, idleFor);
  if (blocker !== null) return reportUnlessWaiting(decided, blocker);
  const summary = summaryOf(natural, sizes, plan);
  if (gateState.dryRun || policy.dryRun) {
    const message = `dry run: idle, no load for ${idleFor}; would be reduced: ${summary}`;
    return { ...NOTHING, steps: progress.steps, outcome: outcome('awaiting', 'dry-run', message) };
  }
  const idle = idleMemory(situation, plans, shrinking);
  return {
    outcome: idledOutcome(idle),
    memory: { idle },
    steps: progress.steps,
    events: [{ type: 'Normal', reason: 'Idled', message: `no load for ${idleFor}; ${summary}` }],
    scale: scaleDown(situation, idle),
  };
}

const NOTHING: IdleVerdict = { outcome: null, memory: {}, steps: [], events: [], scale: null };

/** Reports `why`, unless the decision already waits for something else. */
function reportUnlessWaiting(decided: Outcome, why: Outcome): IdleVerdict | null {
  return decided.state === 'awaiting' ? null : { ...NOTHING, outcome: why };
}

function sizesFor(situation: WorkloadSituation, natural: Sizes, plans: readonly ContainerPlan[]): Sizes {
  const { policy, pods, overrides, limitRanges, advice } = situation;
  const floorOf = (name: string) => boundsOf(overrides.floor, name);
  const sizes = idleSizes({ rules: policy.idle, natural, pods: pods.length, advice, floorOf, limitRanges });
  // A container with a more restrictive mode keeps its size.
  const spared = plans.filter((each) => containerMode(each.policy, 'Auto') !== 'Auto').map(({ name, inForce }) => [name, inForce] as const);
  return new Map([...sizes, ...spared]);
}

/** Why neither requests nor replicas can be reduced; null: one of them can. */
function findShrinkBlocker(
  { natural, sizes, plan, progress }: Shrinking,
  notInPlace: ReturnType<typeof findInPlaceBlocker>,
  idleFor: string,
): Outcome | null {
  if (plan.idleReplicas !== null || (isSmaller(sizes, natural) && progress.reachable > 0)) return null;
  const words = `idle, no load for ${idleFor}; not reduced: `;
  const besides = plan.why === null ? '' : `; ${plan.why}`;
  if (notInPlace !== null) return outcome('awaiting', notInPlace.reason, `${words}${notInPlace.why}${besides}`);
  const waiting = pickByRank(progress.waits);
  const why = `${waiting?.message ?? 'no pod can be resized now'}${besides}`;
  return outcome('awaiting', waiting?.reason ?? 'stuck', `${words}${why}`, waiting?.until ?? null);
}

function idleMemory(
  situation: WorkloadSituation,
  plans: readonly ContainerPlan[],
  { natural, sizes, plan, progress }: Shrinking,
): IdleMemory {
  const { now, policy, workload } = situation;
  return {
    since: now,
    natural,
    // Where no pod can be resized in place, only the replicas are reduced.
    sizes: progress.reachable > 0 ? sizes : natural,
    ...nextFloor(situation, plans),
    replicas: workload.replicas.desired,
    idleReplicas: plan.idleReplicas,
    autoscaler: plan.autoscaler,
    scaled: false,
    waking: null,
    wakeTriggers: wakeTriggers(policy.idle.cpuThreshold, plan.idleReplicas),
  };
}

/** Whether something takes precedence over idling: a change under way, a pause, or a state without changes. */
function hasPrecedence({ memory, policy, gateState, userRequests }: WorkloadSituation, { state }: Outcome): boolean {
  if (memory.apply !== null || memory.idle !== null) return true;
  if (gateState.paused !== null || gateState.stale !== null || policy.paused || userRequests.paused) return true;
  return state === 'blocked' || state === 'excluded' || state === 'applying' || state === 'exception';
}

/** Outcome of an idled workload. */
export function idledOutcome(idle: IdleMemory): Outcome {
  const summary = summaryOf(idle.natural, idle.sizes, idle);
  return outcome('idle', null, `idle since ${new Date(idle.since).toISOString()}: ${summary}; wakes on ${idle.wakeTriggers}`);
}

function summaryOf(natural: Sizes, sizes: Sizes, { idleReplicas, autoscaler }: Pick<IdleMemory, 'idleReplicas' | 'autoscaler'>): string {
  const inPlace = isSmaller(sizes, natural) ? [changeSummary(natural, withLimitsOf(sizes, natural))] : [];
  const what = autoscaler === null ? 'replicas' : `minReplicas of HorizontalPodAutoscaler ${autoscaler.name}`;
  return [...inPlace, ...(idleReplicas === null ? [] : [`${what} ${idleReplicas}`])].join('; ');
}

/** The idle sizes with the natural limits, for a summary. */
function withLimitsOf(sizes: Sizes, natural: Sizes): Sizes {
  return new Map(
    [...sizes].map(([name, { requests }]) => {
      let requestsOrNatural = requests;
      const before = natural.get(name);
      for (const resource of RESOURCES)
        requestsOrNatural = withAmount(
          requestsOrNatural,
          resource,
          requestsOrNatural[FIELD[resource]] ?? before?.requests[FIELD[resource]] ?? null,
        );
      return [name, { requests: requestsOrNatural, limits: before?.limits ?? requestsOnly(requestsOrNatural).limits }];
    }),
  );
}
