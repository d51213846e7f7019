import { SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';
import type { Clock, MachineTimer } from '../../ports/clock.ts';
import type { HealthSource } from '../../queries/sources.ts';

/** Half of the usual period of readiness probes. */
const CHECK_INTERVAL_MS: DurationMs = 5 * SECOND_MS;
/** Interval while it does not respond, so that readiness returns soon after the API server does. */
const RETRY_MS: DurationMs = 2 * SECOND_MS;
const DEADLINE_MS: DurationMs = 5 * SECOND_MS;
/** A slower response is degraded. */
const SLOW_MS: DurationMs = 1 * SECOND_MS;

/** Reads the API server's version periodically, for its reachability, latency and version. */
export class ApiServerHealth implements HealthSource {
  readonly name = 'api-server';
  readonly #transport: ApiTransport;
  readonly #timer: MachineTimer;
  readonly #clock: Clock;
  #version: string | null = null;
  #latencyMs: number | null = null;
  #problem: string | null = 'not checked yet';
  #since: Instant;
  #cancel: () => void = () => undefined;
  #stopped = false;

  constructor(transport: ApiTransport, timer: MachineTimer, clock: Clock) {
    this.#transport = transport;
    this.#timer = timer;
    this.#clock = clock;
    this.#since = clock.now();
  }

  /** Resolves after the first check, even where it failed. */
  async start(): Promise<void> {
    await this.#check();
    const afterMs = this.#problem === null ? CHECK_INTERVAL_MS : RETRY_MS;
    if (!this.#stopped) this.#cancel = this.#timer.setTimer(afterMs, () => void this.start());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  /** gitVersion; null before the first response. */
  version(): string | null {
    return this.#version;
  }

  isReachable(): boolean {
    return this.#problem === null;
  }

  status(): ReturnType<HealthSource['status']> {
    const isSlow = this.#latencyMs !== null && this.#latencyMs > SLOW_MS;
    const message = this.#problem ?? (isSlow ? 'responds slowly' : `responds (${this.#version ?? 'unknown version'})`);
    return {
      status: this.#problem !== null ? 'failed' : isSlow ? 'degraded' : 'ok',
      message,
      since: this.#since,
      latencyMs: this.#latencyMs,
    };
  }

  async #check(): Promise<void> {
    const startedAtMs = this.#timer.nowMs();
    const wasReachable = this.#problem === null;
    try {
      const answer = await this.#transport.request({ method: 'GET', path: '/version', timeoutMs: DEADLINE_MS, retry: false });
      this.#latencyMs = Math.round(this.#timer.nowMs() - startedAtMs);
      this.#problem = answer.status === 200 ? null : `/version returned HTTP ${answer.status}`;
      const version = (answer.body as { gitVersion?: unknown } | null)?.gitVersion;
      if (answer.status === 200 && typeof version === 'string') this.#version = version;
    } catch (err) {
      this.#latencyMs = null;
      this.#problem = `does not respond: ${err instanceof Error ? err.message : String(err)}`;
    }
    if (wasReachable !== (this.#problem === null)) this.#since = this.#clock.now();
  }
}
