// Finds evidence for a limit exception of a container and resource: demand above a bound that no recommended raise can satisfy.

import { stepDifferences } from '../../../model/explanation-step.ts';
import { formatCpu, formatMemory } from '#kube/quantity';
import type { ResourceName } from '#kube/records/resources';
import { MiB, type Instant, type Ratio } from '#kube/units';
import type { ResourceAdvice } from '../../../recommender/advice.ts';
import { FIELD } from '../../model/container-values.ts';
import { KILL_COUNTS_FOR_MS } from '../../model/evidence/counted-kill.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';
import type { ExceptionBound, LimitExceptionType } from '../../model/limit-exception.ts';
import type { ContainerDemand, DemandWindow } from '../../model/evidence/demand.ts';
import { isTreatedAsLeak } from '../../plan/container/leak.ts';
import { demandNow, isMostlyCache, isNearLimit, isThrottled, isUsageUnchanged } from './pressure.ts';

/** Evidence that a bound limits one resource of a container. Amounts in millicores or bytes. */
export interface Evidence {
  readonly type: LimitExceptionType;
  readonly bound: ExceptionBound;
  readonly limit: number;
  readonly observed: number;
  /** Measured usage; a recommendation does not count. */
  readonly used: number;
  /** Sufficient amount, before any cap. */
  readonly needed: number;
  readonly message: string;
  /** Time of the event, which may be earlier than its report for an OOM kill. */
  readonly at: Instant;
}

type KnownDemand = Pick<ContainerDemand, 'windows' | 'memorySteadySince'>;

/** State of one resource of a container. Amounts in millicores or bytes. */
export interface ResourceFacts {
  readonly container: string;
  readonly resource: ResourceName;
  /** Limit in force without a temporary overage; null: none. */
  readonly limit: number | null;
  /** Greatest permitted request; null where nothing caps the recommendation. */
  readonly ceiling: number | null;
  /** Recommended request within all bounds; null: no recommendation. */
  readonly target: number | null;
  /** Demand of the last minutes; null: unknown. */
  readonly demand: number | null;
  readonly evidence: Evidence | null;
  /** Memory was steady for hours without an OOM kill, so it is not about to exceed its limit, however near it is. */
  readonly isConstant: boolean;
}

/** Recent usage below this share of a bound is no evidence, also where older usage leads to a higher recommendation. */
export const CLEAR_RATIO: Ratio = 0.8;

/** Collects the facts of a resource. @param applies whether recommendations for this container are applied automatically */
export function resourceFacts(
  situation: WorkloadSituation,
  plan: ContainerPlan,
  resource: ResourceName,
  known: KnownDemand,
  applies: boolean,
): ResourceFacts {
  const { windows } = known;
  const isConstant = resource === 'memory' && hasConstantUsage(known, plan, situation);
  const limit = plan.inForce.limits[FIELD[resource]];
  const target = plan.target?.limits[FIELD[resource]] ?? null;
  const reachable = limit === null ? null : applies ? Math.max(limit, target ?? limit) : limit;
  const inputs: Inputs = { situation, plan, resource, windows, limit, reachable, applies, isConstant };
  const bounded = findOverBound(inputs);
  return {
    container: plan.name,
    resource,
    limit,
    ceiling: bounded?.ceiling ?? null,
    target: plan.target?.requests[FIELD[resource]] ?? null,
    demand: demandNow(windows, resource, situation.now),
    evidence: mostSevereOf(inputs, bounded?.evidence ?? null, applies),
    isConstant,
  };
}

/** The most severe evidence. A CPU limit that is raised automatically after throttling needs no user decision, but a ceiling does. */
function mostSevereOf(inputs: Inputs, overBounds: Evidence | null, applies: boolean): Evidence | null {
  const { resource, plan } = inputs;
  const awaitsStep = resource === 'cpu' && applies && plan.targetInputs?.cpuLimitStep?.isPossible === true;
  if (awaitsStep) return overBounds?.bound === 'ceiling' ? overBounds : null;
  return findLeak(inputs) ?? findKill(inputs) ?? findThrottling(inputs) ?? findNearLimit(inputs) ?? overBounds;
}

