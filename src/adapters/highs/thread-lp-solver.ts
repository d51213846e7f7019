import { Worker } from 'node:worker_threads';
import type { LinearProgram, LinearSolution } from '../../core/packing/linear-program.ts';
import type { LpSolver } from '../../ports/lp-solver.ts';
import type { SolverReply } from './messages.ts';

const WORKER = new URL(import.meta.url.endsWith('.ts') ? '../../workers/lp-solver.ts' : '../../workers/lp-solver.js', import.meta.url);

/** HiGHS in a worker thread, which starts with the first program. An abort ends the thread, since HiGHS cannot be interrupted. */
export class ThreadLpSolver implements LpSolver {
  #worker: Worker | null = null;
  /** Settles when the thread is idle. */
  #idle: Promise<unknown> = Promise.resolve();

  solve(program: LinearProgram, signal: AbortSignal): Promise<LinearSolution | null> {
    const solution = this.#idle.then(() => this.#ask(program, signal));
    this.#idle = solution.catch(() => undefined);
    return solution;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  async #ask(program: LinearProgram, signal: AbortSignal): Promise<LinearSolution | null> {
    signal.throwIfAborted();
    const worker = (this.#worker ??= new Worker(WORKER));
    const { promise, resolve, reject } = Promise.withResolvers<SolverReply>();
    const fail = (cause: unknown): void => reject(cause instanceof Error ? cause : new Error(String(cause)));
    const abort = (): void => fail(signal.reason);
    const ended = (code: number): void => fail(`the solver's thread exited with code ${code}`);
    worker.once('message', resolve);
    worker.once('error', fail);
    worker.once('exit', ended);
    signal.addEventListener('abort', abort, { once: true });
    worker.postMessage(program);
    let reply: SolverReply;
    try {
      reply = await promise;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
      worker.off('message', resolve);
      worker.off('error', fail);
      worker.off('exit', ended);
    }
    if (!reply.ok) throw new Error(`the solver failed: ${reply.message}`);
    return reply.solution;
  }
}
