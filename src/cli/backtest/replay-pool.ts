// Replays many recordings at a time, each in a thread: the main one stays free to report progress and to be interrupted.
// It writes what the threads found: no interrupt comes between the two halves of a write.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { unwritable } from './find-recordings.ts';
import { type ReplayAnswer, type ReplayJob, type ReplayOutcome, sourceOf } from './replay-job.ts';
import { writeWhole } from './write-whole.ts';

const WORKER = new URL(import.meta.url.endsWith('.ts') ? './replay-worker.ts' : './replay-worker.js', import.meta.url);

export interface ReplayPoolDependencies {
  readonly jobs: readonly ReplayJob[];
  /** How many at a time; null: one a core. */
  readonly threads: number | null;
  readonly signal: AbortSignal;
  readonly onDone: (done: number) => void;
}

/**
 * Outcomes in the order of the jobs, whichever ends first. A replay that fails, whatever the reason, is a problem of its own
 * recording. Throws when the signal aborts.
 */
export async function replayAll({ jobs, threads, signal, onDone }: ReplayPoolDependencies): Promise<ReplayOutcome[]> {
  const outcomes: ReplayOutcome[] = [];
  const waiting = jobs.entries();
  let done = 0;
  const work = async (): Promise<void> => {
    let worker = new Worker(WORKER);
    try {
      for (const [index, job] of waiting) {
        try {
          outcomes[index] = written(job, await ask(worker, job, signal));
        } catch (error) {
          signal.throwIfAborted();
          const why = error instanceof Error ? error.message : String(error);
          outcomes[index] = { workload: null, problems: [{ source: sourceOf(job), line: null, problem: `its replay failed: ${why}` }] };
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

/** Writes a recording's requests where they were asked for. */
function written({ emitTo }: ReplayJob, { workload, problems, changes }: ReplayAnswer): ReplayOutcome {
  if (emitTo === null || changes === null) return { workload, problems };
  try {
    writeWhole(emitTo, changes);
    return { workload, problems };
  } catch (error) {
    return { workload, problems: [...problems, unwritable(emitTo, error)] };
  }
}

function ask(worker: Worker, job: ReplayJob, signal: AbortSignal): Promise<ReplayAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ReplayAnswer>();
  const fail = (cause: unknown): void => reject(cause instanceof Error ? cause : new Error(String(cause)));
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