function hasConstantUsage({ memorySteadySince = null }: KnownDemand, { advice }: ContainerPlan, { now }: WorkloadSituation): boolean {
  return isUsageUnchanged(memorySteadySince, advice?.lastOomAt ?? null, now);
}

interface Inputs {
  readonly situation: WorkloadSituation;
  readonly plan: ContainerPlan;
  readonly resource: ResourceName;
  readonly windows: readonly DemandWindow[];
  readonly limit: number | null;
  readonly isConstant: boolean;
  /** The limit after the recommendation is applied. */
  readonly reachable: number | null;
  readonly applies: boolean;
}

/** Evidence of a memory leak: request and limit do not follow it, and the OOM kill at the limit restarts the container. */
function findLeak({ situation, plan, resource }: Inputs): Evidence | null {
  const { advice, name } = plan;
  if (resource !== 'memory' || advice === null || !isTreatedAsLeak(name, advice, situation)) return null;
  const deployed = situation.workload.containers.find((container) => container.name === name);
  const used = advice.memoryEvidence?.latest ?? advice.memory?.latest ?? 0;
  const limit = deployed?.limits.memoryBytes ?? plan.inForce.limits.memoryBytes ?? deployed?.requests.memoryBytes ?? used;
  const message = `memory leak suspected: usage has grown by more than 3 % a day for days; the deployed size of ${formatMemory(limit)} is kept`;
  return { type: 'leak', bound: 'limit', limit, observed: used, used, needed: limit, message, at: situation.now };
}

function findKill({ situation, plan, resource, limit, reachable, applies }: Inputs): Evidence | null {
  const { now, policy } = situation;
  const { advice } = plan;
  const at = advice?.lastOomAt ?? null;
  if (resource !== 'memory' || advice === null || at === null || limit === null || reachable === null) return null;
  if (now - at >= KILL_COUNTS_FOR_MS) return null;
  const needed = advice.oom?.killedPodNeed ?? 0;
  // The killed pod is raised before the other replicas, so its raise counts, too.
  if (needed <= (applies ? Math.max(reachable, plan.killedPod?.limits.memoryBytes ?? 0) : reachable)) return null;
  const { maxBumps } = policy.oom;
  const spent =
    new Set(situation.memory.oomBumps.filter((bump) => bump.container === plan.name).map((bump) => bump.limit)).size >= maxBumps;
  const why = spent
    ? `the limit of ${formatMemory(limit)} was raised ${maxBumps} times in 7 days`
    : `the limit of ${formatMemory(limit)} may not be raised`;
  // Usage cannot exceed the limit, so the need that follows from the kill counts as demand.
  return {
    type: 'oom-killed',
    bound: 'limit',
    limit,
    observed: needed,
    used: needed,
    needed,
    message: `OOM-killed; ${why}`,
    at,
  };
}

function findNearLimit({ situation: { now }, resource, windows, limit, reachable, isConstant }: Inputs): Evidence | null {
  if (limit === null || reachable === null || isConstant || !isNearLimit(windows, resource, reachable, now)) return null;
  const observed = demandNow(windows, resource, now) ?? reachable;
  const share = Math.round((observed / limit) * 100);
  const message =
    resource === 'memory'
      ? `the working set reached ${amount(resource, observed)}, ${share} % of the limit of ${amount(resource, limit)}, in two of three minutes`
      : `CPU usage reached ${amount(resource, observed)}, the limit of ${amount(resource, limit)}, in two of three minutes`;
  return { type: 'usage-over-limit', ...usedOf(resource, limit, observed), message, at: now };
}

