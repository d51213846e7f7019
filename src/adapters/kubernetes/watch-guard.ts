import type { DurationMs } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';

export interface WatchGuardOptions {
  readonly timer: MachineTimer;
  /** Longest silence at first. */
  readonly silenceMs: DurationMs;
  /** Past this since its beginning it has outlived its time. */
  readonly endsAfterMs: DurationMs;
}

/** Detects a watch whose connection is dead: by its silence, or because it outlives the server's time-out. */
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
    this.#look();
  }

  get stalled(): AbortSignal {
    return this.#stall.signal;
  }

  markReceived(): void {
    this.#receivedAtMs = this.#timer.nowMs();
  }

  /** Another silence is the longest from now on. */
  expect(silenceMs: DurationMs): void {
    this.markReceived();
    this.#silenceMs = silenceMs;
    this.stop();
    this.#look();
  }

  stop(): void {
    this.#cancel();
  }

  // One timer that looks back, instead of one that every event winds anew.
  #look(): void {
    const now = this.#timer.nowMs();
    const silentAtMs = this.#receivedAtMs + this.#silenceMs;
    const endsAtMs = this.#openedAtMs + this.#endsAfterMs;
    if (now >= silentAtMs) this.#stall.abort(new Error(`nothing was heard for ${this.#silenceMs} ms: the connection is dead`));
    else if (now >= endsAtMs) this.#stall.abort(new Error('the watch outlived its time: the connection is dead'));
    else this.#cancel = this.#timer.setTimer(Math.min(silentAtMs, endsAtMs) - now, () => this.#look());
  }
}
