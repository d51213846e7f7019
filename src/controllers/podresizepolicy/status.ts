// The status of a PodResizePolicy: its workloads, its last cycle and its savings.

import { OBJECT_ANNOTATIONS, PAUSE_CONFIG_MAP } from '../../apis/annotations.ts';
import { CONDITION, CONDITION_REASON, RECOMMENDATION_STATES } from '../../apis/conditions.ts';
import type { PodResizePolicy, PodResizePolicySpec, PodResizePolicyStatus } from '../../apis/v1alpha1/index.ts';
import { isoTime } from '#kube/time/iso-time';
import type { Instant } from '#kube/units';
import { findNextOpening, findOpening } from '../../core/model/window.ts';
import { omitEmpty } from '../../core/model/encoding/omit-empty.ts';
import type { PolicyOverride } from '../../core/policies/policy-overrides.ts';
import type { NodeAutoscaler } from '../../core/resize/policy/node-autoscaler.ts';
import type { AutoscalerLease } from '../../core/resize/policy/autoscaler-lease.ts';
import { findDailyReason } from '../../core/resize/policy/policy-rules.ts';
import type { PolicyReading } from '../../core/resize/policy/read-policy.ts';
import { nextConditions, type ConditionNow } from '../../core/recommendations/conditions.ts';
import { describePause } from '../../core/model/describe-pause.ts';
import type { DecidedWorkload } from '../../state/decision-cache.ts';
import type { CycleResult } from '../../state/resize-cycles.ts';

/** The input of a status. */
export interface PolicyFacts {
  readonly now: Instant;
  readonly policy: PodResizePolicy;
  readonly reading: PolicyReading;
  /** Overrides in force; the policy's spec already includes them. */
  readonly overrides: readonly PolicyOverride[];
  readonly ignoredOverrides: readonly string[];
  /** The latest decision of each governed workload; undefined where none was made yet. */
  readonly governed: readonly (DecidedWorkload | undefined)[];
  /** Numbers of workloads that the policy selects and another one governs, by the other policy's name. */
  readonly outrankedBy: ReadonlyMap<string, number>;
  /** Numbers of workloads that the policy and an equally specific one select, by the other policy's name. */
  readonly rivals: ReadonlyMap<string, number>;
  /** Messages about selectors and container names that match nothing. */
  readonly unmatched: readonly string[];
  readonly cycle: CycleResult | null;
  readonly lastTrigger: string | null;
  readonly dryRun: boolean;
  /** The pause of every change by the ConfigMap evenkeel-pause; null: none. */
  readonly pause: { readonly reason: string; readonly until: Instant | null } | null;
  /** Whether new pods are sized at creation. */
  readonly admission: boolean;
  readonly autoscalerLease: AutoscalerLease;
  /** Another node autoscaler in the cluster; null where none was found. */
  readonly nodeAutoscaler: NodeAutoscaler | null;
  /** Missing permissions, for example `patch pods/resize in namespace shop`. */
  readonly missingPermissions: readonly string[];
  /** Pods whose owners' kinds may not be read, for example `12 pods of rollouts.argoproj.io`. */
  readonly unpermittedKinds: readonly string[];
}

/** Bounds the size of the status where many policies select the same workloads. */
const MAX_OUTRANKING_POLICIES = 32;
/** Names in one message; health lists all of them. */
const MAX_LISTED_NAMES = 5;
const MAX_MESSAGE = 2000;

export function policyStatus(facts: PolicyFacts): PodResizePolicyStatus {
  const { policy, governed, cycle, lastTrigger } = facts;
  const { generation } = policy.metadata;
  const outrankedBy = [...facts.outrankedBy].slice(0, MAX_OUTRANKING_POLICIES).map(([name, workloads]) => ({ policy: name, workloads }));
  const lastCycle = cycle === null ? policy.status?.lastCycle : cycleStatus(cycle);
  const nextWindow = windowStatus(facts);
  return omitEmpty({
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    workloads: countsOf(governed),
    awaiting: awaitingOf(governed),
    ...waitingRaisesOf(governed),
    ...(outrankedBy.length === 0 ? {} : { outrankedBy }),
    ...(lastCycle === undefined ? {} : { lastCycle }),
    ...(lastTrigger === null ? {} : { lastTrigger }),
    savings: savingsOf(governed),
    ...(nextWindow === null ? {} : { nextWindow }),
    conditions: nextConditions(policy.status?.conditions ?? [], conditionsOf(facts), generation ?? null, facts.now),
  });
}

