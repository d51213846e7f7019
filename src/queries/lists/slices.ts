/** Runs a task after events that wait. */
export type Defer = (task: () => void) => void;

const deferToEvents: Defer = (task) => void setImmediate(task);

/** Work that yields where it may be interrupted. */
export type Steps<Result = void> = Generator<void, Result, void>;

/** Runs steps to their end, and serves other events between them. */
export async function runInSlices<Result>(steps: Steps<Result>, defer: Defer = deferToEvents): Promise<Result> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    await new Promise<void>((resume) => defer(resume));
  }
}

/** Runs steps to their end at once. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Items that are sorted at once: 2,000 texts take a few milliseconds. */
const SORTED_PER_STEP = 2_000;
const MERGED_PER_STEP = 10_000;

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
