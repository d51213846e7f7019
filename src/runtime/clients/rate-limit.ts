import type { MachineTimer } from '../../ports/clock.ts';

/** How often one client may ask. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** A forgotten client begins with a full bucket, so forgetting the idle ones changes nothing. */
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
   * @returns null: go on; else the whole seconds to wait
   */
  take(client: string, amount = 1): number | null {
    const now = this.#timer.nowMs();
    const bucket = this.#buckets.get(client) ?? { tokens: this.#rate.burst, filledAtMs: now };
    const tokens = Math.min(this.#rate.burst, bucket.tokens + ((now - bucket.filledAtMs) / 1000) * this.#rate.perSecond);
    // Set anew so that the map's order is that of last use.
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
