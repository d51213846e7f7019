// Idle mode of one workload: falls idle, sleeps, wakes. The rules are in this folder; here they become steps on pods and
// what is to be remembered of them.

import type { ResizeMode } from '../../../../apis/conditions.ts';
import type { IdleMemory, LastIdle, Sizes } from '../../model/idle-memory.ts';
import { requestsOnly } from '../../model/idle-memory.ts';
import type { ResizeLayer } from '../layer.ts';
import { isScaled, scaleBack, scaleDown } from './idle-scale.ts';
import { leftToOthers, wakeReason } from './waking.ts';
import type { PodRecord } from '#kube/records/pod';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import { carryOut } from '../../plan/carry-out.ts';
import { FIELD, isLess, RESOURCES } from '../../model/container-values.ts';
import { outcome, type Outcome, type WorkloadDecision } from '../../model/decision.ts';
import type { DecisionNote } from '../../model/decision-note.ts';
import { idledOutcome, fallsIdle, type IdleVerdict } from './falls-idle.ts';
import { mostSpecific } from '../../model/waiting.ts';
import { isResizable } from '../../plan/pod-change.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { modeInForce } from '../../policy/policy-rules.ts';
import { planContainers } from '../../plan/plan-containers.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';

/** A node that cannot give a pod its natural size yet keeps the rest of right-sizing from it no longer than this. */
const NODES_PATIENCE_MS: DurationMs = 30 * MINUTE_MS;

/** As many as the schema holds; the wait between idle periods grows no further by then. */
const MAX_SHORT_IDLE_PERIODS = 64;

/** While it wakes, pods are looked at this often. */
const UNDER_WAY_MS: DurationMs = MINUTE_MS;

/** Decides about a workload that is idle, or that may fall idle; all else is left to the layers inside. */
export const idle: ResizeLayer = {
  name: 'idle',
  apply(context, next) {
    const mode = modeInForce(context.policy, context.overrides);
    const verdict = whileIdle(context, mode);
    const asIdle = verdict?.outcome ?? null;
    if (verdict !== null && asIdle !== null) return decisionOf(context, mode, verdict, asIdle);
    const active = { ...context, memory: { ...context.memory, ...verdict?.memory } };
    const decided = next(active);
    const decision = { ...decided, notes: [...(verdict?.notes ?? []), ...decided.notes] };
    return mode === 'Auto' ? orFalls({ ...active, memory: decided.memory }, decision) : decision;
  },
};

/** The decision, or what becomes of it where the workload falls idle. */
function orFalls(situation: WorkloadSituation, decided: WorkloadDecision): WorkloadDecision {
  const falling = fallsIdle(situation, decided.containers, decided);
  const fallen = falling?.outcome ?? null;
  if (falling === null || fallen === null) return decided;
  const notes = [...decided.notes, ...falling.notes];
  const says = falling.steps.length === 0 && falling.memory.idle === undefined;
  return says ? { ...decided, ...fallen, notes } : decisionOf(situation, decided.mode, { ...falling, notes }, fallen);
}

/** The figures that savings are counted by: while it is idle nothing is to be changed, so nothing more can be saved. */
export function duePlans({ containers, memory }: WorkloadDecision): readonly ContainerPlan[] {
  return memory.idle === null ? containers : containers.map((plans) => ({ ...plans, target: null, targetInputs: null }));
}

function decisionOf(situation: WorkloadSituation, mode: ResizeMode, verdict: IdleVerdict, outcome: Outcome): WorkloadDecision {
  const { policy, gateState } = situation;
  const memory = { ...situation.memory, ...verdict.memory };
  return {
    ...outcome,
    mode,
    containers: planContainers({ ...situation, memory }),
    memory,
    steps: gateState.dryRun || policy.dryRun ? verdict.steps.slice(0, 1) : verdict.steps,
    autoscalers: [],
    evict: null,
    ...(verdict.scale === null ? {} : { scale: verdict.scale }),
    notes: verdict.notes,
    lookAgainInMs: outcome.state === 'idle' ? policy.intervalMs : Math.min(UNDER_WAY_MS, policy.intervalMs),
  };
}

/** What becomes of a workload that is idle; null: it is not. Comes before everything else that might be decided. */
function whileIdle(situation: WorkloadSituation, mode: ResizeMode): IdleVerdict | null {
  const { idle } = situation.memory;
  if (idle === null) return null;
  if (idle.waking !== null) return wakes(situation, idle, []);
  const reason = wakeReason(situation, mode, idle);
  if (reason === null) return sleeps(situation, idle);
  const waking = { ...idle, waking: { since: situation.now, ...reason } };
  return wakes(situation, waking, [{ type: 'Normal', reason: 'Woken', message: `back to its natural size: ${reason.because}` }]);
}

