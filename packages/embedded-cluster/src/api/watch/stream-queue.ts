import type { Activity } from '../../ports/clock.ts';
import type { StreamSink } from '../answer.ts';

type Result = IteratorResult<unknown, undefined>;

/**
 * Queue between a pushing stream and a pulling reader. It holds the virtual clock while an item waits or is being processed: an item counts
 * as processed when the next one is requested.
 */
export class StreamQueue implements StreamSink, AsyncIterable<unknown>, AsyncIterator<unknown, undefined> {
  readonly #activity: Activity;
  #items: unknown[] = [];
  #next = 0;
  #waiting: { resolve: (result: Result) => void; reject: (reason: unknown) => void } | null = null;
  #state: 'open' | 'ended' | 'aborted' = 'open';
  #abortReason: unknown;
  #endActivity: (() => void) | null = null;
  #close: () => void = () => undefined;

  constructor(activity: Activity) {
    this.#activity = activity;
  }

  /** Called once when the reader leaves or the signal aborts; immediately if that has already happened. */
  onClose(close: () => void): void {
    this.#close = close;
  }

  abortOn(signal: AbortSignal): void {
    const abort = (): void => this.#abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  }

  push(item: unknown): void {
    if (this.#state !== 'open') return;
    this.#endActivity ??= this.#activity.begin();
    const waiting = this.#waiting;
    if (waiting === null) {
      this.#items.push(item);
      return;
    }
    this.#waiting = null;
    waiting.resolve({ done: false, value: item });
  }

  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ended';
    this.#waiting?.resolve({ done: true, value: undefined });
    this.#waiting = null;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    if (this.#next < this.#items.length) return Promise.resolve({ done: false, value: this.#take() });
    this.#idle();
    if (this.#state === 'ended') return Promise.resolve({ done: true, value: undefined });
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- an abort reason is whatever its signal carries
    if (this.#state === 'aborted') return Promise.reject(this.#abortReason);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  return(): Promise<Result> {
    if (this.#state === 'open') this.#close();
    this.#state = 'ended';
    this.#drop();
    return Promise.resolve({ done: true, value: undefined });
  }

  #take(): unknown {
    const item = this.#items[this.#next++];
    if (this.#next === this.#items.length) {
      this.#items = [];
      this.#next = 0;
    }
    return item;
  }

  #abort(reason: unknown): void {
    if (this.#state === 'aborted') return;
    if (this.#state === 'open') this.#close();
    this.#state = 'aborted';
    this.#abortReason = reason;
    this.#drop();
    this.#waiting?.reject(reason);
    this.#waiting = null;
  }

  #drop(): void {
    this.#items = [];
    this.#next = 0;
    this.#idle();
  }

  #idle(): void {
    this.#endActivity?.();
    this.#endActivity = null;
  }
}
