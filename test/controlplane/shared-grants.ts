// Grants of the AccessPolicy, changed through the API of any replica.

/** Answer of the API. */
export interface Answer {
  /** Time from the request to its answer. */
  readonly ms: number;
  readonly status: number;
  readonly warnings: readonly { readonly code: string }[];
  readonly data: unknown;
  /** Empty where there is none. */
  readonly error: string;
}

/** What an address gets; null: nothing. */
export type Grant = { readonly role: string; readonly namespaces: readonly string[] } | null;

interface PolicyBody {
  readonly grants: readonly (NonNullable<Grant> & { readonly email: string })[];
}

/** Changes grants through the API. The policy takes one change at a time, so those that wait share the next one. */
export class SharedGrants {
  readonly #read: (through: 0 | 1) => Promise<Answer>;
  readonly #replace: (through: 0 | 1, policy: object) => Promise<Answer>;
  readonly #pending = new Map<string, Grant>();
  #next: Promise<Answer> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(read: (through: 0 | 1) => Promise<Answer>, replace: (through: 0 | 1, policy: object) => Promise<Answer>) {
    this.#read = read;
    this.#replace = replace;
  }

  change(through: 0 | 1, email: string, grant: Grant): Promise<Answer> {
    this.#pending.set(email, grant);
    if (this.#next === null) {
      const write = async (): Promise<Answer> => {
        // Those of the same turn are included.
        await new Promise((resolve) => setImmediate(resolve));
        return this.#write(through);
      };
      this.#next = this.#last.then(write, write);
      this.#last = this.#next;
    }
    return this.#next;
  }

  /** Removes a grant with the next change, so that the policy does not grow with every try. */
  forget(email: string): void {
    this.#pending.set(email, null);
  }

  async #write(through: 0 | 1): Promise<Answer> {
    const changes = new Map(this.#pending);
    this.#pending.clear();
    this.#next = null;
    for (;;) {
      const { data } = await this.#read(through);
      const { grants, ...policy } = data as PolicyBody;
      const changed = [...changes].flatMap(([email, grant]) => (grant === null ? [] : [{ email, ...grant }]));
      const answer = await this.#replace(through, {
        ...policy,
        grants: [...grants.filter(({ email }) => !changes.has(email)), ...changed],
      });
      // The status was written meanwhile.
      if (answer.status !== 409) return answer;
    }
  }
}
