import { nextTick } from 'node:process';
import type { DurationMs } from '#kube/units';
import { deferToEvents, type Defer } from './slices.ts';

/** Time that callers take together in a turn of the event loop. */
const TURN_MS: DurationMs = 5;

/**
 * Runs an update for several callers. Those that come while one runs share the next: the one that runs may have passed their changes.
 * They continue one after the other, and other events are served every 5 ms: what they do with the result, such as an answer, would
 * otherwise block the event loop for all of them together. The next update begins once all have continued.
 */
export class SharedUpdate {
  readonly #update: () => Promise<void>;
  readonly #defer: Defer;
  readonly #nowMs: () => number;
  #waiting: Caller[] = [];
  #isRunning = false;

  constructor(update: () => Promise<void>, defer: Defer = deferToEvents, nowMs: () => number = () => performance.now()) {
    this.#update = update;
    this.#defer = defer;
    this.#nowMs = nowMs;
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
      () => this.#answerInTurn(callers.values(), (caller) => caller.resolve()),
      (err: unknown) => this.#answerInTurn(callers.values(), (caller) => caller.reject(err)),
    );
  }

  #answerInTurn(callers: Iterator<Caller, undefined>, answer: (caller: Caller) => void, until = this.#nowMs() + TURN_MS): void {
    const caller = callers.next().value;
    if (caller === undefined) {
      this.#begin();
      return;
    }
    answer(caller);
    afterMicrotasks(() => {
      if (this.#nowMs() < until) this.#answerInTurn(callers, answer, until);
      else this.#defer(() => this.#answerInTurn(callers, answer));
    });
  }
}

/** Runs a task in this turn, after all that the promises resolved so far lead to. Node.js drains the microtasks before the next tick. */
function afterMicrotasks(task: () => void): void {
  queueMicrotask(() => nextTick(task));
}

interface Caller {
  resolve(): void;
  reject(reason: unknown): void;
}
