// Watches reductions that are in force on all pods through their next daily peak. A watch delays no change of this or another workload;
// after a regression all watched reductions are rolled back.

import { isoTime } from '#kube/time/iso-time';
import { HOUR_MS, MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { PodRecord } from '#kube/records/pod';
import { greaterOf, hasReduction, type Values } from '../../model/container-values.ts';
import type { ChangeUnderWay, ResizeMemory, ObservedReduction, WorkloadSituation } from '../../model/situation.ts';
import type { PolicyRules } from '../../policy/policy-rules.ts';
import { ofResizedContainers, planSteps } from '../steps/plan-steps.ts';
import { comparedText, evidenceOfRegression } from './throttling-and-pressure.ts';
import { findRegressionOfReduction, type Regression } from './roll-back-criteria.ts';
import { isSizedAtCreationOnly } from '../blockers/creation-only.ts';
import { isVerificationNeeded } from '../due/stages.ts';

/** Maximum number of items by the schema; further reductions within a day merge the two oldest. */
export const MAX_OBSERVED_REDUCTIONS = 8;
/** Time until the evidence of the last watched hour is complete. */
const LAST_HOUR_MS: DurationMs = 2 * HOUR_MS;
/** Share of the watched hours that must be compared before a watch resets the count of roll-backs for throttling or pressure. */
const PROVEN_SHARE = 0.5;

/** Whether a watch covers at least one whole hour to compare. */
function isLongEnough({ withinMs }: PolicyRules['rollback']): boolean {
  return withinMs >= HOUR_MS;
}

/** The watches after a change is in force on all pods. */
export function addObservedReduction(situation: WorkloadSituation, change: ChangeUnderWay): readonly ObservedReduction[] {
  const { memory, policy, now } = situation;
  const { observedReductions: watched, previous } = memory;
  if (previous === null || !isVerificationNeeded(change, previous.values) || !isLongEnough(policy.rollback)) return watched;
  // Pods that get the values at creation are observed at their start instead.
  if (isSizedAtCreationOnly(situation)) return watched;
  const before = new Map([...previous.values].filter(([name, from]) => hasReduction(from, change.values.get(name) ?? from)));
  const added = { since: change.startedAt, until: now + policy.rollback.withinMs + LAST_HOUR_MS, comparedHours: 0, before };
  return atMost([...watched, added]);
}

/** The memory without ended watches; the count of roll-backs is reset by one that compared enough hours. */
export function dropEndedWatches(memory: ResizeMemory, now: Instant): Pick<ResizeMemory, 'observedReductions' | 'rolledBack'> {
  const watched = memory.observedReductions.filter(({ until }) => until > now);
  const ended = memory.observedReductions.filter(({ until }) => until <= now);
  const isProven = ended.some(({ since, until, comparedHours }) => comparedHours * HOUR_MS >= (until - since) * PROVEN_SHARE);
  const { rolledBack } = memory;
  return { observedReductions: watched, rolledBack: rolledBack === null || !isProven ? rolledBack : { ...rolledBack, count: 0 } };
}

/** Whether only a completed watch resets the count of roll-backs: the stages of a change show too little of a day. */
export function isCountResetByWatch({ memory, policy }: WorkloadSituation): boolean {
  const { rolledBack } = memory;
  return (rolledBack?.reason === 'throttling' || rolledBack?.reason === 'pressure') && isLongEnough(policy.rollback);
}

/** Result of a look at the watched reductions. */
export interface WatchResult {
  readonly observedReductions: readonly ObservedReduction[];
  /** null: none. */
  readonly regression: Regression | null;
  /** Values before all watched reductions, but no less than those in force, so that a roll-back lowers nothing. */
  readonly before: Values;
}

/** Compares the watched reductions; null: nothing is watched. */
export function compareObservedReductions(situation: WorkloadSituation): WatchResult | null {
  const { memory, pods } = situation;
  const inForce = (memory.apply === null ? memory.lastApplied : memory.previous)?.values ?? null;
  if (memory.observedReductions.length === 0 || inForce === null) return null;
  const { actuated } = planSteps(situation, ofResizedContainers(situation, inForce), { kind: 'correct-drift', maxPods: 0, reason: '' });
  const others = pods.filter((pod) => pod.phase === 'Running' && !actuated.includes(pod));
  let regression: Regression | null = null;
  const watched = memory.observedReductions.map((each) => {
    const found = evidenceOfRegression(
      { ...situation, memory: { ...memory, apply: null } },
      { ...each, inForce, changed: actuated, others },
    );
    regression ??= found.regression ?? regressionOfPods(situation, each, inForce, actuated);
    return found.comparedHours <= each.comparedHours ? each : { ...each, comparedHours: found.comparedHours };
  });
  return {
    observedReductions: watched,
    regression,
    before: memory.observedReductions.reduce((values, { before }) => greaterOf(values, before), inForce),
  };
}

/**
 * Regression by the statuses of pods that the reduction lowered. Pods of a revision that was deployed later are excluded, because their
 * problems are not caused by the reduction.
 */
function regressionOfPods(
  { now, pods, workload, policy, countedKills = new Map(), failures = new Map() }: WorkloadSituation,
  { since, before }: ObservedReduction,
  inForce: Values,
  actuated: readonly PodRecord[],
): Regression | null {
  const isStillLower = [...before].some(([name, from]) => hasReduction(from, inForce.get(name) ?? from));
  if (!isStillLower || workload.rolloutInProgress) return null;
  const changed = actuated.filter(({ createdAt }) => createdAt <= since);
  const others = pods.filter((pod) => pod.phase === 'Running' && !changed.includes(pod));
  const change = { startedAt: since, values: inForce };
  return findRegressionOfReduction({ now, change, previous: before, changed, others, countedKills, failures }, policy.rollback);
}

/** Part of a decision's message about the last watch; null: nothing is watched. */
export function describeObservation({ observedReductions: watched }: ResizeMemory, now: Instant): string | null {
  const last = watched.at(-1);
  if (last === undefined) return null;
  const until = isoTime(Math.floor(last.until / MINUTE_MS) * MINUTE_MS);
  return `the last reduction is watched until ${until}, ${comparedText(last.comparedHours, now - last.since)}`;
}

function atMost(watched: readonly ObservedReduction[]): readonly ObservedReduction[] {
  const [first, second, ...rest] = watched;
  if (watched.length <= MAX_OBSERVED_REDUCTIONS || first === undefined || second === undefined) return watched;
  return [{ ...second, before: greaterOf(second.before, first.before) }, ...rest];
}