/** Sums in US dollars per month; absent where no workload has a price. */
export function savingsOf(governed: readonly (DecidedWorkload | undefined)[]): NonNullable<PodResizePolicyStatus['savings']> {
  const sum = (field: keyof DecidedWorkload['savings']): number | null => {
    const values = governed.flatMap((decided) => decided?.savings[field] ?? []);
    return values.length === 0 ? null : Math.round(values.reduce((total, value) => total + value, 0) * 100) / 100;
  };
  const [potential, reclaimed] = [sum('potentialPerMonthUsd'), sum('reclaimedPerMonthUsd')];
  return {
    ...(potential === null ? {} : { potentialPerMonthUsd: potential }),
    ...(reclaimed === null ? {} : { reclaimedPerMonthUsd: reclaimed }),
  };
}

function countsOf(governed: readonly (DecidedWorkload | undefined)[]): NonNullable<PodResizePolicyStatus['workloads']> {
  const counts: Record<string, number> = { total: governed.length };
  for (const state of RECOMMENDATION_STATES) counts[state] = 0;
  for (const decided of governed) {
    // A workload that has not been decided yet counts as collecting history.
    const state = decided?.status.state ?? 'collecting';
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return counts;
}

function awaitingOf(governed: readonly (DecidedWorkload | undefined)[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const decided of governed) {
    const { state, reason } = decided?.status ?? {};
    if (state === 'awaiting' && reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function waitingRaisesOf(governed: readonly (DecidedWorkload | undefined)[]): Pick<PodResizePolicyStatus, 'waitingForNodeCapacity'> {
  const waiting = governed.flatMap((decided) => decided?.status.waitingForNodeCapacity ?? []);
  const pods = waiting.reduce((sum, { pods: count }) => sum + count, 0);
  return waiting.length === 0 ? {} : { waitingForNodeCapacity: { workloads: waiting.length, pods } };
}

function cycleStatus(cycle: CycleResult): NonNullable<PodResizePolicyStatus['lastCycle']> {
  const { id, trigger, startedAt, finishedAt, evaluated, changed, deferred, blocked, failed } = cycle;
  return {
    id,
    trigger,
    startedAt: isoTime(startedAt),
    ...(finishedAt === null ? {} : { finishedAt: isoTime(finishedAt) }),
    evaluated,
    changed,
    deferred,
    blocked,
    failed,
  };
}

function windowStatus({ reading, now }: PolicyFacts): NonNullable<PodResizePolicyStatus['nextWindow']> | null {
  if (!reading.ok) return null;
  const open = findOpening(reading.rules.windows, now);
  const opening = open ?? findNextOpening(reading.rules.windows, now);
  return opening === null ? null : { start: isoTime(opening.start), end: isoTime(opening.end), open: open !== null };
}

function conditionsOf(facts: PolicyFacts): readonly ConditionNow[] {
  const others = [overriddenOf(facts), consolidationLoopOf(facts)].filter((condition) => condition !== null);
  return [readyOf(facts), conflictedOf(facts), dryRunOf(facts), ...others];
}

/** null where the policy has no overrides annotation. */
function overriddenOf({ policy, overrides, ignoredOverrides }: PolicyFacts): ConditionNow | null {
  if (policy.metadata.annotations?.[OBJECT_ANNOTATIONS.overrides] === undefined) return null;
  const reported = overrides.map(({ field, value, expiresAt }) => {
    const end = expiresAt === null ? '' : ` until ${isoTime(expiresAt)}`;
    return `spec.${field} is ${JSON.stringify(value)}${end}`;
  });
  const ignored = ignoredOverrides.length > 0;
  return {
    type: CONDITION.overridden,
    status: overrides.length > 0,
    reason: ignored
      ? CONDITION_REASON.invalidOverride
      : overrides.length > 0
        ? CONDITION_REASON.overriddenByAnnotation
        : CONDITION_REASON.overridesEnded,
    message: [...ignoredOverrides, ...reported].join('; ').slice(0, MAX_MESSAGE),
  };
}

/**
 * Warns of a loop: pods are reduced, a node autoscaler consolidates their nodes and evicts them, they are created at their template's
 * size, nodes are added for them, and they are reduced again.
 * @returns null where new pods are sized at creation, where the policy reduces nothing, or where no node autoscaler was found
 */
function consolidationLoopOf({ reading, admission, nodeAutoscaler }: PolicyFacts): ConditionNow | null {
  if (admission || nodeAutoscaler === null || !reading.ok || !['Auto', 'Approve'].includes(reading.rules.mode)) return null;
  const { name, seenAs } = nodeAutoscaler;
  return {
    type: CONDITION.consolidationLoop,
    status: true,
    reason: CONDITION_REASON.admissionDisabled,
    message: `${name} runs here (${seenAs}): pods that it evicts to consolidate nodes are created at the size of their template and are reduced again; set controller.admission.enabled`,
  };
}

function readyOf({
  reading,
  policy,
  pause,
  governed,
  missingPermissions,
  unpermittedKinds,
  admission,
  autoscalerLease,
  outrankedBy,
  unmatched,
}: PolicyFacts): ConditionNow {
  const type = CONDITION.ready;
  if (!reading.ok)
    return { type, status: false, reason: reading.reason, message: `${reading.message}; ${effectOfInvalid(governed.length)}` };
  if (policy.spec.paused === true) {
    return { type, status: false, reason: CONDITION_REASON.paused, message: 'spec.paused stops every change; set it to false to resume' };
  }
  if (pause !== null) {
    const message = `${describePause(pause)} (ConfigMap ${PAUSE_CONFIG_MAP} in Evenkeel's namespace; delete it to resume)`;
    return { type, status: false, reason: CONDITION_REASON.paused, message: message.slice(0, MAX_MESSAGE) };
  }
  const missing = listIneffectiveFields(policy.spec, { admission });
  const without = missing.length === 0 ? '' : `; this version does not act on ${missing.join(', ')}`;
  const refused = missingPermissions.length === 0 ? '' : `; not permitted: ${listNames(missingPermissions)}`;
  const unread = unpermittedKinds.length === 0 ? '' : `; not resized, because their kinds may not be read: ${listNames(unpermittedKinds)}`;
  const reason = findDailyReason(reading.rules, autoscalerLease);
  const daily = reason === null ? '' : `; pace Hourly acts as Daily: ${reason}`;
  const outranked = outrankedBy.size === 0 ? '' : `; outranked for ${describeCounts(outrankedBy)}`;
  const nothing = unmatched.length === 0 ? '' : `; ${unmatched.join('; ')}`;
  const governs = `governs ${workloadsText(governed.length)} in mode ${reading.rules.mode}`;
  const message = `${governs}${outranked}${nothing}${daily}${without}${refused}${unread}`.slice(0, MAX_MESSAGE);
  return { type, status: true, reason: unmatched.length === 0 ? CONDITION_REASON.inForce : CONDITION_REASON.noMatch, message };
}

function effectOfInvalid(workloads: number): string {
  if (workloads === 0) return 'it governs no workloads';
  return `until it is valid, ${workloadsText(workloads)} that it governs get no new sizes; a change already made is still rolled back where it does harm`;
}

function workloadsText(count: number): string {
  return count === 1 ? '1 workload' : `${count} workloads`;
}

/** `3 (a 2, b 1)`: the sum, and the number by policy. */
function describeCounts(byPolicy: ReadonlyMap<string, number>): string {
  const total = [...byPolicy.values()].reduce((sum, workloads) => sum + workloads, 0);
  return `${total} (${listNames([...byPolicy].map(([name, workloads]) => `${name} ${workloads}`))})`;
}

function listNames(names: readonly string[]): string {
  const more = names.length - MAX_LISTED_NAMES;
  return `${names.slice(0, MAX_LISTED_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function conflictedOf({ rivals }: PolicyFacts): ConditionNow {
  const type = CONDITION.conflicted;
  if (rivals.size === 0) return { type, status: false, reason: CONDITION_REASON.noConflict, message: '' };
  return {
    type,
    status: true,
    reason: CONDITION_REASON.equallySpecific,
    message: `equally specific policies select the same workloads, which the oldest policy governs: ${describeCounts(rivals)}; add a workloadSelector or namespaces to one of them`,
  };
}

function dryRunOf({ policy, dryRun }: PolicyFacts): ConditionNow {
  const type = CONDITION.dryRun;
  if (dryRun) return { type, status: true, reason: CONDITION_REASON.dryRunBySetting, message: 'the setting controller.dryRun is on' };
  if (policy.spec.dryRun === true) return { type, status: true, reason: CONDITION_REASON.dryRunByPolicy, message: 'spec.dryRun is on' };
  return { type, status: false, reason: CONDITION_REASON.active, message: '' };
}

/** Fields of a policy that have no effect in this version or installation. They are reported, so that users do not rely on them. */
function listIneffectiveFields(spec: PodResizePolicySpec, { admission }: { readonly admission: boolean }): readonly string[] {
  const fields: readonly (readonly [string, boolean])[] = [
    ['spec.hpa: Tune (acts as Preserve)', spec.hpa === 'Tune'],
    ['limit.rule: None (acts as Keep without controller.admission.enabled)', !admission && limitRules(spec).includes('None')],
  ];
  return fields.flatMap(([field, isSet]) => (isSet ? [field] : []));
}

function limitRules(spec: PodResizePolicySpec): readonly (string | undefined)[] {
  return [spec, ...(spec.containers ?? [])].flatMap(({ cpu, memory }) => [cpu?.limit?.rule, memory?.limit?.rule]);
}
