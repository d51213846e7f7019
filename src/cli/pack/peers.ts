// The other methods, computed in a thread beside the search: on large inputs they take longer than it.

import { Worker } from 'node:worker_threads';
import type { Packing } from '../../core/packing/packing.ts';
import type { PackingProblem } from '../../core/packing/packing-problem.ts';
import { firstFitDecreasing } from '../../core/peers/first-fit-decreasing.ts';
import { karpenterLike } from '../../core/peers/karpenter-like.ts';
import { leastWaste } from '../../core/peers/least-waste.ts';

const PEERS = {
  'first-fit-decreasing': firstFitDecreasing,
  'Karpenter-like': karpenterLike,
  'least-waste': leastWaste,
} as const;

export type Peer = keyof typeof PEERS;
export const PEER_NAMES = Object.keys(PEERS) as readonly Peer[];

/** Packing of one method; null: it found none. */
export interface PeerAnswer {
  readonly peer: Peer;
  readonly packing: Packing | null;
}

/** The answers of all methods, one after the other. */
export function* answersOf(problem: PackingProblem): Generator<PeerAnswer> {
  for (const peer of PEER_NAMES) yield { peer, packing: PEERS[peer](problem) };
}

const WORKER = new URL(import.meta.url.endsWith('.ts') ? './peer-worker.ts' : './peer-worker.js', import.meta.url);

/** Answers so far. */
export class PeerThread {
  readonly #worker: Worker;
  readonly #answers = new Map<Peer, Packing | null>();
  /** Resolves when the thread ends. */
  readonly #done: Promise<unknown>;

  constructor(problem: PackingProblem) {
    this.#worker = new Worker(WORKER, { workerData: problem });
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#worker.on('message', ({ peer, packing }: PeerAnswer) => this.#answers.set(peer, packing));
    this.#worker.once('error', (error) => reject(error instanceof Error ? error : new Error(String(error))));
    this.#worker.once('exit', resolve);
    this.#done = promise;
    // Reported by `answers`.
    promise.catch(() => undefined);
  }

  /** Waits until every method has answered or the signal aborts. @throws the error of a method */
  async answers(signal: AbortSignal): Promise<ReadonlyMap<Peer, Packing | null>> {
    const { promise, resolve } = Promise.withResolvers<null>();
    const stop = (): void => resolve(null);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      await Promise.race([this.#done, promise]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
    return this.#answers;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
