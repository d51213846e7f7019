import type { Instant } from '#kube/units';
import type { Clock, MachineTimer } from '../../../ports/clock.ts';

/**
 * Tracks the domain time up to which a stream confirms the stored state. While the stream is open it is now minus the machine time since
 * the last message: bookmarks follow the server's real clock, so with a clock at 60 times speed 30 real seconds of silence count as 30
 * seconds. After a disconnect it is the time of the disconnect.
 */
export class Freshness {
  readonly #clock: Clock;
  readonly #timer: MachineTimer;
  #receivedAtMs = 0;
  #connected = false;
  #confirmedAtDisconnect: Instant = 0;

  constructor(clock: Clock, timer: MachineTimer) {
    this.#clock = clock;
    this.#timer = timer;
  }

  /** Call it for every message, bookmarks included. */
  markReceived(): void {
    this.#receivedAtMs = this.#timer.nowMs();
  }

  connected(): void {
    this.#connected = true;
    this.markReceived();
  }

  recordDisconnect(): void {
    if (!this.#connected) return;
    this.#confirmedAtDisconnect = this.confirmedAt();
    this.#connected = false;
  }

  isConnected(): boolean {
    return this.#connected;
  }

  /** Domain time up to which the state is confirmed; 0 before the first connection. */
  confirmedAt(): Instant {
    if (!this.#connected) return this.#confirmedAtDisconnect;
    return this.#clock.now() - (this.#timer.nowMs() - this.#receivedAtMs);
  }
}
