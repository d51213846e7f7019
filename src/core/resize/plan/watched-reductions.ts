// Reductions that are in force on all pods are watched through their next daily peak. The watch takes no turn: it keeps no
// change waiting, of this workload or of others; what it finds harmful is taken back as a whole.

import { isoTime } from '#kube/time/iso-time';
import { HOUR_MS, MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { PodRecord } from '#kube/records/pod';
import { greaterOf, lowersAnything, type Values } from '../model/container-values.ts';
import type { ChangeUnderWay, ResizeMemory, WatchedReduction, WorkloadSituation } from '../model/situation.ts';
import type { PolicyRules } from '../policy/policy-rules.ts';
import { carryOut } from './carry-out.ts';
import { comparedText, evidenceOfRegression } from './throttling-and-pressure.ts';
import { regressionOfWatched, type Regression } from './roll-back-criteria.ts';
import { isSizedAtCreationOnly } from './creation-only.ts';
import { mustProveItself } from './stages.ts';

/** As many as the schema holds. More in a day are watched as if the two oldest were one. */
export const MAX_WATCHED = 8;
/** A watch ends when the evidence of its last hour has come. */
const LAST_HOUR_MS: DurationMs = 2 * HOUR_MS;
/** A finding by evidence is reset by evidence alone: of at least this share of the hours. */
const PROVEN_SHARE = 0.5;

/** A shorter watch has no whole hour to compare. */
function isLongEnough({ withinMs }: PolicyRules['rollback']): boolean {
  return withinMs >= HOUR_MS;
}

/** What is watched once a change is in force on all pods. */
export function watchedAfter(situation: WorkloadSituation, change: ChangeUnderWay): readonly WatchedReduction[] {
  const { memory, policy, now } = situation;
  const { watched, previous } = memory;
  if (previous === null || !mustProveItself(change, previous.values) || !isLongEnough(policy.rollback)) return watched;
  // Pods that only come with it are looked after as they come up.
  if (isSizedAtCreationOnly(situation)) return watched;
  const before = new Map([...previous.values].filter(([name, from]) => lowersAnything(from, change.values.get(name) ?? from)));
  const added = { since: change.startedAt, until: now + policy.rollback.withinMs + LAST_HOUR_MS, comparedHours: 0, before };
  return atMost([...watched, added]);
}

/** What is left of the watches at this moment, and whether one has ended that saw enough to speak for its reduction. */
export function withoutEnded(memory: ResizeMemory, now: Instant): Pick<ResizeMemory, 'watched' | 'rolledBack'> {
  const watched = memory.watched.filter(({ until }) => until > now);
  const ended = memory.watched.filter(({ until }) => until <= now);
  const isProven = ended.some(({ since, until, comparedHours }) => comparedHours * HOUR_MS >= (until - since) * PROVEN_SHARE);
  const { rolledBack } = memory;
  return { watched, rolledBack: rolledBack === null || !isProven ? rolledBack : { ...rolledBack, count: 0 } };
}

/** Whether only a watch without findings resets a roll-back: a change that spreads shows too little of a day. */
export function isCountResetByWatch({ memory, policy }: WorkloadSituation): boolean {
  const { rolledBack } = memory;
  return (rolledBack?.reason === 'throttling' || rolledBack?.reason === 'pressure') && isLongEnough(policy.rollback);
}

export interface WatchSeen {
  readonly watched: readonly WatchedReduction[];
  /** null: no sign of harm. */
  readonly regression: Regression | null;
  /** What was in force before all that is watched; nothing that was raised since is lowered for it. */
  readonly before: Values;
}

/** null: nothing is watched. */
export function lookAtWatched(situation: WorkloadSituation): WatchSeen | null {
  const { memory, pods } = situation;
  const inForce = (memory.apply === null ? memory.lastApplied : memory.previous)?.values ?? null;
  if (memory.watched.length === 0 || inForce === null) return null;
  const { settled } = carryOut(situation, inForce, { kind: 'correct-drift', most: 0, because: '' });
  const others = pods.filter((pod) => pod.phase === 'Running' && !settled.includes(pod));
  let regression: Regression | null = null;
  const watched = memory.watched.map((each) => {
    const found = evidenceOfRegression(
      { ...situation, memory: { ...memory, apply: null } },
      { ...each, inForce, changed: settled, others },
    );
    regression ??= found.regression ?? regressionOfPods(situation, each, inForce, settled);
    return found.comparedHours <= each.comparedHours ? each : { ...each, comparedHours: found.comparedHours };
  });
  return { watched, regression, before: memory.watched.reduce((values, { before }) => greaterOf(values, before), inForce) };
}

/**
 * Regression that the status of pods shows, of those that the reduction itself made smaller: what is wrong with a revision that was deployed
 * since is not its doing.
 */
function regressionOfPods(
  { now, pods, workload, policy, countedKills = new Map(), failures = new Map() }: WorkloadSituation,
  { since, before }: WatchedReduction,
  inForce: Values,
  settled: readonly PodRecord[],
): Regression | null {
  const isStillLower = [...before].some(([name, from]) => lowersAnything(from, inForce.get(name) ?? from));
  if (!isStillLower || workload.rolloutInProgress) return null;
  const changed = settled.filter(({ createdAt }) => createdAt <= since);
  const others = pods.filter((pod) => pod.phase === 'Running' && !changed.includes(pod));
  const change = { startedAt: since, values: inForce };
  return regressionOfWatched({ now, change, previous: before, changed, others, countedKills, failures }, policy.rollback);
}

/** In words; null: nothing is watched. */
export function watchText({ watched }: ResizeMemory, now: Instant): string | null {
  const last = watched.at(-1);
  if (last === undefined) return null;
  const until = isoTime(Math.floor(last.until / MINUTE_MS) * MINUTE_MS);
  return `its last reduction is watched until ${until}, ${comparedText(last.comparedHours, now - last.since)}`;
}

function atMost(watched: readonly WatchedReduction[]): readonly WatchedReduction[] {
  const [first, second, ...rest] = watched;
  if (watched.length <= MAX_WATCHED || first === undefined || second === undefined) return watched;
  return [{ ...second, before: greaterOf(second.before, first.before) }, ...rest];
}
