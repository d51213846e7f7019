import type { Instant } from '#kube/units';
import type { Clock, MachineTimer } from '../ports/clock.ts';
import { EventHeap, type TimedEvent } from './event-heap.ts';
import type { ClockSpeed } from './virtual-clock.ts';

/** State of another process's virtual clock. */
export interface ClockReading {
  readonly now: Instant;
  /** With `max` time cannot be extrapolated: it does not advance until the next reading. 0: stopped. */
  readonly speed: ClockSpeed;
}

/**
 * Follows the virtual clock of another process from readings of it, for a controller in a process of its own. `now()` never decreases:
 * after a reading that is behind it waits.
 */
export class ScaledClock implements Clock {
  readonly #timer: MachineTimer;
  readonly #heap = new EventHeap();
  #base: Instant;
  #baseMs: number;
  #factor = 0;
  #latest: Instant;
  #sequence = 0;
  #cancelWake: (() => void) | null = null;

  constructor(timer: MachineTimer, reading: ClockReading) {
    this.#timer = timer;
    this.#base = this.#latest = reading.now;
    this.#baseMs = timer.nowMs();
    this.follow(reading);
  }

  /** Applies a new reading. */
  follow(reading: ClockReading): void {
    this.now();
    this.#base = reading.now;
    this.#baseMs = this.#timer.nowMs();
    this.#factor = reading.speed === 'max' ? 0 : reading.speed;
    this.#arm();
  }

  now(): Instant {
    const extrapolated = this.#extrapolate();
    if (extrapolated > this.#latest) this.#latest = extrapolated;
    return this.#latest;
  }

  schedule(at: Instant, task: () => void): () => void {
    const sequence = this.#sequence++;
    const event: TimedEvent = { at, tie: 0, sequence, task };
    this.#heap.push(event);
    this.#arm();
    return () => this.#heap.cancel(event);
  }

  /** Cancels everything that is scheduled. */
  stop(): void {
    this.#cancelWake?.();
    this.#cancelWake = null;
    while (this.#heap.pop() !== undefined);
  }

  #extrapolate(): Instant {
    return Math.floor(this.#base + (this.#timer.nowMs() - this.#baseMs) * this.#factor);
  }

  #arm(): void {
    this.#cancelWake?.();
    this.#cancelWake = null;
    const at = this.#heap.nextAt();
    if (at === Infinity) return;
    const ahead = at - this.now();
    if (ahead > 0 && this.#factor === 0) return; // the next reading sets the timer again
    // Measured from the extrapolated time, not from the latest reading: after a reading that was behind, it must catch up.
    const afterMs = ahead <= 0 ? 0 : Math.max(1, Math.ceil((at - this.#extrapolate()) / this.#factor));
    this.#cancelWake = this.#timer.setTimer(afterMs, () => {
      this.#cancelWake = null;
      const now = this.now();
      while (this.#heap.nextAt() <= now) this.#heap.pop()?.();
      this.#arm();
    });
  }
}
