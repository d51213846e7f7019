// What speaks for a limit exception now, by container and resource. It is one only where the ordinary way cannot give what
// is needed: a raise that is recommended, and may be applied, is no exception.

import { addedBySteps } from '../../../model/explanation-step.ts';
import { formatCpu, formatMemory } from '#kube/quantity';
import type { ResourceName } from '#kube/records/resources';
import { MiB, type Instant, type Ratio } from '#kube/units';
import type { ResourceAdvice } from '../../../recommender/advice.ts';
import { FIELD } from '../../model/container-values.ts';
import { KILL_COUNTS_FOR_MS } from '../../model/counted-kill.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';
import type { ExceptionBound, LimitExceptionType } from '../../model/limit-exception.ts';
import type { ContainerDemand, DemandWindow } from '../../model/demand.ts';
import { isLeakKept } from '../../plan/leak.ts';
import { demandNow, isMostlyCache, isNearLimit, isThrottled, isUsageUnchanged } from './pressure.ts';

/** What limits one container, for one resource. */
export interface Evidence {
  readonly type: LimitExceptionType;
  readonly bound: ExceptionBound;
  readonly limit: number;
  readonly observed: number;
  /** Measured usage, as far as it is known: a recommendation is no demand. */
  readonly used: number;
  /** What would be enough, before anything caps it. */
  readonly needed: number;
  readonly words: string;
  /** When it happened; a kill is reported long after. */
  readonly at: Instant;
}

type KnownDemand = Pick<ContainerDemand, 'windows' | 'memoryStillSince'>;

/** What is known of one resource of one container. */
export interface ResourceFacts {
  readonly container: string;
  readonly resource: ResourceName;
  /** In force, a temporary overage apart; null: there is none. */
  readonly limit: number | null;
  /** The most that it may ask for; null where nothing caps what is recommended. */
  readonly ceiling: number | null;
  /** The request that is recommended, within every bound; null: nothing is. */
  readonly target: number | null;
  /** Demand of the last minutes; null: not known. */
  readonly demand: number | null;
  readonly evidence: Evidence | null;
  /** Its memory was steady for hours without a kill: however near to its limit, it is not about to pass it. */
  readonly isConstant: boolean;
}

/** Recent usage under this share of a bound does not speak against it, whatever an older past would have recommended. */
export const CLEAR_RATIO: Ratio = 0.8;

/** @param applies whether what is recommended for this container is put into force without being asked for */
export function resourceFacts(
  situation: WorkloadSituation,
  plans: ContainerPlan,
  resource: ResourceName,
  known: KnownDemand,
  applies: boolean,
): ResourceFacts {
  const { windows } = known;
  const isConstant = resource === 'memory' && hasConstantUsage(known, plans, situation);
  const limit = plans.inForce.limits[FIELD[resource]];
  const target = plans.target?.limits[FIELD[resource]] ?? null;
  const reachable = limit === null ? null : applies ? Math.max(limit, target ?? limit) : limit;
  const inputs: Inputs = { situation, plans, resource, windows, limit, reachable, applies, isConstant };
  const bounded = overBound(inputs);
  return {
    container: plans.name,
    resource,
    limit,
    ceiling: bounded?.ceiling ?? null,
    target: plans.target?.requests[FIELD[resource]] ?? null,
    demand: demandNow(windows, resource, situation.now),
    evidence: gravestOf(inputs, bounded?.evidence ?? null, applies),
    isConstant,
  };
}

/** A CPU limit that is raised by itself once throttling has lasted needs no decision of a person; a ceiling does. */
function gravestOf(inputs: Inputs, overBounds: Evidence | null, applies: boolean): Evidence | null {
  const { resource, plans } = inputs;
  const awaitsStep = resource === 'cpu' && applies && plans.targetInputs?.cpuLimitStep?.isPossible === true;
  if (awaitsStep) return overBounds?.bound === 'ceiling' ? overBounds : null;
  return leaking(inputs) ?? killed(inputs) ?? throttled(inputs) ?? nearLimit(inputs) ?? overBounds;
}

function hasConstantUsage({ memoryStillSince = null }: KnownDemand, { advice }: ContainerPlan, { now }: WorkloadSituation): boolean {
  return isUsageUnchanged(memoryStillSince, advice?.lastOomAt ?? null, now);
}

interface Inputs {
  readonly situation: WorkloadSituation;
  readonly plans: ContainerPlan;
  readonly resource: ResourceName;
  readonly windows: readonly DemandWindow[];
  readonly limit: number | null;
  readonly isConstant: boolean;
  /** The limit once what is recommended is in force. */
  readonly reachable: number | null;
  readonly applies: boolean;
}

/** Memory that grows without end: neither request nor limit follows it, and its own limit restarts the container. */
function leaking({ situation, plans, resource }: Inputs): Evidence | null {
  const { advice, name } = plans;
  if (resource !== 'memory' || advice === null || !isLeakKept(name, advice, situation)) return null;
  const deployed = situation.workload.containers.find((container) => container.name === name);
  const used = advice.memoryEvidence?.latest ?? advice.memory?.latest ?? 0;
  const limit = deployed?.limits.memoryBytes ?? plans.inForce.limits.memoryBytes ?? deployed?.requests.memoryBytes ?? used;
  const words = `its memory has grown by more than 3 % a day for days: a leak, that is not fed; it stays at its deployed size of ${formatMemory(limit)}`;
  return { type: 'leak', bound: 'limit', limit, observed: used, used, needed: limit, words, at: situation.now };
}

