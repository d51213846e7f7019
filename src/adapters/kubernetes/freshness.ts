import type { Instant } from '#kube/units';
import type { Clock, MachineTimer } from '../../ports/clock.ts';

/**
 * Up to which moment of domain time a stream has confirmed what we know. While it is open, that is now less the machine
 * time since it was last heard: bookmarks come by the server's real clock, so at 60 virtual seconds a second a silence of
 * half a real minute is half a minute of doubt, not half an hour. While it is closed, the moment at which it closed.
 */
export class Freshness {
  readonly #clock: Clock;
  readonly #timer: MachineTimer;
  #receivedAtMs = 0;
  #connected = false;
  #confirmedWhenLost: Instant = 0;

  constructor(clock: Clock, timer: MachineTimer) {
    this.#clock = clock;
    this.#timer = timer;
  }

  markReceived(): void {
    this.#receivedAtMs = this.#timer.nowMs();
  }

  connected(): void {
    this.#connected = true;
    this.markReceived();
  }

  disconnected(): void {
    if (!this.#connected) return;
    this.#confirmedWhenLost = this.confirmedAt();
    this.#connected = false;
  }

  isConnected(): boolean {
    return this.#connected;
  }

  confirmedAt(): Instant {
    if (!this.#connected) return this.#confirmedWhenLost;
    return this.#clock.now() - (this.#timer.nowMs() - this.#receivedAtMs);
  }
}
