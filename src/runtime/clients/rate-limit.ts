import type { MachineTimer } from '../../ports/clock.ts';
import { ClientTable } from './client-table.ts';

/** Requests that one client may send. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

interface Bucket {
  readonly tokens: number;
  readonly filledAtMs: number;
}

/** A token bucket for each client, in machine time. A new client starts with a full one. */
export class RateLimiter {
  readonly #buckets: ClientTable<Bucket>;
  readonly #rate: Rate;
  readonly #timer: MachineTimer;

  constructor(rate: Rate, timer: MachineTimer) {
    this.#rate = rate;
    this.#timer = timer;
    // The time at which the bucket is full again, when dropping it changes nothing.
    this.#buckets = new ClientTable(({ tokens, filledAtMs }) => filledAtMs + ((rate.burst - tokens) / rate.perSecond) * 1000);
  }

  /**
   * @param amount tokens; at most as many as the burst
   * @returns null where the request may proceed, else the whole seconds to wait
   */
  take(client: string, amount = 1): number | null {
    const tokens = this.#tokensOf(client);
    const isAllowed = tokens >= amount;
    this.#store(client, isAllowed ? tokens - amount : tokens);
    return isAllowed ? null : Math.max(1, Math.ceil((amount - tokens) / this.#rate.perSecond));
  }

  /** Returns a token, for a request that another limit counts. */
  giveBack(client: string): void {
    this.#store(client, Math.min(this.#rate.burst, this.#tokensOf(client) + 1));
  }

  #tokensOf(client: string): number {
    const { perSecond, burst } = this.#rate;
    const bucket = this.#buckets.get(client);
    if (bucket === undefined) return burst;
    return Math.min(burst, bucket.tokens + ((this.#timer.nowMs() - bucket.filledAtMs) / 1000) * perSecond);
  }

  #store(client: string, tokens: number): void {
    this.#buckets.set(client, { tokens, filledAtMs: this.#timer.nowMs() });
  }
}
