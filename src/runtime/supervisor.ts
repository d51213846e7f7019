import type { DurationMs } from '#kube/units';
import type { MachineTimer } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';

/** A component of the process that is started once and stopped once. */
export interface Component {
  readonly name: string;
  /** Resolves once the component runs. An error stops the process. */
  start(): Promise<void>;
  /** Resolves once the component has released its resources. Called at most once, in reverse order of the starts. */
  stop(): Promise<void>;
}

/** Below Evenkeel's documented 10 s and Kubernetes' default terminationGracePeriodSeconds of 30. */
const STOP_DEADLINE_MS: DurationMs = 8_000;

/** Starts components in order and stops them in reverse. One that does not stop in time is logged and abandoned. */
export class Supervisor {
  readonly #logger: Logger;
  readonly #machine: MachineTimer;
  readonly #started: Component[] = [];
  #stopping: Promise<void> | undefined;

  constructor(logger: Logger, machine: MachineTimer) {
    this.#logger = logger;
    this.#machine = machine;
  }

  /**
   * Starts a component after the running ones. During a stop none is started, and one whose start ends then is stopped.
   * @throws where the start fails, after all running components were stopped
   */
  async start(component: Component): Promise<void> {
    if (this.#isStopping()) return;
    try {
      await component.start();
    } catch (cause) {
      await this.stop();
      throw new Error(`starting ${component.name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
    if (this.#isStopping()) await this.#stopWithin(STOP_DEADLINE_MS, component);
    else this.#started.push(component);
  }

  /** Stops all components; further calls wait for the first. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  #isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  async #stopAll(): Promise<void> {
    const deadline = this.#machine.nowMs() + STOP_DEADLINE_MS;
    for (const component of this.#started.splice(0).reverse()) {
      const remainingMs = Math.max(50, deadline - this.#machine.nowMs());
      const startedMs = this.#machine.nowMs();
      const isStopped = await this.#stopWithin(remainingMs, component);
      const durationMs = Math.round(this.#machine.nowMs() - startedMs);
      if (isStopped) this.#logger.debug('Component stopped', { component: component.name, durationMs });
      else this.#logger.error('Component did not stop in time; continuing without it', { component: component.name });
    }
  }

  async #stopWithin(ms: DurationMs, component: Component): Promise<boolean> {
    let cancel: () => void = () => undefined;
    const timeout = new Promise<boolean>((resolve) => {
      cancel = this.#machine.setTimer(ms, () => resolve(false));
    });
    const stopped = component
      .stop()
      .then(() => true)
      .catch((err: unknown) => {
        this.#logger.error('Stopping component failed', { component: component.name, err });
        return true;
      });
    const result = await Promise.race([stopped, timeout]);
    cancel();
    return result;
  }
}
