import type { DurationMs } from '#kube/units';
import type { MachineTimer } from '../../../ports/clock.ts';
import { sleep } from '../sleep.ts';

/** Client-side rate limit: `burst` at once, `qps` sustained. Callers are served in order of arrival. */
export class TokenBucket {
  readonly #qps: number;
  readonly #burst: number;
  readonly #timer: MachineTimer;
  /** Negative while callers wait: each has already taken its token. */
  #tokens: number;
  #filledAtMs: number;

  constructor(options: { readonly qps: number; readonly burst: number; readonly timer: MachineTimer }) {
    this.#qps = options.qps;
    this.#burst = options.burst;
    this.#timer = options.timer;
    this.#tokens = options.burst;
    this.#filledAtMs = options.timer.nowMs();
  }

  /** Resolves with the waited time when the caller may continue; rejects when `signal` aborts, and returns the token. */
  async take(signal?: AbortSignal): Promise<DurationMs> {
    const now = this.#timer.nowMs();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAtMs) / 1000) * this.#qps);
    this.#filledAtMs = now;
    this.#tokens -= 1;
    if (this.#tokens >= 0) return 0;
    const waitMs = (-this.#tokens / this.#qps) * 1000;
    try {
      await sleep(this.#timer, waitMs, signal);
    } catch (err) {
      this.#tokens += 1;
      throw err;
    }
    return waitMs;
  }
}
