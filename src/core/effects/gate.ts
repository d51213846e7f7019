// The one gate before every effect: who may act, on data how old, how much at once. Pure; the shell around it is
// runtime/effect-gate.ts.

import { formatDuration } from '../model/duration.ts';
import { STALE_PERIODS, type SourceName, type StaleSource } from '../model/stale-source.ts';
import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { EffectIntent } from './effect.ts';

/** A source of what we know, and how often it is expected to say something. */
export interface Freshness {
  readonly name: SourceName;
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
  readonly warmUpUntil: Instant | null;
}

/** What the gate judges an effect by. */
export type JudgedEffect = Pick<EffectIntent, 'lane' | 'reliesOn' | 'direction' | 'dryRun'>;

/** Why an effect waits. `other-lanes`: effects that go first are being sent. */
export const BLOCK_REASONS = ['not-leader', 'paused', 'stale-data', 'warm-up', 'budget', 'other-lanes'] as const;
export type BlockReason = (typeof BLOCK_REASONS)[number];

export type GateVerdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'dry-run' }
  | { readonly kind: 'blocked'; readonly reason: BlockReason; readonly message: string };

/** The status of every workload that waits holds it. */
const MAX_PROBLEM = 300;

/** In this order: a replica that does not lead gets no other reason. A dry run is held back by the same reasons as a real one. */
export function judgeEffect(inputs: GateInputs, effect: JudgedEffect): GateVerdict {
  if (!inputs.leader) return held('not-leader', 'another replica is the leader');
  if (inputs.pause !== null) return held('paused', `Evenkeel is paused: ${inputs.pause.reason}`);
  const missing = effect.reliesOn.find((name) => inputs.sources.every((source) => source.name !== name));
  if (missing !== undefined) return held('stale-data', `${missing}: not read by this process`);
  const stale = staleSource({ now: inputs.now, sources: inputs.sources.filter(({ name }) => effect.reliesOn.includes(name)) });
  if (stale !== null) return held('stale-data', stale.message);
  if (isOptimizingReduction(effect) && inputs.warmUpUntil !== null && inputs.warmUpUntil > inputs.now) {
    return held('warm-up', `observing for ${formatDuration(inputs.warmUpUntil - inputs.now)} more before anything is reduced`);
  }
  return inputs.dryRun || effect.dryRun ? { kind: 'dry-run' } : { kind: 'pass' };
}

/** What observation after a start holds back, and what waits while anything else is being sent. */
export function isOptimizingReduction({ lane, direction }: Pick<EffectIntent, 'lane' | 'direction'>): boolean {
  return lane === 'optimize' && direction === 'reduce';
}

/** Which source is too old to act on; of several the informers, without which nothing is done; null: none. */
export function staleSource({ now, sources }: Pick<GateInputs, 'now' | 'sources'>): StaleSource | null {
  const stale = sources.flatMap((each): StaleSource[] => {
    const age = ageText(each, now);
    const why = each.problem === null ? '' : ` (${each.problem.slice(0, MAX_PROBLEM)})`;
    return age === null ? [] : [{ source: each.name, message: `${each.name}: ${age}${why}` }];
  });
  return stale.find(({ source }) => source === 'informers') ?? stale[0] ?? null;
}

/** null: it is fresh. */
function ageText({ confirmedAt, periodMs }: Freshness, now: Instant): string | null {
  if (confirmedAt <= 0) return 'nothing known yet';
  const age = now - confirmedAt;
  // Nobody knows how old it is: the clock was put back since, and nothing has been confirmed by the new time.
  if (-age > STALE_PERIODS * periodMs) return 'last confirmed at a time that has not come yet';
  return age > STALE_PERIODS * periodMs ? `last confirmed ${formatDuration(Math.floor(age / SECOND_MS) * SECOND_MS)} ago` : null;
}

/** Since when everything has been fresh without a break; null while something is stale. */
export type WarmUpState = Instant | null;

/** Observation begins again after every outage, as after a start. */
export function nextWarmUp(since: WarmUpState, inputs: Pick<GateInputs, 'now' | 'sources'>): WarmUpState {
  if (staleSource(inputs) !== null) return null;
  return Math.min(since ?? inputs.now, inputs.now);
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

function held(reason: BlockReason, message: string): GateVerdict {
  return { kind: 'blocked', reason, message };
}
