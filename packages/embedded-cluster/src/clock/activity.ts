import type { Activity } from '../ports/clock.ts';

/** Counts active work by label, so that "what holds the clock?" has an answer. */
export class CountingActivity implements Activity {
  readonly #holders = new Map<string, number>();
  readonly #idleListeners = new Set<() => void>();
  #count = 0;
  #begun = 0;

  /** Number of activities in progress. */
  get count(): number {
    return this.#count;
  }

  /** Number of activities started so far: two equal readings without activity mean that nothing happened in between. */
  get begun(): number {
    return this.#begun;
  }

  /** Holds the clock until the returned function is called; further calls of that function do nothing. */
  begin(label = 'unnamed'): () => void {
    this.#count++;
    this.#begun++;
    this.#holders.set(label, (this.#holders.get(label) ?? 0) + 1);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#end(label);
    };
  }

  /** The same activity counter under a label, for a component that only has the port. */
  labelled(label: string): Activity {
    return { begin: () => this.begin(label) };
  }

  /** Activities in progress by label, for messages when a clock waits longer than expected. */
  holders(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#holders].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Called synchronously each time the last one ends. Returns the cancel. */
  onIdle(listener: () => void): () => void {
    this.#idleListeners.add(listener);
    return () => this.#idleListeners.delete(listener);
  }

  #end(label: string): void {
    this.#count--;
    const left = (this.#holders.get(label) ?? 1) - 1;
    if (left === 0) this.#holders.delete(label);
    else this.#holders.set(label, left);
    if (this.#count === 0) for (const listener of this.#idleListeners) listener();
  }
}
