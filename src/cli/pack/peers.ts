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

/** Computes the methods beside other work, until it is stopped. */
export class PeerThread {
  readonly #worker: Worker;
  readonly #answers = new Map<Peer, Packing | null>();
  /** Resolves when the thread ends. */
  readonly done: Promise<unknown>;

  /** @param onError called where a method fails: it and those after it have no answer */
  constructor(problem: PackingProblem, onError: (error: Error) => void) {
    this.#worker = new Worker(WORKER, { workerData: problem });
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#worker.on('message', ({ peer, packing }: PeerAnswer) => this.#answers.set(peer, packing));
    this.#worker.once('error', (error) => onError(error instanceof Error ? error : new Error(String(error))));
    this.#worker.once('exit', resolve);
    this.done = promise;
  }

  /** Answers so far. */
  get answers(): ReadonlyMap<Peer, Packing | null> {
    return this.#answers;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
