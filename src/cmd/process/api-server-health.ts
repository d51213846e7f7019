import { SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';
import type { Clock, MachineTimer } from '../../ports/clock.ts';
import type { HealthSource } from '../../queries/sources.ts';

/** Twice as often as readiness is usually asked for. */
const ASK_EVERY_MS: DurationMs = 5 * SECOND_MS;
/** While it does not answer: who waits for readiness should not wait for us. */
const ASK_AGAIN_MS: DurationMs = 2 * SECOND_MS;
const DEADLINE_MS: DurationMs = 5 * SECOND_MS;
/** Slower than this is worth a word. */
const SLOW_MS: DurationMs = 1 * SECOND_MS;

/** Asks the API server for its version from time to time: whether it answers, how fast, and what it is. */
export class ApiServerHealth implements HealthSource {
  readonly name = 'api-server';
  readonly #transport: ApiTransport;
  readonly #timer: MachineTimer;
  readonly #clock: Clock;
  #version: string | null = null;
  #latencyMs: number | null = null;
  #problem: string | null = 'not asked yet';
  #since: Instant;
  #cancel: () => void = () => undefined;
  #stopped = false;

  constructor(transport: ApiTransport, timer: MachineTimer, clock: Clock) {
    this.#transport = transport;
    this.#timer = timer;
    this.#clock = clock;
    this.#since = clock.now();
  }

  /** Resolves when it has been asked once, whatever it answered. */
  async start(): Promise<void> {
    await this.#ask();
    const afterMs = this.#problem === null ? ASK_EVERY_MS : ASK_AGAIN_MS;
    if (!this.#stopped) this.#cancel = this.#timer.setTimer(afterMs, () => void this.start());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  /** gitVersion; null before the first answer. */
  version(): string | null {
    return this.#version;
  }

  reachable(): boolean {
    return this.#problem === null;
  }

  status(): ReturnType<HealthSource['status']> {
    const slow = this.#latencyMs !== null && this.#latencyMs > SLOW_MS;
    const message = this.#problem ?? (slow ? 'answers slowly' : `answers (${this.#version ?? 'unknown version'})`);
    return {
      status: this.#problem !== null ? 'failed' : slow ? 'degraded' : 'ok',
      message,
      since: this.#since,
      latencyMs: this.#latencyMs,
    };
  }

  async #ask(): Promise<void> {
    const begun = this.#timer.nowMs();
    const before = this.#problem === null;
    try {
      const answer = await this.#transport.request({ method: 'GET', path: '/version', timeoutMs: DEADLINE_MS, retry: false });
      this.#latencyMs = Math.round(this.#timer.nowMs() - begun);
      this.#problem = answer.status === 200 ? null : `answered HTTP ${answer.status} to /version`;
      const version = (answer.body as { gitVersion?: unknown } | null)?.gitVersion;
      if (answer.status === 200 && typeof version === 'string') this.#version = version;
    } catch (err) {
      this.#latencyMs = null;
      this.#problem = `does not answer: ${err instanceof Error ? err.message : String(err)}`;
    }
    if (before !== (this.#problem === null)) this.#since = this.#clock.now();
  }
}
