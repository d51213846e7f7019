import type { LeadershipDeadline } from '../../ports/cluster/election.ts';

/** A LeadershipDeadline in memory that threads share: it needs no message, and none of them has to wait for another. */
export class SharedDeadline implements LeadershipDeadline {
  readonly memory: SharedArrayBuffer;
  readonly #untilMicros: BigInt64Array;

  constructor(memory = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#untilMicros = new BigInt64Array(memory);
  }

  get(): number {
    return Number(Atomics.load(this.#untilMicros, 0)) / 1_000;
  }

  /** Rounds down, so that no reader has a later deadline than the writer. */
  set(untilMs: number): void {
    Atomics.store(this.#untilMicros, 0, BigInt(Math.floor(untilMs * 1_000)));
  }
}
