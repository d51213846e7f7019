import type { DurationMs } from '#kube/units';
import type { MachineTimer } from '../../../ports/clock.ts';

export interface WatchGuardOptions {
  readonly timer: MachineTimer;
  /** Initial maximum silence. */
  readonly silenceMs: DurationMs;
  /** Maximum lifetime of the watch since its start. */
  readonly endsAfterMs: DurationMs;
}

/** Detects a watch with a dead connection: by its silence, or by exceeding the server's timeout. */
export class WatchGuard {
  readonly #timer: MachineTimer;
  readonly #stall = new AbortController();
  readonly #openedAtMs: number;
  readonly #endsAfterMs: DurationMs;
  #silenceMs: DurationMs;
  #receivedAtMs: number;
  #cancel: () => void = () => undefined;

  constructor({ timer, silenceMs, endsAfterMs }: WatchGuardOptions) {
    this.#timer = timer;
    this.#silenceMs = silenceMs;
    this.#endsAfterMs = endsAfterMs;
    this.#openedAtMs = timer.nowMs();
    this.#receivedAtMs = this.#openedAtMs;
    this.#check();
  }

  /** Aborts when the watch counts as dead. */
  get stalled(): AbortSignal {
    return this.#stall.signal;
  }

  markReceived(): void {
    this.#receivedAtMs = this.#timer.nowMs();
  }

  /** Sets a new maximum silence. */
  expect(silenceMs: DurationMs): void {
    this.markReceived();
    this.#silenceMs = silenceMs;
    this.stop();
    this.#check();
  }

  stop(): void {
    this.#cancel();
  }

  // One timer that checks the last message, instead of one reset by every event.
  #check(): void {
    const now = this.#timer.nowMs();
    const silentAtMs = this.#receivedAtMs + this.#silenceMs;
    const endsAtMs = this.#openedAtMs + this.#endsAfterMs;
    if (now >= silentAtMs) this.#stall.abort(new Error(`no message for ${this.#silenceMs} ms: the connection is dead`));
    else if (now >= endsAtMs) this.#stall.abort(new Error('the watch exceeded its timeout: the connection is dead'));
    else this.#cancel = this.#timer.setTimer(Math.min(silentAtMs, endsAtMs) - now, () => this.#check());
  }
}
