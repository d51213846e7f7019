import type { DurationMs } from '#kube/units';
import type { MachineTimer } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';

/** A part of the process that is started once and stopped once. */
export interface Component {
  readonly name: string;
  /** Resolves when the part is up. A throw ends the start of everything. */
  start(): Promise<void>;
  /** Resolves when the part has let go. Called in reverse order of starts; must bear being called once only. */
  stop(): Promise<void>;
}

/** Under the 10 s that Evenkeel promises, and well under Kubernetes' 30 s of grace. */
const STOP_DEADLINE_MS: DurationMs = 8_000;

/** Starts parts in order and stops them in reverse. What does not stop in time is named and left behind. */
export class Supervisor {
  readonly #logger: Logger;
  readonly #machine: MachineTimer;
  readonly #started: Component[] = [];
  #stopping: Promise<void> | undefined;

  constructor(logger: Logger, machine: MachineTimer) {
    this.#logger = logger;
    this.#machine = machine;
  }

  /** Starts one part after those already running. When it fails, everything started is stopped before the error is thrown. */
  async start(component: Component): Promise<void> {
    if (this.#stopping !== undefined) return;
    try {
      await component.start();
    } catch (cause) {
      await this.stop();
      throw new Error(`starting ${component.name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
    this.#started.push(component);
  }

  /** Stops everything; further calls wait for the first. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll(): Promise<void> {
    const deadline = this.#machine.nowMs() + STOP_DEADLINE_MS;
    for (const component of this.#started.splice(0).reverse()) {
      const left = Math.max(50, deadline - this.#machine.nowMs());
      const stopped = await this.#within(left, component);
      if (!stopped) this.#logger.error('A part did not stop in time and is left behind', { component: component.name });
    }
  }

  async #within(ms: DurationMs, component: Component): Promise<boolean> {
    let cancel: () => void = () => undefined;
    const tooLate = new Promise<boolean>((resolve) => {
      cancel = this.#machine.setTimer(ms, () => resolve(false));
    });
    const stopped = component
      .stop()
      .then(() => true)
      .catch((err: unknown) => {
        this.#logger.error('Stopping a part failed', { component: component.name, err });
        return true;
      });
    const result = await Promise.race([stopped, tooLate]);
    cancel();
    return result;
  }
}
