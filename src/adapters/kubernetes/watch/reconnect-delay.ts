import type { DurationMs } from '#kube/units';
import type { MachineTimer } from '../../../ports/clock.ts';
import type { Random } from '../../../ports/random.ts';

// client-go's values: short enough to go unnoticed, long enough for a server to start.
const FIRST_MS: DurationMs = 800;
const MAX_MS: DurationMs = 30_000;
const RESET_AFTER_MS: DurationMs = 120_000;

/** Exponential delay between attempts with full jitter; reset after two minutes without failures. */
export class ReconnectDelay {
  readonly #timer: MachineTimer;
  readonly #random: Random;
  #failures = 0;
  #lastAtMs = Number.NEGATIVE_INFINITY;

  constructor(timer: MachineTimer, random: Random) {
    this.#timer = timer;
    this.#random = random;
  }

  /** Returns the delay before the next attempt and counts a failure. */
  nextMs(): DurationMs {
    if (!this.hasRecentFailure()) this.#failures = 0;
    this.markFailure();
    const delay = Math.min(MAX_MS, FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    return delay * (1 + this.#random.next());
  }

  /** Records a failure that needs no delay. */
  markFailure(): void {
    this.#lastAtMs = this.#timer.nowMs();
  }

  /** Whether a failure was recorded in the last two minutes. */
  hasRecentFailure(): boolean {
    return this.#timer.nowMs() - this.#lastAtMs < RESET_AFTER_MS;
  }
}
