// How far advice may be believed: coverage × span × calibration × freshness, each 0–1.

import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';
import type { DurationMs, Ratio } from '#kube/units';
import type { RolloutState } from './rollout-log.ts';

/** Trust is whole after a week: every day of the week was seen. */
const FULL_SPAN_MS: DurationMs = 7 * DAY_MS;
/** Usage older than this says nothing about now. */
const STALE_AFTER_MS: DurationMs = 15 * MINUTE_MS;
/** A new version may behave otherwise: half the trust for a day, unless its usage turns out to be alike. */
const SETTLING_MS: DurationMs = DAY_MS;
const SETTLING_FACTOR = 0.5;
/** After so many alike roll-outs in a row the next is expected to be alike, too. */
const ALIKE_ROLLOUTS = 3;
/** 95 % two-sided. */
const Z = 1.96;

export interface ConfidenceInputs {
  readonly coverage: Ratio;
  readonly historyMs: DurationMs;
  /** Share of points that past advice covered, over how many hours, and the share that the goal asks for. */
  readonly covered: Ratio;
  readonly hours: number;
  readonly goalShare: Ratio;
  /** Time since the resource was last measured. */
  readonly ageMs: DurationMs;
  /** The container's last change of version; null where there was none in sight. */
  readonly rollout: RolloutState | null;
}

/** Whether usage of this age still describes the present; false where it was never measured (NaN). */
export function isFresh(ageMs: DurationMs): boolean {
  return ageMs <= STALE_AFTER_MS;
}

/** The product of its four parts, 0–1. */
export function confidenceOf(inputs: ConfidenceInputs): Ratio {
  const span = Math.min(1, inputs.historyMs / FULL_SPAN_MS);
  const calibration = Math.min(1, wilsonLowerBound(inputs.covered, inputs.hours) / inputs.goalShare);
  const freshness = !isFresh(inputs.ageMs) ? 0 : isSettling(inputs.rollout) ? SETTLING_FACTOR : 1;
  return inputs.coverage * span * calibration * freshness;
}

/** The same in words. */
export function confidenceText(inputs: ConfidenceInputs): string {
  const parts = [
    inputs.hours === 0
      ? 'no advice to look back on yet'
      : `would have covered ${percent(inputs.covered)} of the last ${inputs.hours} hours with usage`,
    `${(inputs.historyMs / DAY_MS).toFixed(1)} days seen, ${percent(inputs.coverage)} of their 5-minute points`,
  ];
  if (!isFresh(inputs.ageMs)) parts.push(`no usage for ${(inputs.ageMs / HOUR_MS).toFixed(1)} h`);
  if (inputs.rollout !== null && inputs.rollout.sinceMs < SETTLING_MS) parts.push(rolloutText(inputs.rollout));
  return parts.join('; ');
}

function isSettling(rollout: RolloutState | null): boolean {
  if (rollout === null || rollout.sinceMs >= SETTLING_MS || rollout.verdict === 'alike') return false;
  return rollout.verdict === 'unlike' || rollout.alikeInARow < ALIKE_ROLLOUTS;
}

function rolloutText(rollout: RolloutState): string {
  const { sinceMs, verdict, alikeInARow } = rollout;
  const version = `new version ${(sinceMs / HOUR_MS).toFixed(1)} h ago`;
  if (verdict === 'alike') return `${version} uses as much as the version before`;
  if (verdict === 'unlike') return `${version} uses unlike amounts than the version before: halved for a day`;
  if (!isSettling(rollout)) return `${version}; the ${alikeInARow} before it used as much as theirs`;
  return verdict === 'open'
    ? `${version}, to be compared with the version before: halved until then`
    : `${version} could not be compared with the version before: halved for a day`;
}

/** Lower end of the 95 % Wilson interval of a share seen in `trials` trials; 0 without trials. */
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
