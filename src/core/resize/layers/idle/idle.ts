// Idle mode: idles a workload without load, keeps it idle, and wakes it. The rules are in the other files of this folder.

import type { ResizeMode } from '../../../../apis/conditions.ts';
import type { IdleMemory, LastIdle, Sizes } from '../../model/evidence/idle-memory.ts';
import { requestsOnly } from '../../model/evidence/idle-memory.ts';
import type { ResizeLayer } from '../layer.ts';
import { isScaled, restoreScale, scaleDown } from './idle-scale.ts';
import { selectUnrestored, findWakeReason } from './waking.ts';
import type { PodRecord } from '#kube/records/pod';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import { planSteps } from '../../plan/steps/plan-steps.ts';
import { FIELD, isLess, RESOURCES } from '../../model/container-values.ts';
import { outcome, type Outcome, type WorkloadDecision } from '../../model/decision.ts';
import type { DecisionEvent } from '../../model/decision-event.ts';
import { idledOutcome, idleWorkload, type IdleVerdict } from './idle-workload.ts';
import { pickByRank } from '../../model/waiting.ts';
import { isResizable } from '../../plan/pod/pod-change.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { modeInForce } from '../../policy/policy-rules.ts';
import { planContainers } from '../../plan/plan-containers.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';

/** After this time waking no longer waits for a node without capacity for a pod's natural size, and right-sizing continues. */
const NODES_PATIENCE_MS: DurationMs = 30 * MINUTE_MS;

/** Maximum by the schema; the back-off has reached its own maximum long before. */
const MAX_SHORT_IDLE_PERIODS = 64;

/** Interval of decisions while a workload wakes. */
const CHANGE_INTERVAL_MS: DurationMs = MINUTE_MS;

/** Decides about idled workloads and those that may be idled; the inner layers decide about all others. */
export const idle: ResizeLayer = {
  name: 'idle',
  apply(context, next) {
    const mode = modeInForce(context.policy, context.overrides);
    const verdict = decideIdled(context, mode);
    const asIdle = verdict?.outcome ?? null;
    if (verdict !== null && asIdle !== null) return decisionOf(context, mode, verdict, asIdle);
    const active = { ...context, memory: { ...context.memory, ...verdict?.memory } };
    const decided = next(active);
    const decision = { ...decided, events: [...(verdict?.events ?? []), ...decided.events] };
    return mode === 'Auto' ? decideOrIdle({ ...active, memory: decided.memory }, decision) : decision;
  },
};

/** The decision, replaced where the workload is idled now. */
function decideOrIdle(situation: WorkloadSituation, decided: WorkloadDecision): WorkloadDecision {
  const falling = idleWorkload(situation, decided.containers, decided);
  const fallen = falling?.outcome ?? null;
  if (falling === null || fallen === null) return decided;
  const events = [...decided.events, ...falling.events];
  const isReportOnly = falling.steps.length === 0 && falling.memory.idle === undefined;
  return isReportOnly ? { ...decided, ...fallen, events } : decisionOf(situation, decided.mode, { ...falling, events }, fallen);
}

/** The plans by which potential savings are counted: an idled workload has no target, so it has none. */
export function duePlans({ containers, memory }: WorkloadDecision): readonly ContainerPlan[] {
  return memory.idle === null ? containers : containers.map((plan) => ({ ...plan, target: null, targetInputs: null }));
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
    events: verdict.events,
    reconcileAfterMs: outcome.state === 'idle' ? policy.intervalMs : Math.min(CHANGE_INTERVAL_MS, policy.intervalMs),
  };
}

/** Decision about an idled workload; null: it is not idled. */
function decideIdled(situation: WorkloadSituation, mode: ResizeMode): IdleVerdict | null {
  const { idle } = situation.memory;
  if (idle === null) return null;
  if (idle.waking !== null) return wake(situation, idle, []);
  const reason = findWakeReason(situation, mode, idle);
  if (reason === null) return keepIdle(situation, idle);
  const waking = { ...idle, waking: { since: situation.now, ...reason } };
  return wake(situation, waking, [{ type: 'Normal', reason: 'Woken', message: `restored to its natural size: ${reason.reason}` }]);
}

