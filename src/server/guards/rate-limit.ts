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

  /** null: go on. Else the whole seconds to wait. */
  take(client: string): number | null {
    const now = this.#timer.nowMs();
    const bucket = this.#buckets.get(client) ?? { tokens: this.#rate.burst, filledAtMs: now };
    const tokens = Math.min(this.#rate.burst, bucket.tokens + ((now - bucket.filledAtMs) / 1000) * this.#rate.perSecond);
    // Set anew so that the map's order is that of last use.
    this.#buckets.delete(client);
    this.#buckets.set(client, { tokens: tokens < 1 ? tokens : tokens - 1, filledAtMs: now });
    if (this.#buckets.size > MAX_BUCKETS) this.#forgetOldest();
    return tokens < 1 ? Math.max(1, Math.ceil((1 - tokens) / this.#rate.perSecond)) : null;
  }

  #forgetOldest(): void {
    const oldest = this.#buckets.keys().next();
    if (oldest.done !== true) this.#buckets.delete(oldest.value);
  }
}
