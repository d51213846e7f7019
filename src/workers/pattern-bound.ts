// Worker thread that computes ever tighter lower bounds of a packing.

import { parentPort, workerData } from 'node:worker_threads';
import { loadHighsSolver } from '../adapters/highs/highs-solver.ts';
import type { PatternBoundReply } from '../adapters/highs/messages.ts';
import type { PackingProblem } from '../core/packing/packing-problem.ts';
import { patternBounds } from '../core/packing/pattern-bound.ts';

let reply: PatternBoundReply;
try {
  const solve = await loadHighsSolver();
  for (const usdPerHour of patternBounds(workerData as PackingProblem, solve)) {
    reply = { ok: true, usdPerHour };
    parentPort?.postMessage(reply);
  }
} catch (error) {
  // Not rethrown: the source line of an error of HiGHS is its whole minified module.
  reply = { ok: false, message: error instanceof Error ? error.message : String(error) };
  parentPort?.postMessage(reply);
}
