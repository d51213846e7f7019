// Gate before every effect: leadership, pause, age of data, warm-up and budget. runtime/effects/effect-gate.ts applies it.

import { describePause } from '../model/describe-pause.ts';
import { formatDuration } from '../model/duration.ts';
import { STALE_PERIODS, type SourceName, type StaleSource } from '../model/stale-source.ts';
import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { EffectIntent } from './effect.ts';

/** Age of the data of a source, and how often it should be confirmed. */
export interface Freshness {
  readonly name: SourceName;
  /** When the data was last confirmed; 0 or earlier: never. */
  readonly confirmedAt: Instant;
  readonly periodMs: DurationMs;
  /** Message of the source's problem; null: none. */
  readonly problem: string | null;
}

/** State of the process when it judges an effect. */
export interface GateInputs {
  readonly now: Instant;
  readonly leader: boolean;
  readonly dryRun: boolean;
  readonly pause: { readonly reason: string; readonly until: Instant | null } | null;
  readonly sources: readonly Freshness[];
  /** null: no warm-up. */
  readonly warmUpUntil: Instant | null;
}

/** The fields of an effect that the gate needs. */
export type JudgedEffect = Pick<EffectIntent, 'lane' | 'reliesOn' | 'direction' | 'dryRun'>;

/** Reasons why an effect waits. `other-lanes`: effects of higher priority are being sent. */
export const BLOCK_REASONS = ['not-leader', 'paused', 'stale-data', 'warm-up', 'budget', 'other-lanes'] as const;
/** One of `BLOCK_REASONS`. */
export type BlockReason = (typeof BLOCK_REASONS)[number];

/** Outcome of the gate. */
export type GateVerdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'dry-run' }
  | { readonly kind: 'blocked'; readonly reason: BlockReason; readonly message: string };

/** Maximum length of a problem: each waiting workload has it in its status. */
const MAX_PROBLEM = 300;

/** Judges an effect. Checks are in order: a replica that is not the leader reports no other reason. A dry run has the same blockers. */
export function judgeEffect(inputs: GateInputs, effect: JudgedEffect): GateVerdict {
  if (!inputs.leader) return blocked('not-leader', 'another replica is the leader');
  if (inputs.pause !== null) return blocked('paused', describePause(inputs.pause));
  const missing = effect.reliesOn.find((name) => inputs.sources.every((source) => source.name !== name));
  if (missing !== undefined) return blocked('stale-data', `${missing}: not read by this process`);
  const stale = findStaleSource({ now: inputs.now, sources: inputs.sources.filter(({ name }) => effect.reliesOn.includes(name)) });
  if (stale !== null) return blocked('stale-data', stale.message);
  if (isOptimizingReduction(effect) && inputs.warmUpUntil !== null && inputs.warmUpUntil > inputs.now) {
    return blocked('warm-up', `warm-up: no reductions for another ${formatDuration(inputs.warmUpUntil - inputs.now)}`);
  }
  return inputs.dryRun || effect.dryRun ? { kind: 'dry-run' } : { kind: 'pass' };
}

/** Whether an effect waits for the warm-up and for the other lanes. */
export function isOptimizingReduction({ lane, direction }: Pick<EffectIntent, 'lane' | 'direction'>): boolean {
  return lane === 'optimize' && direction === 'reduce';
}

/** The stale source; of several the informers, which every effect relies on. null: none. */
export function findStaleSource({ now, sources }: Pick<GateInputs, 'now' | 'sources'>): StaleSource | null {
  const stale = sources.flatMap((source): StaleSource[] => {
    const age = ageText(source, now);
    const problem = source.problem === null ? '' : ` (${source.problem.slice(0, MAX_PROBLEM)})`;
    return age === null ? [] : [{ source: source.name, message: `${source.name}: ${age}${problem}` }];
  });
  return stale.find(({ source }) => source === 'informers') ?? stale[0] ?? null;
}

/** Message about the age; null: the data is fresh. */
function ageText({ confirmedAt, periodMs }: Freshness, now: Instant): string | null {
  if (confirmedAt <= 0) return 'no data yet';
  const age = now - confirmedAt;
  // The age is unknown: the clock was set back after the confirmation.
  if (-age > STALE_PERIODS * periodMs) return 'last confirmed in the future: the clock was set back';
  return age > STALE_PERIODS * periodMs ? `last confirmed ${formatDuration(Math.floor(age / SECOND_MS) * SECOND_MS)} ago` : null;
}

/** Since when all sources have been fresh; null: one is stale. */
export type WarmUpState = Instant | null;

/** Restarts the warm-up after every outage. */
export function nextWarmUp(since: WarmUpState, inputs: Pick<GateInputs, 'now' | 'sources'>): WarmUpState {
  if (findStaleSource(inputs) !== null) return null;
  return Math.min(since ?? inputs.now, inputs.now);
}

const MIN_REDUCTIONS_PER_MINUTE = 50;

/** Budget of reductions per minute. @param setting 0: one for each node, at least 50 */
export function reductionsPerMinute(setting: number, nodes: number): number {
  return setting > 0 ? setting : Math.max(MIN_REDUCTIONS_PER_MINUTE, nodes);
}

/** Reductions of the last minute. Future timestamps, after the clock was set back, become `now`. */
export function recentReductions(sentAt: readonly Instant[], now: Instant): readonly Instant[] {
  const recent = sentAt.filter((at) => now - at < MINUTE_MS);
  return recent.some((at) => at > now) ? recent.map((at) => Math.min(at, now)) : recent;
}

function blocked(reason: BlockReason, message: string): GateVerdict {
  return { kind: 'blocked', reason, message };
}
