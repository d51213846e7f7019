import type { MachineTimer } from '../../src/ports/clock.ts';
import type { StateAndReason } from '../eventually.ts';

/** Real timers at a multiple of their speed: back-offs and deadlines of seconds pass in milliseconds, with real sockets. */
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
 * Shorter than `HANG_MS` of test/eventually.ts: only this process is awaited. It must end before Jest's timeout of 3 minutes for unit
 * tests, because only this error names the condition.
 */
const UNIT_HANG_MS = 150_000;

/** Runs the event loop until `condition` holds. Throws an error that names `what` when it never does. */
export async function until(condition: () => boolean, what: StateAndReason): Promise<void> {
  const deadline = performance.now() + UNIT_HANG_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`timed out waiting for ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
