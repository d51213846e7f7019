import type { Activity, Clock, MachineTimer } from '../src/ports/clock.ts';
import { ManualClock } from './manual-clock.ts';

/** A `ManualClock` for code with promises: the promises of each task settle before the next task runs. */
export class FakeClock implements Clock, MachineTimer {
  readonly #clock: ManualClock;

  constructor(now = Date.parse('2026-01-01T00:00:00Z')) {
    this.#clock = new ManualClock(now);
  }

  now(): number {
    return this.#clock.now();
  }

  nowMs(): number {
    return this.#clock.now();
  }

  schedule(at: number, task: () => void): () => void {
    return this.#clock.schedule(at, task);
  }

  setTimer(afterMs: number, task: () => void): () => void {
    return this.#clock.setTimer(afterMs, task);
  }

  get waiting(): number {
    return this.#clock.pending;
  }

  /** Advances by `ms`, runs due tasks in order, and lets promises settle after each. */
  async advance(ms: number): Promise<void> {
    const end = this.now() + ms;
    await settle();
    while (this.#clock.step(end)) await settle();
    await settle();
  }
}

/** Lets every promise settle that can. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
}

/** Counts open activities. */
export class FakeActivity implements Activity {
  count = 0;

  begin(): () => void {
    this.count += 1;
    let open = true;
    return () => {
      if (open) this.count -= 1;
      open = false;
    };
  }
}
