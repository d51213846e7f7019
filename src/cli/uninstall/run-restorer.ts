// Runs one restorer: passes over the cluster until nothing is left to do or no progress is made.

import { ApiFault, isForbidden, isNotFound } from '../../adapters/kubernetes/status.ts';
import type { WriteOutcome } from '../../ports/cluster/writers.ts';
import type { Finding, Restorer, RestorerResult } from './restorer.ts';

/** Concurrent requests, which hide round trips without loading the API server. */
const CONCURRENCY = 8;
/** Maximum passes: a change refused by a quota may fit after others, but an object that changes in each pass has another writer. */
const MAX_PASSES = 5;

export interface RestorerRun {
  readonly dryRun: boolean;
  /** Ends the run; remaining changes are reported as left. */
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

interface Pass {
  readonly changed: number;
  /** True where an object changed between read and write, so another pass may succeed. */
  readonly moved: boolean;
  readonly kept: RestorerResult['kept'];
  readonly left: RestorerResult['left'];
}

/** Runs a restorer to completion. Never rejects: failures are in `left`. */
export async function runRestorer(restorer: Restorer, run: RestorerRun): Promise<RestorerResult> {
  let changed = 0;
  const kept = new Map<string, RestorerResult['kept'][number]>();
  for (let passes = 1; ; passes++) {
    const pass = await onePass(restorer, run, passes === 1);
    changed += pass.changed;
    for (const each of pass.kept) kept.set(each.object, each);
    const over = run.dryRun || run.signal.aborted || (pass.changed === 0 && !pass.moved) || passes >= MAX_PASSES;
    if (over) return { name: restorer.name, changed, kept: [...kept.values()], left: pass.left };
  }
}

/** The changes still to do, for the final report. Never rejects. */
export async function findRemaining(restorer: Restorer, signal: AbortSignal): Promise<RestorerResult['left']> {
  const left: { object: string; why: string }[] = [];
  try {
    for await (const finding of restorer.find(signal)) {
      if (finding.kind === 'change') left.push({ object: finding.object, why: `not done: ${finding.change}` });
    }
  } catch (err) {
    left.push(...readFailure(restorer, err));
  }
  return left;
}

async function onePass(restorer: Restorer, run: RestorerRun, first: boolean): Promise<Pass> {
  const kept: { object: string; why: string }[] = [];
  const left: { object: string; why: string }[] = [];
  let changed = 0;
  let moved = false;
  const carryOut = async (finding: Extract<Finding, { kind: 'change' }>): Promise<void> => {
    const { object, change } = finding;
    try {
      const outcome = await finding.carryOut(run.signal);
      const why = findFailureReason(outcome);
      moved ||= outcome.kind === 'conflict';
      if (why === null) {
        changed += 1;
        run.print(`${run.dryRun ? 'would change ' : ''}${object}: ${change}`);
      } else left.push({ object, why });
    } catch (err) {
      left.push({ object, why: err instanceof Error ? err.message : String(err) });
    }
  };
  const working = new Set<Promise<void>>();
  try {
    for await (const finding of restorer.find(run.signal)) {
      if (finding.kind === 'keep') {
        kept.push({ object: finding.object, why: finding.why });
        if (first) run.print(`kept ${finding.object}: ${finding.why}`);
        continue;
      }
      const work: Promise<void> = carryOut(finding).finally(() => working.delete(work));
      working.add(work);
      if (working.size >= CONCURRENCY) await Promise.race(working);
    }
  } catch (err) {
    left.push(...readFailure(restorer, err));
  }
  await Promise.all(working);
  return { changed, moved, kept, left };
}

/** Reason of a failure; null: done. */
function findFailureReason(outcome: WriteOutcome): string | null {
  switch (outcome.kind) {
    case 'done':
    case 'dry-run':
    case 'gone': // a deleted object needs no restoring
      return null;
    case 'refused':
      return `refused: ${outcome.message}`;
    case 'conflict':
      return `it changed concurrently: ${outcome.message}`;
    case 'blocked':
      return outcome.message;
  }
}

// A kind that is not installed has no changes.
function readFailure(restorer: Restorer, err: unknown): RestorerResult['left'] {
  if (err instanceof ApiFault && isNotFound(err.failure)) return [];
  const words = err instanceof Error ? err.message : String(err);
  const remedy = err instanceof ApiFault && isForbidden(err.failure) ? '; grant the permission, or run as a user with it' : '';
  return [{ object: restorer.name, why: `${words}${remedy}` }];
}
