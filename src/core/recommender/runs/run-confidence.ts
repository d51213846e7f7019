// Confidence in advice from runs: the age of the last run, and the coverage of earlier advice.

import { DAY_MS, type DurationMs, type Instant, type Ratio } from '#kube/units';
import type { Run } from './run-log.ts';

/** Runs are stale after this multiple of the longest interval between two of them. */
const MAX_INTERVAL_RATIO = 3;
/** Runs are never stale within two weeks, because of holidays. */
const MIN_STALE_MS: DurationMs = 14 * DAY_MS;

/** 0: the last run is older than three times the longest interval between runs; otherwise 1. Fewer than two runs: 1. */
export function freshnessOfRuns(runs: readonly Run[], now: Instant): Ratio {
  const last = runs.at(-1);
  if (last === undefined || runs.length < 2) return 1;
  const longest = runs.reduce((max, { firstAt }, at) => Math.max(max, firstAt - (runs[at - 1]?.firstAt ?? firstAt)), 0);
  return now - last.lastAt > Math.max(MIN_STALE_MS, MAX_INTERVAL_RATIO * longest) ? 0 : 1;
}

interface AdviceFrom {
  readonly cpu: (before: readonly Run[]) => number;
  readonly memory: (before: readonly Run[]) => number;
}

/**
 * Share of runs that advice from the runs before each would have covered; null: too few runs.
 * @param minRuns minimum of runs before one that is compared
 */
export function sharesCovered(
  runs: readonly Run[],
  minRuns: number,
  from: AdviceFrom,
): { readonly cpu: Ratio | null; readonly memory: Ratio | null } {
  const shareOf = (used: (run: Run) => number | null, advised: (before: readonly Run[]) => number): Ratio | null => {
    const verdicts = runs.flatMap((run, at) => {
      const need = used(run);
      return at < minRuns || need === null ? [] : [need <= advised(runs.slice(0, at))];
    });
    return verdicts.length === 0 ? null : verdicts.filter(Boolean).length / verdicts.length;
  };
  return { cpu: shareOf((run) => run.cpuP95Millicores, from.cpu), memory: shareOf((run) => run.memoryPeakBytes, from.memory) };
}