function findThrottling({ situation: { now }, resource, windows, limit, reachable }: Inputs): Evidence | null {
  if (resource !== 'cpu' || limit === null || reachable === null || reachable > limit || !isThrottled(windows, now)) return null;
  const observed = demandNow(windows, resource, now) ?? limit;
  const message = `CPU was throttled in more than a quarter of all periods for 10 minutes by the limit of ${formatCpu(limit)}`;
  return { type: 'cpu-throttled', ...usedOf(resource, limit, observed), message, at: now };
}

/** Amounts of evidence that a limit restricts usage. */
function usedOf(
  resource: ResourceName,
  limit: number,
  observed: number,
): Pick<Evidence, 'bound' | 'limit' | 'observed' | 'used' | 'needed'> {
  return { bound: 'limit', limit, observed, used: observed, needed: greaterLimit(resource, limit, observed) };
}

/** Evidence that the recommendation exceeds a ceiling, the policy's max or a limit, and that recent usage is near that bound. */
function findOverBound(inputs: Inputs): { readonly ceiling: number | null; readonly evidence: Evidence | null } | null {
  const { situation, plan, resource, limit } = inputs;
  const { target, advice, policy } = plan;
  const about = advice?.[resource] ?? null;
  const common = target?.requests[FIELD[resource]] ?? null;
  if (about === null || common === null) return null;
  // The raise of a hot replica is not bounded, so it counts.
  const given = resource === 'cpu' ? Math.max(common, plan.hotCpu ?? 0) : common;
  const wanted = unboundedNeed(about);
  if (wanted <= given) return null;
  const bound: ExceptionBound = given === limit ? 'limit' : 'ceiling';
  const ceiling = bound === 'ceiling' ? given : null;
  const used = recentUsage(inputs, about, bound);
  if (wanted <= given * (1 + policy[resource].minChangeRatio) || used < given * CLEAR_RATIO) return { ceiling, evidence: null };
  const what = bound === 'limit' ? 'the limit, which may not be raised,' : 'the ceiling';
  const message = `${amount(resource, wanted)} of ${resource} is recommended; ${what} permits ${amount(resource, given)}`;
  const needed = bound === 'limit' ? Math.max(wanted, greaterLimit(resource, given, used)) : wanted;
  return {
    ceiling,
    evidence: { type: 'recommendation-over-ceiling', bound, limit: given, observed: wanted, used, needed, message, at: situation.now },
  };
}

/** Recent usage. Page cache fills any limit, so for memory that is mostly cache only the demand without cache counts. */
function recentUsage(
  { situation: { now }, resource, windows, isConstant }: Inputs,
  { recentPeak }: ResourceAdvice,
  bound: ExceptionBound,
): number {
  const demand = demandNow(windows, resource, now) ?? 0;
  if (resource !== 'memory' || bound === 'ceiling') return Math.max(recentPeak, demand);
  if (isConstant) return 0;
  return isMostlyCache(windows, now) ? demand : Math.max(recentPeak, demand);
}

/** The recommendation without a ceiling and without temporary increases. */
function unboundedNeed({ target, steps }: ResourceAdvice): number {
  const added = stepDifferences(steps);
  const moved = steps.reduce((sum, { step }, index) => (step === 'ceiling' || step === 'increase' ? sum + (added[index] ?? 0) : sum), 0);
  return target - moved;
}

/** A greater limit that is not reached again at once. It is computed from usage, never from an earlier bump. */
function greaterLimit(resource: ResourceName, limit: number, observed: number): number {
  return resource === 'memory' ? Math.max(limit * 1.2, limit + 64 * MiB, observed * 1.25) : Math.max(limit * 1.5, observed * 1.25);
}

/** Formats an amount for a message: whole millicores or MiB. */
export function amount(resource: ResourceName, value: number): string {
  return resource === 'cpu' ? formatCpu(Math.round(value)) : formatMemory(Math.ceil(value / MiB) * MiB);
}