function killed({ situation, plans, resource, limit, reachable, applies }: Inputs): Evidence | null {
  const { now, policy } = situation;
  const { advice } = plans;
  const at = advice?.lastOomAt ?? null;
  if (resource !== 'memory' || advice === null || at === null || limit === null || reachable === null) return null;
  if (now - at >= KILL_COUNTS_FOR_MS) return null;
  const needed = advice.oom?.killedPodNeed ?? 0;
  // The killed pod comes first: its raise is on its way before the others'.
  if (needed <= (applies ? Math.max(reachable, plans.killedPod?.limits.memoryBytes ?? 0) : reachable)) return null;
  const { maxBumps } = policy.oom;
  const spent =
    new Set(situation.memory.oomBumps.filter((bump) => bump.container === plans.name).map((bump) => bump.limit)).size >= maxBumps;
  const why = spent
    ? `its limit of ${formatMemory(limit)} was raised ${maxBumps} times in 7 days`
    : `its limit of ${formatMemory(limit)} is not to be raised`;
  // What was used is cut at the limit; what the kill asks for is the demand that is known.
  return {
    type: 'oom-killed',
    bound: 'limit',
    limit,
    observed: needed,
    used: needed,
    needed,
    words: `killed for want of memory; ${why}`,
    at,
  };
}

function nearLimit({ situation: { now }, resource, windows, limit, reachable, isConstant }: Inputs): Evidence | null {
  if (limit === null || reachable === null || isConstant || !isNearLimit(windows, resource, reachable, now)) return null;
  const observed = demandNow(windows, resource, now) ?? reachable;
  const share = Math.round((observed / limit) * 100);
  const words =
    resource === 'memory'
      ? `its working set reached ${amount(resource, observed)}, ${share} % of the limit of ${amount(resource, limit)}, in two of three minutes`
      : `it used ${amount(resource, observed)}, all that its limit of ${amount(resource, limit)} gives, in two of three minutes`;
  return { type: 'usage-over-limit', ...usedOf(resource, limit, observed), words, at: now };
}

function throttled({ situation: { now }, resource, windows, limit, reachable }: Inputs): Evidence | null {
  if (resource !== 'cpu' || limit === null || reachable === null || reachable > limit || !isThrottled(windows, now)) return null;
  const observed = demandNow(windows, resource, now) ?? limit;
  const words = `its CPU was throttled in more than a quarter of all periods for 10 minutes, by its limit of ${formatCpu(limit)}`;
  return { type: 'cpu-throttled', ...usedOf(resource, limit, observed), words, at: now };
}

/** Usage that a limit holds back. */
function usedOf(
  resource: ResourceName,
  limit: number,
  observed: number,
): Pick<Evidence, 'bound' | 'limit' | 'observed' | 'used' | 'needed'> {
  return { bound: 'limit', limit, observed, used: observed, needed: greaterLimit(resource, limit, observed) };
}

/** More is recommended than a ceiling, the policy or a limit lets it have, and it is used lately. */
function overBound(inputs: Inputs): { readonly ceiling: number | null; readonly evidence: Evidence | null } | null {
  const { situation, plans, resource, limit } = inputs;
  const { target, advice, policy } = plans;
  const about = advice?.[resource] ?? null;
  const common = target?.requests[FIELD[resource]] ?? null;
  if (about === null || common === null) return null;
  // What a hot replica alone is given is held back by no bound.
  const given = resource === 'cpu' ? Math.max(common, plans.hotCpu ?? 0) : common;
  const wanted = learntNeed(about);
  if (wanted <= given) return null;
  const bound: ExceptionBound = given === limit ? 'limit' : 'ceiling';
  const ceiling = bound === 'ceiling' ? given : null;
  const used = lately(inputs, about, bound);
  if (wanted <= given * (1 + policy[resource].minChangeRatio) || used < given * CLEAR_RATIO) return { ceiling, evidence: null };
  const what = bound === 'limit' ? 'its limit, which is not to be raised,' : 'its ceiling';
  const words = `${amount(resource, wanted)} of ${resource} would be right; ${what} gives ${amount(resource, given)}`;
  const needed = bound === 'limit' ? Math.max(wanted, greaterLimit(resource, given, used)) : wanted;
  return {
    ceiling,
    evidence: { type: 'recommendation-over-ceiling', bound, limit: given, observed: wanted, used, needed, words, at: situation.now },
  };
}

/** What was used lately. Page cache fills any limit: there, what the recommender saw is no use. */
function lately(
  { situation: { now }, resource, windows, isConstant }: Inputs,
  { recentPeak }: ResourceAdvice,
  bound: ExceptionBound,
): number {
  const demand = demandNow(windows, resource, now) ?? 0;
  if (resource !== 'memory' || bound === 'ceiling') return Math.max(recentPeak, demand);
  if (isConstant) return 0;
  return isMostlyCache(windows, now) ? demand : Math.max(recentPeak, demand);
}

/** The recommendation as it would be without a ceiling, and without what only this hour asks for. */
function learntNeed({ target, steps }: ResourceAdvice): number {
  const added = addedBySteps(steps);
  const moved = steps.reduce((sum, { step }, index) => (step === 'ceiling' || step === 'increase' ? sum + (added[index] ?? 0) : sum), 0);
  return target - moved;
}

/** By how much a limit is to be greater so that it is not hit again at once. Made from what was used, never from an earlier bump. */
function greaterLimit(resource: ResourceName, limit: number, observed: number): number {
  return resource === 'memory' ? Math.max(limit * 1.2, limit + 64 * MiB, observed * 1.25) : Math.max(limit * 1.5, observed * 1.25);
}

export function amount(resource: ResourceName, value: number): string {
  return resource === 'cpu' ? formatCpu(Math.round(value)) : formatMemory(Math.ceil(value / MiB) * MiB);
}
