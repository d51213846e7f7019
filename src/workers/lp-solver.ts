// Worker thread that solves one linear program with HiGHS.

import { parentPort, workerData } from 'node:worker_threads';
import type { SolverReply } from '../adapters/highs/messages.ts';
import { loadHighsSolver } from '../adapters/highs/highs-solver.ts';
import type { LinearProgram } from '../core/packing/linear-program.ts';

let reply: SolverReply;
try {
  reply = { ok: true, solution: (await loadHighsSolver())(workerData as LinearProgram) };
} catch (error) {
  // Not rethrown: the source line of an error of HiGHS is its whole minified module.
  reply = { ok: false, message: error instanceof Error ? error.message : String(error) };
}
parentPort?.postMessage(reply);
