// Replays recordings concurrently in worker threads, so that the main thread can report progress and handle interrupts. The main thread
// writes the results, so that an interrupt never splits a write.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { unwritable } from './find-recordings.ts';
import { type ReplayAnswer, type ReplayJob, type ReplayOutcome, sourceOf } from './replay-job.ts';
import { writeAtomically } from '../write-atomically.ts';

const WORKER = new URL(import.meta.url.endsWith('.ts') ? './replay-worker.ts' : './replay-worker.js', import.meta.url);

export interface ReplayPoolDependencies {
  readonly jobs: readonly ReplayJob[];
  /** Concurrent recordings; null: one per core. */
  readonly threads: number | null;
  readonly signal: AbortSignal;
  readonly onDone: (done: number) => void;
}

/** Outcomes in the order of the jobs. A failing replay is a problem of its recording. Rejects when the signal aborts. */
export async function replayAll({ jobs, threads, signal, onDone }: ReplayPoolDependencies): Promise<ReplayOutcome[]> {
  const outcomes: ReplayOutcome[] = [];
  const waiting = jobs.entries();
  let done = 0;
  const work = async (): Promise<void> => {
    let worker = new Worker(WORKER);
    try {
      for (const [index, job] of waiting) {
        try {
          outcomes[index] = writeRequests(job, await ask(worker, job, signal));
        } catch (error) {
          signal.throwIfAborted();
          const why = error instanceof Error ? error.message : String(error);
          outcomes[index] = { workload: null, problems: [{ source: sourceOf(job), line: null, problem: `the replay failed: ${why}` }] };
          await worker.terminate();
          worker = new Worker(WORKER);
        }
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

/** Writes a recording's requests where requested. */
function writeRequests({ emitTo }: ReplayJob, { workload, problems, changes }: ReplayAnswer): ReplayOutcome {
  if (emitTo === null || changes === null) return { workload, problems };
  try {
    writeAtomically(emitTo, changes);
    return { workload, problems };
  } catch (error) {
    return { workload, problems: [...problems, unwritable(emitTo, error)] };
  }
}

function ask(worker: Worker, job: ReplayJob, signal: AbortSignal): Promise<ReplayAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ReplayAnswer>();
  const fail = (cause: unknown): void => reject(cause instanceof Error ? cause : new Error(String(cause)));
  const abort = (): void => fail(signal.reason);
  const ended = (code: number): void => fail(`the worker thread exited with code ${code}`);
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
