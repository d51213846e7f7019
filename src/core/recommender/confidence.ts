// Confidence in advice: coverage × span × calibration × freshness, each 0–1.

import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';
import type { DurationMs, Ratio } from '#kube/units';
import type { ResourceRules } from './advice.ts';
import type { CoverageShare } from './history/coverage-share.ts';
import type { RolloutState } from './history/rollout-log.ts';
import { COVERAGE_TARGETS } from './recommender-rules.ts';

/** History for full confidence: a week has every weekday. */
const FULL_SPAN_MS: DurationMs = 7 * DAY_MS;
/** Usage older than this does not describe the present. */
const STALE_AFTER_MS: DurationMs = 15 * MINUTE_MS;
/** A new version may use other amounts: confidence is halved for a day, unless its usage proves similar. */
const SETTLING_MS: DurationMs = DAY_MS;
const SETTLING_FACTOR = 0.5;
/** After so many roll-outs with similar usage in a row the next is expected to be similar. */
const SIMILAR_ROLLOUTS = 3;
/** Quantile of the normal distribution for a two-sided 95 % interval. */
const Z = 1.96;

/** The four factors' inputs for one resource. */
export interface ConfidenceInputs {
  readonly coverage: Ratio;
  readonly historyMs: DurationMs;
  /** Share of points that past advice covered, the number of hours, and the target share of the goal. */
  readonly covered: Ratio;
  readonly hours: number;
  readonly goalShare: Ratio;
  /** Time since the resource was last measured. */
  readonly ageMs: DurationMs;
  /** The last roll-out of the container; null: none is recorded. */
  readonly rollout: RolloutState | null;
}

/** A fixed percentile covers its own share of the history by definition; a goal is measured by its past advice. */
export function calibrationOf(
  { share, hours }: CoverageShare['value'],
  { percentile, goal }: ResourceRules,
  resource: 'cpu' | 'memory',
): Pick<ConfidenceInputs, 'covered' | 'hours' | 'goalShare'> {
  if (percentile === null) return { covered: share, hours, goalShare: COVERAGE_TARGETS[resource][goal] };
  return { covered: percentile, hours, goalShare: percentile };
}

/** Whether usage of this age describes the present; false for NaN (never measured). */
export function isFresh(ageMs: DurationMs): boolean {
  return ageMs <= STALE_AFTER_MS;
}

/** Product of the four factors, 0–1. */
export function computeConfidence(inputs: ConfidenceInputs): Ratio {
  const span = Math.min(1, inputs.historyMs / FULL_SPAN_MS);
  const calibration = Math.min(1, wilsonLowerBound(inputs.covered, inputs.hours) / inputs.goalShare);
  const freshness = !isFresh(inputs.ageMs) ? 0 : isSettling(inputs.rollout) ? SETTLING_FACTOR : 1;
  return inputs.coverage * span * calibration * freshness;
}

/** Message that explains the factors. */
export function describeConfidence(inputs: ConfidenceInputs): string {
  const parts = [
    inputs.hours === 0
      ? 'no past advice to compare with usage yet'
      : `would have covered ${percent(inputs.covered)} of the last ${inputs.hours} hours with usage`,
    `${(inputs.historyMs / DAY_MS).toFixed(1)} days of history, ${percent(inputs.coverage)} of its 5-minute points measured`,
  ];
  if (!isFresh(inputs.ageMs)) parts.push(`no usage for ${(inputs.ageMs / HOUR_MS).toFixed(1)} h`);
  if (inputs.rollout !== null && inputs.rollout.sinceMs < SETTLING_MS) parts.push(rolloutText(inputs.rollout));
  return parts.join('; ');
}

function isSettling(rollout: RolloutState | null): boolean {
  if (rollout === null || rollout.sinceMs >= SETTLING_MS || rollout.verdict === 'similar') return false;
  return rollout.verdict === 'different' || rollout.similarInARow < SIMILAR_ROLLOUTS;
}

function rolloutText(rollout: RolloutState): string {
  const { sinceMs, verdict, similarInARow } = rollout;
  const version = `new version ${(sinceMs / HOUR_MS).toFixed(1)} h ago`;
  if (verdict === 'similar') return `${version} has similar usage to the version before`;
  if (verdict === 'different') return `${version} has different usage than the version before: confidence halved for a day`;
  if (!isSettling(rollout)) return `${version}; the last ${similarInARow} roll-outs did not change usage`;
  return verdict === 'open'
    ? `${version}, not yet compared with the version before: confidence halved until then`
    : `${version} could not be compared with the version before: confidence halved for a day`;
}

/** Lower bound of the 95 % Wilson score interval of a share in `trials` trials; 0 without trials. */
function wilsonLowerBound(share: Ratio, trials: number): Ratio {
  if (trials <= 0) return 0;
  const z2 = Z * Z;
  const middle = share + z2 / (2 * trials);
  const spread = Z * Math.sqrt((share * (1 - share)) / trials + z2 / (4 * trials * trials));
  return Math.max(0, (middle - spread) / (1 + z2 / trials));
}

// Rounded down: 99.96 % must not read as 100 %.
function percent(ratio: Ratio): string {
  return `${(Math.floor(ratio * 1000) / 10).toFixed(1)} %`;
}
