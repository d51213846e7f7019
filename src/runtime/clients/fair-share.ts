// What clients of a server share: connections, streams, requests under way, bytes of bodies.

/** `client`: that client has its share. `total`: all is taken, and by no client that has more. */
export type ShareRefusal = 'client' | 'total';

interface Holding {
  readonly amount: number;
  readonly cutOff: () => void;
}

interface Holdings {
  amount: number;
  /** Oldest first. */
  readonly each: Set<Holding>;
}

/** What one client may have of the whole: three that misbehave leave room for others. */
export const CLIENT_RATIO = 1 / 4;

/**
 * An amount of which no client has more than a quarter. When all is taken, a client that has less takes from the one that has most: a
 * flood from a few addresses closes no other address out.
 */
export class FairShare {
  readonly #total: number;
  readonly #perClient: number;
  readonly #clients = new Map<string, Holdings>();
  #taken = 0;

  constructor(total: number) {
    this.#total = total;
    this.#perClient = Math.max(1, Math.floor(total * CLIENT_RATIO));
  }

  /**
   * Takes `amount`, and returns what releases it (further calls do nothing), or why it is refused. `cutOff` is called where it is taken
   * back for another client; it has been released then.
   */
  take(client: string, amount: number, cutOff: () => void): (() => void) | ShareRefusal {
    const wanted = (this.#clients.get(client)?.amount ?? 0) + amount;
    if (wanted > this.#perClient) return 'client';
    while (this.#taken + amount > this.#total) if (!this.#takeFromLargest(wanted)) return 'total';
    const holding = { amount, cutOff };
    const holdings = this.#clients.get(client) ?? { amount: 0, each: new Set() };
    this.#clients.set(client, holdings);
    holdings.each.add(holding);
    holdings.amount += amount;
    this.#taken += amount;
    return () => this.#release(client, holding);
  }

  /** Cuts off the oldest of the client that has most. False where that is not more than `wanted`. */
  #takeFromLargest(wanted: number): boolean {
    let largest: readonly [string, Holdings] | undefined;
    for (const entry of this.#clients) if (entry[1].amount > (largest?.[1].amount ?? wanted)) largest = entry;
    const [oldest] = largest?.[1].each ?? [];
    if (largest === undefined || oldest === undefined) return false;
    this.#release(largest[0], oldest);
    oldest.cutOff();
    return true;
  }

  #release(client: string, holding: Holding): void {
    const holdings = this.#clients.get(client);
    if (holdings?.each.delete(holding) !== true) return;
    holdings.amount -= holding.amount;
    this.#taken -= holding.amount;
    if (holdings.each.size === 0) this.#clients.delete(client);
  }
}
