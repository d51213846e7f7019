/** Runs an update for several callers. Those that come while one runs share the next: the one that runs may have passed their changes. */
export class SharedUpdate {
  readonly #update: () => Promise<void>;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(update: () => Promise<void>) {
    this.#update = update;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Resolves once an update that began after the call has ended. */
  run(): Promise<void> {
    // The next one begins some turns after the one that ran has ended: never a third between them.
    if (this.#next !== null) return this.#next;
    if (this.#running === null) return this.#begin();
    const next = (): Promise<void> => {
      this.#next = null;
      return this.#begin();
    };
    this.#next = this.#running.then(next, next);
    return this.#next;
  }

  #begin(): Promise<void> {
    const running = this.#update().finally(() => {
      if (this.#running === running) this.#running = null;
    });
    this.#running = running;
    return running;
  }
}
