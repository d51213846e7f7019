import type { MachineTimer } from '../../ports/clock.ts';

/** Requests that one client may send. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** A new client starts with a full bucket, so dropping idle clients changes nothing. */
const MAX_BUCKETS = 10_000;

/** A token bucket for each client, in machine time. */
export class RateLimiter {
  readonly #buckets = new Map<string, Bucket>();
  readonly #rate: Rate;
  readonly #timer: MachineTimer;

  constructor(rate: Rate, timer: MachineTimer) {
    this.#rate = rate;
    this.#timer = timer;
  }

  /**
   * @param amount tokens; at most as many as the burst
   * @returns null where the request may proceed, else the whole seconds to wait
   */
  take(client: string, amount = 1): number | null {
    const now = this.#timer.nowMs();
    const bucket = this.#buckets.get(client) ?? { tokens: this.#rate.burst, filledAtMs: now };
    const tokens = Math.min(this.#rate.burst, bucket.tokens + ((now - bucket.filledAtMs) / 1000) * this.#rate.perSecond);
    // Deleted and set again, so that the map is ordered by last use.
    this.#buckets.delete(client);
    this.#buckets.set(client, { tokens: tokens < amount ? tokens : tokens - amount, filledAtMs: now });
    if (this.#buckets.size > MAX_BUCKETS) this.#forgetOldest();
    return tokens < amount ? Math.max(1, Math.ceil((amount - tokens) / this.#rate.perSecond)) : null;
  }

  #forgetOldest(): void {
    const oldest = this.#buckets.keys().next();
    if (oldest.done !== true) this.#buckets.delete(oldest.value);
  }
}
