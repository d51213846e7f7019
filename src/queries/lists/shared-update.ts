import { deferToEvents, type Defer } from './slices.ts';

/**
 * Runs an update for several callers. Those that come while one runs share the next: the one that runs may have passed their changes.
 * They continue one in a turn of the event loop: what they do with the result, such as an answer, would otherwise block it for all of them
 * together. The next update begins once all have continued.
 */
export class SharedUpdate {
  readonly #update: () => Promise<void>;
  readonly #defer: Defer;
  #waiting: Caller[] = [];
  #isRunning = false;

  constructor(update: () => Promise<void>, defer: Defer = deferToEvents) {
    this.#update = update;
    this.#defer = defer;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Resolves once an update that began after the call has ended. */
  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (!this.#isRunning) this.#begin();
    });
  }

  #begin(): void {
    const callers = this.#waiting;
    this.#waiting = [];
    this.#isRunning = callers.length > 0;
    if (!this.#isRunning) return;
    this.#update().then(
      () => this.#answer(callers.values(), (caller) => caller.resolve()),
      (err: unknown) => this.#answer(callers.values(), (caller) => caller.reject(err)),
    );
  }

  #answer(callers: Iterator<Caller, undefined>, answer: (caller: Caller) => void): void {
    const caller = callers.next().value;
    if (caller === undefined) {
      this.#begin();
      return;
    }
    answer(caller);
    this.#defer(() => this.#answer(callers, answer));
  }
}

interface Caller {
  resolve(): void;
  reject(reason: unknown): void;
}
