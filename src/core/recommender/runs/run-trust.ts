// How far advice from runs may be believed: how lately one was seen, and what earlier advice would have covered.

import { DAY_MS, type DurationMs, type Instant, type Ratio } from '#kube/units';
import type { Run } from './run-log.ts';

/** Work that comes at its hours is not old between two of them: only when it has stayed away this many times longer than ever. */
const GAPS_AWAY = 3;
/** Nor inside two weeks: holidays are no end. */
const MIN_AWAY_MS: DurationMs = 14 * DAY_MS;

/** 0 where no run came for much longer than ever between two of them, else 1. A family of one is not judged. */
export function freshnessOfRuns(runs: readonly Run[], now: Instant): Ratio {
  const last = runs.at(-1);
  if (last === undefined || runs.length < 2) return 1;
  const longest = runs.reduce((most, { firstAt }, at) => Math.max(most, firstAt - (runs[at - 1]?.firstAt ?? firstAt)), 0);
  return now - last.lastAt > Math.max(MIN_AWAY_MS, GAPS_AWAY * longest) ? 0 : 1;
}

interface AdviceFrom {
  readonly cpu: (before: readonly Run[]) => number;
  readonly memory: (before: readonly Run[]) => number;
}

/**
 * Share of runs that the advice from the runs before each would have covered; null where none can be judged.
 * @param least so many runs have to come before one that is judged
 */
export function sharesCovered(
  runs: readonly Run[],
  least: number,
  from: AdviceFrom,
): { readonly cpu: Ratio | null; readonly memory: Ratio | null } {
  const shareOf = (used: (run: Run) => number | null, advised: (before: readonly Run[]) => number): Ratio | null => {
    const verdicts = runs.flatMap((run, at) => {
      const need = used(run);
      return at < least || need === null ? [] : [need <= advised(runs.slice(0, at))];
    });
    return verdicts.length === 0 ? null : verdicts.filter(Boolean).length / verdicts.length;
  };
  return { cpu: shareOf((run) => run.cpuP95Millicores, from.cpu), memory: shareOf((run) => run.memoryPeakBytes, from.memory) };
}
