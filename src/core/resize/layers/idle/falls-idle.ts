// How a workload falls idle: what its pods and replicas become, and what is remembered of it before anything is touched.

import { formatDuration } from '../../../model/duration.ts';
import { MINUTE_MS } from '#kube/units';
import { idleCandidacy, whyNotInPlace } from './falling-idle.ts';
import type { IdleMemory, Sizes } from '../../model/idle-memory.ts';
import { requestsOnly } from '../../model/idle-memory.ts';
import { scaleDown, scalePlan, type ScalePlan } from './idle-scale.ts';
import type { ScaleStep } from '../../model/scale-step.ts';
import { idleSizes, isSmaller } from './idle-size.ts';
import { wakeTriggers } from './waking.ts';
import { containerMode } from '../../policy/policy-rules.ts';
import { boundsOf } from '../../policy/workload-overrides.ts';
import { carryOut, type CarryOut } from '../../plan/carry-out.ts';
import type { ResizeStep } from '../../model/resize-step.ts';
import { changeSummary } from '../../plan/change-summary.ts';
import { FIELD, RESOURCES, withAmount } from '../../model/container-values.ts';
import { outcome, type Outcome } from '../../model/decision.ts';
import type { DecisionNote } from '../../model/decision-note.ts';
import { nextFloor } from './idle-floor.ts';
import { mostSpecific } from '../../model/waiting.ts';
import type { ResizeMemory, WorkloadSituation } from '../../model/situation.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';

/** What idle mode makes of a workload. */
export interface IdleVerdict {
  /** null: the workload is awake again, and is decided about like any other. */
  readonly outcome: Outcome | null;
  readonly memory: Partial<ResizeMemory>;
  readonly steps: readonly ResizeStep[];
  readonly notes: readonly DecisionNote[];
  readonly scale: ScaleStep | null;
}

/** How small, in place and in number. */
interface Shrinking {
  readonly natural: Sizes;
  readonly sizes: Sizes;
  readonly plan: ScalePlan;
  readonly progress: CarryOut;
}

/**
 * Makes a workload small that is idle; null where it is not, or where what was decided about it otherwise goes first.
 * @param decided the decision without idle mode
 */
export function fallsIdle(situation: WorkloadSituation, plans: readonly ContainerPlan[], decided: Outcome): IdleVerdict | null {
  if (isOccupied(situation, decided)) return null;
  const candidacy = idleCandidacy(situation);
  if (candidacy.kind === 'no') return null;
  const natural: Sizes = new Map(plans.map(({ name, inForce }) => [name, inForce]));
  const { policy, gateState, now } = situation;
  const plan = scalePlan(situation);
  const notInPlace = whyNotInPlace(situation);
  const wanted = sizesFor(situation, natural, plans);
  const sizes = notInPlace !== null || plan.idleReplicas === 0 ? natural : wanted;
  if (!isSmaller(wanted, natural) && plan.idleReplicas === null) return null;
  if (candidacy.kind === 'held') return says(decided, outcome('awaiting', candidacy.reason, candidacy.message, candidacy.until));
  const quiet = formatDuration(Math.floor((now - candidacy.quietSince) / MINUTE_MS) * MINUTE_MS);
  const progress = carryOut(situation, sizes, { kind: 'change', most: Number.POSITIVE_INFINITY, because: `idle: quiet for ${quiet}` });
  const shrinking: Shrinking = { natural, sizes, plan, progress };
  const blocker = whyNot(shrinking, notInPlace, quiet);
  if (blocker !== null) return says(decided, blocker);
  const summary = summaryOf(natural, sizes, plan);
  if (gateState.dryRun || policy.dryRun) {
    const message = `dry run: idle, quiet for ${quiet}; would be made small: ${summary}`;
    return { ...NOTHING, steps: progress.steps, outcome: outcome('awaiting', 'dry-run', message) };
  }
  const idle = idleMemory(situation, plans, shrinking);
  return {
    outcome: idledOutcome(idle),
    memory: { idle },
    steps: progress.steps,
    notes: [{ type: 'Normal', reason: 'Idled', message: `quiet for ${quiet}; ${summary}` }],
    scale: scaleDown(situation, idle),
  };
}

