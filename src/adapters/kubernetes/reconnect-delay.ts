import type { DurationMs } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';

// client-go's numbers: soon enough to go unnoticed, late enough to let a server come up.
const FIRST_MS: DurationMs = 800;
const MAX_MS: DurationMs = 30_000;
const FORGET_AFTER_MS: DurationMs = 120_000;

/** Exponential delay between tries, with full jitter on top; forgotten after two minutes without need. */
export class ReconnectDelay {
  readonly #timer: MachineTimer;
  readonly #random: Random;
  #failures = 0;
  #lastAtMs = Number.NEGATIVE_INFINITY;

  constructor(timer: MachineTimer, random: Random) {
    this.#timer = timer;
    this.#random = random;
  }

  nextMs(): DurationMs {
    if (!this.isHot()) this.#failures = 0;
    this.heat();
    const delay = Math.min(MAX_MS, FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    return delay * (1 + this.#random.next());
  }

  /** Notes trouble that needed no wait yet. */
  heat(): void {
    this.#lastAtMs = this.#timer.nowMs();
  }

  /** Trouble was noted in the last two minutes. */
  isHot(): boolean {
    return this.#timer.nowMs() - this.#lastAtMs < FORGET_AFTER_MS;
  }
}
