// The one gate before every effect: who may act, on data how old, how much at once. Pure; the shell around it is
// runtime/effect-gate.ts.

import { formatDuration } from '../model/duration.ts';
import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '../model/units.ts';

/** A source of what we know, and how often it is expected to say something. */
export interface Freshness {
  readonly name: string;
  /** When it last confirmed what is known; 0 or earlier: never. */
  readonly confirmedAt: Instant;
  readonly periodMs: DurationMs;
  /** What is wrong with it, in words; null: nothing that it knows of. */
  readonly problem: string | null;
}

export interface GateInputs {
  readonly now: Instant;
  readonly leader: boolean;
  readonly dryRun: boolean;
  readonly pause: { readonly reason: string; readonly until: Instant | null } | null;
  readonly sources: readonly Freshness[];
  /** null: not observing. */
  readonly calmUntil: Instant | null;
}

/** What an effect is, as far as the gate cares. */
export interface EffectIntent {
  /** Whose: the key of a workload. */
  readonly owner: string;
  readonly namespace: string;
  /** It takes something away (a smaller request, an evicted pod). */
  readonly lowers: boolean;
  /** The policy's own dry run. */
  readonly dryRun: boolean;
}

export type GateVerdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'dry-run' }
  | { readonly kind: 'held'; readonly reason: 'not-leader' | 'paused' | 'stale-data' | 'calm-start' | 'budget'; readonly message: string };

/** It stands in the status of every workload that waits. */
const LONGEST_PROBLEM = 300;

/** Older than this many of its periods a source no longer says how things are. */
const STALE_PERIODS = 2;

/** In this order: whoever is not leader learns nothing else. A dry run is held back by the same reasons as a real one. */
export function judgeEffect(inputs: GateInputs, intent: EffectIntent): GateVerdict {
  if (!inputs.leader) return held('not-leader', 'another replica is the leader');
  if (inputs.pause !== null) return held('paused', `Evenkeel is paused: ${inputs.pause.reason}`);
  const stale = staleSource(inputs);
  if (stale !== null) return held('stale-data', stale);
  if (intent.lowers && inputs.calmUntil !== null && inputs.calmUntil > inputs.now) {
    return held('calm-start', `observing for ${formatDuration(inputs.calmUntil - inputs.now)} more before anything is reduced`);
  }
  return inputs.dryRun || intent.dryRun ? { kind: 'dry-run' } : { kind: 'pass' };
}

/** Which source is too old to act on, in words; null: none. */
export function staleSource({ now, sources }: Pick<GateInputs, 'now' | 'sources'>): string | null {
  for (const { name, confirmedAt, periodMs, problem } of sources) {
    const why = problem === null ? '' : ` (${problem.slice(0, LONGEST_PROBLEM)})`;
    if (confirmedAt <= 0) return `${name}: nothing known yet${why}`;
    const age = now - confirmedAt;
    // Nobody knows how old it is: the clock was put back since, and nothing has been confirmed by the new time.
    if (-age > STALE_PERIODS * periodMs) return `${name}: last confirmed at a time that has not come yet${why}`;
    if (age > STALE_PERIODS * periodMs)
      return `${name}: last confirmed ${formatDuration(Math.floor(age / SECOND_MS) * SECOND_MS)} ago${why}`;
  }
  return null;
}

/** Since when everything has been fresh without a break; null while something is stale. */
export type CalmState = Instant | null;

/** Observation begins again after every outage, as after a start. */
export function nextCalm(calm: CalmState, inputs: Pick<GateInputs, 'now' | 'sources'>): CalmState {
  if (staleSource(inputs) !== null) return null;
  return Math.min(calm ?? inputs.now, inputs.now);
}

const MIN_REDUCTIONS_PER_MINUTE = 50;

/** How many reductions a minute the cluster takes. @param setting 0: as many as there are nodes, 50 at least */
export function reductionsPerMinute(setting: number, nodes: number): number {
  return setting > 0 ? setting : Math.max(MIN_REDUCTIONS_PER_MINUTE, nodes);
}

/** Reductions of the last minute. Those from the future, after the clock was set back, are of this moment at the latest. */
export function recentReductions(sentAt: readonly Instant[], now: Instant): readonly Instant[] {
  const recent = sentAt.filter((at) => now - at < MINUTE_MS);
  return recent.some((at) => at > now) ? recent.map((at) => Math.min(at, now)) : recent;
}

function held(reason: Extract<GateVerdict, { kind: 'held' }>['reason'], message: string): GateVerdict {
  return { kind: 'held', reason, message };
}