function keepIdle(situation: WorkloadSituation, idle: IdleMemory): IdleVerdict {
  const because = 'idle: the pod still has its natural size';
  const { steps } = planSteps(situation, idle.sizes, { kind: 'correct-drift', maxPods: Number.POSITIVE_INFINITY, reason: because });
  const { gateState, now } = situation;
  const isWarmingUp = gateState.warmUpUntil !== null && gateState.warmUpUntil > now;
  const isStopped = gateState.paused !== null || gateState.stale !== null || isWarmingUp;
  return {
    outcome: idledOutcome(idle),
    // Once observed, a later change of the replicas is a user's decision.
    memory: !idle.scaled && isScaled(situation, idle) ? { idle: { ...idle, scaled: true } } : {},
    steps: isStopped ? [] : steps,
    events: [],
    scale: isStopped || idle.scaled ? null : scaleDown(situation, idle),
  };
}

/** Restores the natural size of all pods at once: a raise needs no canary, and waits for no window or cool-down. */
function wake(situation: WorkloadSituation, idle: IdleMemory, events: readonly DecisionEvent[]): IdleVerdict {
  const { now, pods, gateState, policy, overrides } = situation;
  const { waking, natural } = idle;
  if (waking === null) return { outcome: null, memory: {}, steps: [], events, scale: null };
  const because = `woken: ${waking.reason}`;
  const isWaitingForNodes = now - waking.since < NODES_PATIENCE_MS;
  const isUnrestored = selectUnrestored(situation, idle);
  const short = pods.filter((pod) => isShort(pod, natural) && (isWaitingForNodes || isResizable(pod)) && !isUnrestored(pod));
  // A raise does not need usage, so it also reaches pods of nodes that report none.
  const reachable = { ...situation, pods: short, unreadPods: new Set<string>() };
  const wanted: Sizes = new Map([...natural].map(([name, { requests }]) => [name, requestsOnly(requests)]));
  const progress = planSteps(reachable, wanted, { kind: 'change', maxPods: Number.POSITIVE_INFINITY, reason: because });
  const refused = isWaitingForNodes ? pods.filter(({ resize }) => resize.state === 'deferred' || resize.state === 'infeasible') : [];
  const scale = restoreScale(situation, idle, because);
  const missing = short.length + refused.length;
  // In mode Auto right-sizing raises the remaining pods, for example by eviction.
  const handedOver = !isWaitingForNodes && progress.steps.length === 0 && modeInForce(policy, overrides) === 'Auto';
  if (scale === null && (missing === 0 || handedOver)) {
    return { outcome: null, memory: { idle: null, lastIdle: lastIdleOf(situation, idle, waking) }, steps: [], events, scale };
  }
  const dryRun = gateState.dryRun || policy.dryRun;
  const replicas = scale === null || scale.from === scale.to ? '' : `; replicas ${scale.from} → ${scale.to}`;
  const what = `waking (${waking.reason}): ${missing} of ${pods.length} pods lack their natural size${replicas}`;
  const waiting = progress.steps.length > 0 || dryRun ? null : pickByRank(progress.waits);
  const state =
    waiting === null
      ? outcome('applying', null, dryRun ? `dry run: ${what}` : what)
      : outcome('awaiting', waiting.reason, `${what}; ${waiting.message}`, waiting.until);
  return { outcome: state, memory: { idle }, steps: progress.steps, events, scale };
}

/** Whether a pod requests less than the natural size. */
function isShort(pod: PodRecord, natural: Sizes): boolean {
  return pod.containers.some(({ name, requests }) => {
    const full = natural.get(name)?.requests;
    return full !== undefined && RESOURCES.some((resource) => isLess(requests[FIELD[resource]], full[FIELD[resource]]));
  });
}

function lastIdleOf({ now, memory, policy }: WorkloadSituation, idle: IdleMemory, waking: NonNullable<IdleMemory['waking']>): LastIdle {
  const idleMs = waking.since - idle.since;
  const before = memory.lastIdle?.shortIdlePeriods ?? 0;
  const shortIdlePeriods = idleMs >= policy.idle.afterMs ? 0 : waking.by === 'load' ? Math.min(before + 1, MAX_SHORT_IDLE_PERIODS) : before;
  return { since: idle.since, wokenAt: now, reason: waking.reason, shortIdlePeriods, activeMs: idle.activeMs, floor: idle.floor };
}
