import type { MachineTimer } from '../../src/ports/clock.ts';

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

/** Lets the event loop turn until `condition` holds; fails with `what` after a minute. */
export async function until(condition: () => boolean, what = 'the condition'): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`${what} did not come true`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
