import type { Instant } from '#kube/units';
import type { Clock, MachineTimer } from '../src/ports/clock.ts';

interface Timer {
  readonly at: Instant;
  readonly order: number;
  readonly task: () => void;
}

/** 2026-11-02T00:00:00Z, a Monday: the default start of tests. */
export const TEST_EPOCH: Instant = Date.UTC(2026, 10, 2);

/**
 * A clock that only a test advances; timers of the same time run in the order of their scheduling. It implements the domain clock and the
 * machine timer, each with an instance of its own.
 */
export class ManualClock implements Clock, MachineTimer {
  #now: Instant;
  #order = 0;
  #timers: Timer[] = [];
  /** Number of tasks that have run: tests check that a steady state runs none. */
  ran = 0;

  constructor(start: Instant = TEST_EPOCH) {
    this.#now = start;
  }

  now(): Instant {
    return this.#now;
  }

  nowMs(): number {
    return this.#now;
  }

  setTimer(afterMs: number, task: () => void): () => void {
    return this.schedule(this.#now + afterMs, task);
  }

  /** Number of scheduled tasks. */
  get pending(): number {
    return this.#timers.length;
  }

  schedule(at: Instant, task: () => void): () => void {
    const timer = { at: Math.max(at, this.#now), order: this.#order++, task };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Sets the clock back, as an administrator would. The remaining delay of each timer is unchanged. */
  setBack(byMs: number): void {
    this.#now -= byMs;
    this.#timers = this.#timers.map((timer) => ({ ...timer, at: timer.at - byMs }));
  }

  /** Runs all tasks that are due now, including those that they schedule for now. */
  settle(): void {
    this.advance(0);
  }

  /** Advances by so many milliseconds and runs each task at its time. */
  advance(byMs: number): void {
    const until = this.#now + byMs;
    for (let budget = 1_000_000; budget > 0; budget -= 1) if (!this.step(until)) return;
    throw new Error('the clock does not settle: a task reschedules itself for the same moment');
  }

  /** Runs the next task that is due by `until`, or advances to `until` when there is none. @returns whether a task ran */
  step(until: Instant): boolean {
    const next = this.#takeDue(until);
    this.#now = Math.max(this.#now, next?.at ?? until);
    if (next === undefined) return false;
    this.ran += 1;
    next.task();
    return true;
  }

  #takeDue(until: Instant): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at > until) continue;
      if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer;
    }
    if (first !== undefined) this.#timers = this.#timers.filter((timer) => timer !== first);
    return first;
  }
}