const NOTHING: IdleVerdict = { outcome: null, memory: {}, steps: [], notes: [], scale: null };

/** A decision that waits for something else reports that. */
function says(decided: Outcome, why: Outcome): IdleVerdict | null {
  return decided.state === 'awaiting' ? null : { ...NOTHING, outcome: why };
}

function sizesFor(situation: WorkloadSituation, natural: Sizes, plans: readonly ContainerPlan[]): Sizes {
  const { policy, pods, overrides, limitRanges, advice } = situation;
  const floorOf = (name: string) => boundsOf(overrides.floor, name);
  const sizes = idleSizes({ rules: policy.idle, natural, pods: pods.length, advice, floorOf, limitRanges });
  // A container of a more careful mode of its own is left as it is.
  const spared = plans.filter((each) => containerMode(each.policy, 'Auto') !== 'Auto').map(({ name, inForce }) => [name, inForce] as const);
  return new Map([...sizes, ...spared]);
}

/** Nothing can be made small: neither requests in place, nor replicas. */
function whyNot(
  { natural, sizes, plan, progress }: Shrinking,
  notInPlace: ReturnType<typeof whyNotInPlace>,
  quiet: string,
): Outcome | null {
  if (plan.idleReplicas !== null || (isSmaller(sizes, natural) && progress.reachable > 0)) return null;
  const words = `idle, quiet for ${quiet}; not made small: `;
  const besides = plan.why === null ? '' : `; ${plan.why}`;
  if (notInPlace !== null) return outcome('awaiting', notInPlace.reason, `${words}${notInPlace.why}${besides}`);
  const waiting = mostSpecific(progress.waits);
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
    // What cannot be resized in place is not waited for: its replicas are enough.
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

/** Something goes first: a change under way, a stop, or a state in which nothing may be done. */
function isOccupied({ memory, policy, gateState, userRequests }: WorkloadSituation, { state }: Outcome): boolean {
  if (memory.apply !== null || memory.idle !== null) return true;
  if (gateState.paused !== null || gateState.stale !== null || policy.paused || userRequests.paused) return true;
  return state === 'blocked' || state === 'excluded' || state === 'applying' || state === 'exception';
}

/** The state of a workload that sleeps. */
export function idledOutcome(idle: IdleMemory): Outcome {
  const summary = summaryOf(idle.natural, idle.sizes, idle);
  return outcome('idle', null, `idle since ${new Date(idle.since).toISOString()}: ${summary}; wakes on ${idle.wakeTriggers}`);
}

function summaryOf(natural: Sizes, sizes: Sizes, { idleReplicas, autoscaler }: Pick<IdleMemory, 'idleReplicas' | 'autoscaler'>): string {
  const inPlace = isSmaller(sizes, natural) ? [changeSummary(natural, withLimitsOf(sizes, natural))] : [];
  const what = autoscaler === null ? 'replicas' : `minReplicas of HorizontalPodAutoscaler ${autoscaler.name}`;
  return [...inPlace, ...(idleReplicas === null ? [] : [`${what} ${idleReplicas}`])].join('; ');
}

/** For a summary: limits stay. */
function withLimitsOf(sizes: Sizes, natural: Sizes): Sizes {
  return new Map(
    [...sizes].map(([name, { requests }]) => {
      let kept = requests;
      const before = natural.get(name);
      for (const resource of RESOURCES)
        kept = withAmount(kept, resource, kept[FIELD[resource]] ?? before?.requests[FIELD[resource]] ?? null);
      return [name, { requests: kept, limits: before?.limits ?? requestsOnly(kept).limits }];
    }),
  );
}
