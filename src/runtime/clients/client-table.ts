/** Clients of one table. An entry is some hundred bytes. */
const MAX_CLIENTS = 10_000;
/** Entries that are compared when one has to be dropped. */
const CANDIDATES = 16;

/**
 * A value for each client, of a limited number of clients. Of the 16 entries that were unused for longest, the one with the smallest weight
 * is dropped. Dropping the oldest one alone would let a client reset its own limit by requests from many addresses.
 */
export class ClientTable<Value> {
  readonly #values = new Map<string, Value>();
  readonly #weightOf: (value: Value) => number;
  readonly #maxClients: number;

  /** @param weightOf how much of its limit a client has used */
  constructor(weightOf: (value: Value) => number, maxClients: number = MAX_CLIENTS) {
    this.#weightOf = weightOf;
    this.#maxClients = maxClients;
  }

  get size(): number {
    return this.#values.size;
  }

  get(client: string): Value | undefined {
    return this.#values.get(client);
  }

  /** Stores the value of a client, which thereby is the last one that was used. */
  set(client: string, value: Value): void {
    // Deleted and set again, so that the map is ordered by last use.
    this.#values.delete(client);
    if (this.#values.size >= this.#maxClients) this.#dropOne();
    this.#values.set(client, value);
  }

  #dropOne(): void {
    let compared = 0;
    let dropped: { readonly client: string; readonly weight: number } | null = null;
    for (const [client, value] of this.#values) {
      const weight = this.#weightOf(value);
      if (dropped === null || weight < dropped.weight) dropped = { client, weight };
      compared += 1;
      if (compared === CANDIDATES) break;
    }
    if (dropped !== null) this.#values.delete(dropped.client);
  }
}
