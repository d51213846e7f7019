// Worker thread that solves linear programs with HiGHS, one after the other.

import { parentPort } from 'node:worker_threads';
import { loadHighsSolver } from '../adapters/highs/highs-solver.ts';
import type { SolverReply } from '../adapters/highs/messages.ts';
import type { LinearProgram } from '../core/packing/linear-program.ts';

const solver = loadHighsSolver();
parentPort?.on('message', (program: LinearProgram) => void answer(program));

async function answer(program: LinearProgram): Promise<void> {
  let reply: SolverReply;
  try {
    reply = { ok: true, solution: (await solver)(program) };
  } catch (error) {
    // Not rethrown: the source line of an error of HiGHS is its whole minified module.
    reply = { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(reply);
}
