import { Worker } from 'node:worker_threads';
import type { PatternBoundReply } from './messages.ts';
import type { PackingProblem } from '../../core/packing/packing-problem.ts';

const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? '../../workers/pattern-bound.ts' : '../../workers/pattern-bound.js',
  import.meta.url,
);

/** Computes the bound over patterns beside other work, until it is stopped. */
export class PatternBoundThread {
  readonly #worker: Worker;
  #usdPerHour = 0;

  /** @param onError called where the thread fails: the bound so far is valid */
  constructor(problem: PackingProblem, onError: (error: Error) => void) {
    this.#worker = new Worker(WORKER, { workerData: problem });
    this.#worker.on('message', (reply: PatternBoundReply) => {
      if (reply.ok) this.#usdPerHour = reply.usdPerHour;
      else onError(new Error(`computing the bound over patterns: ${reply.message}`));
    });
    this.#worker.on('error', (error) => onError(error instanceof Error ? error : new Error(String(error))));
  }

  /** The tightest bound so far, in dollars an hour. */
  get usdPerHour(): number {
    return this.#usdPerHour;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