function sleeps(situation: WorkloadSituation, idle: IdleMemory): IdleVerdict {
  const because = 'idle: the pod has its natural size still';
  const { steps } = carryOut(situation, idle.sizes, { kind: 'correct-drift', most: Number.POSITIVE_INFINITY, because });
  const { gateState, now } = situation;
  const isWarmingUp = gateState.warmUpUntil !== null && gateState.warmUpUntil > now;
  const stands = gateState.paused !== null || gateState.stale !== null || isWarmingUp;
  return {
    outcome: idledOutcome(idle),
    // Once observed, a later change of the replicas is a user's decision.
    memory: !idle.scaled && isScaled(situation, idle) ? { idle: { ...idle, scaled: true } } : {},
    steps: stands ? [] : steps,
    notes: [],
    scale: stands || idle.scaled ? null : scaleDown(situation, idle),
  };
}

/** To all pods at once: an increase has nothing to prove, and waits for no window and no cool-down. */
function wakes(situation: WorkloadSituation, idle: IdleMemory, notes: readonly DecisionNote[]): IdleVerdict {
  const { now, pods, gateState, policy, overrides } = situation;
  const { waking, natural } = idle;
  if (waking === null) return { outcome: null, memory: {}, steps: [], notes, scale: null };
  const because = `woken: ${waking.because}`;
  const patient = now - waking.since < NODES_PATIENCE_MS;
  const left = leftToOthers(situation, idle);
  const short = pods.filter((pod) => isShort(pod, natural) && (patient || isResizable(pod)) && !left(pod));
  // A node that reports no usage can be asked to give more all the same.
  const reachable = { ...situation, pods: short, unreadPods: new Set<string>() };
  const wanted: Sizes = new Map([...natural].map(([name, { requests }]) => [name, requestsOnly(requests)]));
  const progress = carryOut(reachable, wanted, { kind: 'change', most: Number.POSITIVE_INFINITY, because });
  const refused = patient ? pods.filter(({ resize }) => resize.state === 'deferred' || resize.state === 'infeasible') : [];
  const scale = scaleBack(situation, idle, because);
  const missing = short.length + refused.length;
  // In Auto the rest of right-sizing raises what is short, and does more for it than waiting.
  const handedOver = !patient && progress.steps.length === 0 && modeInForce(policy, overrides) === 'Auto';
  if (scale === null && (missing === 0 || handedOver)) {
    return { outcome: null, memory: { idle: null, lastIdle: lastIdleOf(situation, idle, waking) }, steps: [], notes, scale };
  }
  const dryRun = gateState.dryRun || policy.dryRun;
  const replicas = scale === null || scale.from === scale.to ? '' : `; replicas ${scale.from} → ${scale.to}`;
  const what = `waking (${waking.because}): ${missing} of ${pods.length} pods lack their natural size${replicas}`;
  const waiting = progress.steps.length > 0 || dryRun ? null : mostSpecific(progress.waits);
  const state =
    waiting === null
      ? outcome('applying', null, dryRun ? `dry run: ${what}` : what)
      : outcome('awaiting', waiting.reason, `${what}; ${waiting.message}`, waiting.until);
  return { outcome: state, memory: { idle }, steps: progress.steps, notes, scale };
}

/** Whether a pod asks for less than the natural size. */
function isShort(pod: PodRecord, natural: Sizes): boolean {
  return pod.containers.some(({ name, requests }) => {
    const full = natural.get(name)?.requests;
    return full !== undefined && RESOURCES.some((resource) => isLess(requests[FIELD[resource]], full[FIELD[resource]]));
  });
}

function lastIdleOf({ now, memory, policy }: WorkloadSituation, idle: IdleMemory, waking: NonNullable<IdleMemory['waking']>): LastIdle {
  const slept = waking.since - idle.since;
  const before = memory.lastIdle?.shortIdlePeriods ?? 0;
  const shortIdlePeriods = slept >= policy.idle.afterMs ? 0 : waking.by === 'load' ? Math.min(before + 1, MAX_SHORT_IDLE_PERIODS) : before;
  return { since: idle.since, wokenAt: now, because: waking.because, shortIdlePeriods, activeMs: idle.activeMs, floor: idle.floor };
}
