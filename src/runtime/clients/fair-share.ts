// Fair sharing of a server's resources among clients: connections, streams, open requests, bytes of bodies.

/** `client`: the client has its full share. `total`: everything is taken, and no client has more than this one would. */
export type ShareRefusal = 'client' | 'total';

interface Holding {
  readonly amount: number;
  readonly displace: () => void;
}

interface Holdings {
  amount: number;
  /** Oldest first. */
  readonly items: Set<Holding>;
}

/** Share of one client: three misbehaving clients leave capacity for others. */
export const CLIENT_RATIO = 1 / 4;

/**
 * An amount of which no client gets more than a quarter. When everything is taken, a client with less displaces a holding of the client
 * with the most, so that a flood from a few addresses does not exclude others.
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
   * Takes `amount` for a client.
   * @param displace called when another client displaces it; it is released by then
   * @returns a function that releases it (further calls do nothing), or why it was refused
   */
  take(client: string, amount: number, displace: () => void): (() => void) | ShareRefusal {
    const requested = (this.#clients.get(client)?.amount ?? 0) + amount;
    if (requested > this.#perClient) return 'client';
    while (this.#taken + amount > this.#total) if (!this.#displaceLargest(requested)) return 'total';
    const holding = { amount, displace };
    const holdings = this.#clients.get(client) ?? { amount: 0, items: new Set() };
    this.#clients.set(client, holdings);
    holdings.items.add(holding);
    holdings.amount += amount;
    this.#taken += amount;
    return () => this.#release(client, holding);
  }

  /** Displaces the oldest holding of the client with the most. False where that client has no more than `requested`. */
  #displaceLargest(requested: number): boolean {
    let largest: readonly [string, Holdings] | undefined;
    for (const entry of this.#clients) if (entry[1].amount > (largest?.[1].amount ?? requested)) largest = entry;
    const [oldest] = largest?.[1].items ?? [];
    if (largest === undefined || oldest === undefined) return false;
    this.#release(largest[0], oldest);
    oldest.displace();
    return true;
  }

  #release(client: string, holding: Holding): void {
    const holdings = this.#clients.get(client);
    if (holdings?.items.delete(holding) !== true) return;
    holdings.amount -= holding.amount;
    this.#taken -= holding.amount;
    if (holdings.items.size === 0) this.#clients.delete(client);
  }
}
