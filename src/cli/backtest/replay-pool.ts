// Replays many recordings at a time, each in a thread: the main one stays free to tell how far it is and to be interrupted.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ReplayJob, ReplayOutcome } from './replay-job.ts';

const WORKER = new URL(import.meta.url.endsWith('.ts') ? './replay-worker.ts' : './replay-worker.js', import.meta.url);

export interface ReplayPoolParts {
  readonly jobs: readonly ReplayJob[];
  /** How many at a time; null: one a core. */
  readonly threads: number | null;
  readonly signal: AbortSignal;
  readonly onDone: (done: number) => void;
}

/**
 * Outcomes in the order of the jobs, whichever ends first. Throws with the job's name where a thread fails, and with the
 * signal's reason when it aborts.
 */
export async function replayAll({ jobs, threads, signal, onDone }: ReplayPoolParts): Promise<ReplayOutcome[]> {
  const outcomes: ReplayOutcome[] = [];
  const waiting = jobs.entries();
  let done = 0;
  const work = async (): Promise<void> => {
    const worker = new Worker(WORKER);
    try {
      for (const [index, job] of waiting) {
        outcomes[index] = await ask(worker, job, signal);
        onDone(++done);
      }
    } finally {
      await worker.terminate();
    }
  };
  const count = Math.min(threads ?? availableParallelism(), jobs.length);
  await Promise.all(Array.from({ length: count }, work));
  return outcomes;
}

function ask(worker: Worker, job: ReplayJob, signal: AbortSignal): Promise<ReplayOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<ReplayOutcome>();
  const fail = (cause: unknown): void =>
    reject(new Error(`replaying ${job.name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause }));
  const abort = (): void => fail(signal.reason);
  const ended = (code: number): void => fail(`its thread ended with code ${code}`);
  worker.once('message', resolve);
  worker.once('error', fail);
  worker.once('exit', ended);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  else worker.postMessage(job);
  return promise.finally(() => {
    worker.off('message', resolve);
    worker.off('error', fail);
    worker.off('exit', ended);
    signal.removeEventListener('abort', abort);
  });
}
