import { Worker } from 'node:worker_threads';
import type { LinearProgram, LinearSolution } from '../../core/packing/linear-program.ts';
import type { LpSolver } from '../../ports/lp-solver.ts';
import type { SolverReply } from './messages.ts';

const WORKER = new URL(import.meta.url.endsWith('.ts') ? '../../workers/lp-solver.ts' : '../../workers/lp-solver.js', import.meta.url);

/** HiGHS in a worker thread of its own for each program, which ends with the answer or when the signal aborts. */
export class ThreadLpSolver implements LpSolver {
  async solve(program: LinearProgram, signal: AbortSignal): Promise<LinearSolution | null> {
    signal.throwIfAborted();
    const worker = new Worker(WORKER, { workerData: program });
    const { promise, resolve, reject } = Promise.withResolvers<SolverReply>();
    const fail = (cause: unknown): void => reject(cause instanceof Error ? cause : new Error(String(cause)));
    const abort = (): void => fail(signal.reason);
    worker.once('message', resolve);
    worker.once('error', fail);
    worker.once('exit', (code) => fail(`the solver's thread exited with code ${code}`));
    signal.addEventListener('abort', abort, { once: true });
    try {
      const reply = await promise;
      if (!reply.ok) throw new Error(`the solver failed: ${reply.message}`);
      return reply.solution;
    } finally {
      signal.removeEventListener('abort', abort);
      await worker.terminate();
    }
  }
}
