import type { MachineTimer } from '../../src/ports/clock.ts';
import type { StateAndReason } from '../eventually.ts';

/** Real timers that run many times as fast: back-offs and deadlines of seconds pass in milliseconds, sockets stay real. */
export class FastTimer implements MachineTimer {
  readonly #speed: number;

  constructor(speed = 20) {
    this.#speed = speed;
  }

  nowMs(): number {
    return performance.now() * this.#speed;
  }

  setTimer(afterMs: number, task: () => void): () => void {
    const timer = setTimeout(task, afterMs / this.#speed);
    return () => clearTimeout(timer);
  }
}

/**
 * Shorter than `HANG_MS` of test/eventually.ts: nothing is waited for but this process, and unit tests have Jest's own time-out
 * of 3 minutes, which must not come first, as only this error names the condition.
 */
const UNIT_HANG_MS = 150_000;

/** Lets the event loop turn until `condition` holds; throws an error that names `what` where it never does. */
export async function until(condition: () => boolean, what: StateAndReason): Promise<void> {
  const deadline = performance.now() + UNIT_HANG_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`timed out waiting for ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
