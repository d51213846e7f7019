/** Runs a task after events that wait. */
export type Defer = (task: () => void) => void;

export const deferToEvents: Defer = (task) => void setImmediate(task);

/** Work that yields where it may be interrupted. */
export type Steps<Result = void> = Generator<void, Result, void>;

/** Time that the steps of a turn take together where the event loop has little else to do. */
const MIN_TURN_MS = 5;
/** Longest turn, half of the delay that others may wait. */
const MAX_TURN_MS = 25;
/** Length of a turn relative to the time since the last one: on a busy event loop the work would otherwise take minutes. */
const TURN_RATIO = 0.5;

/**
 * Runs long work of several callers in turns, and serves other events between them. They share a turn, of a third of the time and at most
 * 25 ms: lists that are built at the same time would otherwise block the event loop for the slices of all of them.
 */
export class Slices {
  /** Each runs a step of its work, and returns whether that was the last. */
  readonly #waiting: (() => boolean)[] = [];
  readonly #nowMs: () => number;
  readonly #defer: Defer;
  /** Time at which the last turn ended, or the work began. */
  #restingSince = 0;

  constructor(nowMs: () => number = () => performance.now(), defer: Defer = deferToEvents) {
    this.#nowMs = nowMs;
    this.#defer = defer;
  }

  /** Runs steps to their end: the first one at once. */
  run<Result>(steps: Steps<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const advance = (): boolean => {
        try {
          const step = steps.next();
          if (step.done === true) resolve(step.value);
          return step.done === true;
        } catch (cause) {
          reject(cause instanceof Error ? cause : new Error('a step failed', { cause }));
          return true;
        }
      };
      if (!advance()) this.#enqueue(advance);
    });
  }

  #enqueue(advance: () => boolean): void {
    this.#waiting.push(advance);
    if (this.#waiting.length === 1) this.#awaitTurn();
  }

  #awaitTurn(): void {
    this.#restingSince = this.#nowMs();
    this.#defer(() => this.#takeTurn());
  }

  #takeTurn(): void {
    const begin = this.#nowMs();
    const end = begin + Math.min(MAX_TURN_MS, Math.max(MIN_TURN_MS, (begin - this.#restingSince) * TURN_RATIO));
    do {
      const [advance] = this.#waiting;
      if (advance === undefined) return;
      // It stays in the queue during its step, which marks the turn as taken.
      const isLast = advance();
      this.#waiting.shift();
      if (!isLast) this.#waiting.push(advance);
    } while (this.#nowMs() < end);
    if (this.#waiting.length > 0) this.#awaitTurn();
  }
}

/** Runs steps to their end at once. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Items that are sorted in a step: 1,000 texts take a millisecond. */
const SORTED_PER_STEP = 1_000;
const MERGED_PER_STEP = 5_000;

/** Sorts in steps: 150,000 items at once would block other events for a fifth of a second. */
export function* sortInSteps<Item>(items: readonly Item[], compare: (a: Item, b: Item) => number): Steps<Item[]> {
  let runs: Item[][] = [];
  for (let start = 0; start < items.length; start += SORTED_PER_STEP) {
    if (start > 0) yield;
    runs.push(items.slice(start, start + SORTED_PER_STEP).sort(compare));
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      const [left = [], right = []] = [runs[index], runs[index + 1]];
      merged.push(yield* mergeInSteps(left, right, compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Merges two sorted arrays. */
function* mergeInSteps<Item>(left: readonly Item[], right: readonly Item[], compare: (a: Item, b: Item) => number): Steps<Item[]> {
  const merged: Item[] = [];
  let [from, at] = [0, 0];
  while (from < left.length || at < right.length) {
    const [a, b] = [left[from], right[at]];
    if (b === undefined || (a !== undefined && compare(a, b) <= 0)) {
      merged.push(a as Item);
      from += 1;
    } else {
      merged.push(b);
      at += 1;
    }
    if (merged.length % MERGED_PER_STEP === 0) yield;
  }
  return merged;
}
