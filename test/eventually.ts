import { inspect } from 'node:util';

const MIN_POLL_MS = 50;
const MAX_POLL_MS = 500;
/** Of the time waited so far: what takes a minute does not keep a core busy with polling meanwhile. */
const POLL_RATIO = 0.1;

/**
 * For what the rules guarantee to come: no test measures how long it takes, so only what hangs takes this long, however busy
 * the machine is.
 */
export const HANG_MS = 10 * 60_000;
/** For a whole test or a set-up of such waits. */
export const HANG_TEST_MS = 30 * 60_000;

/** What is waited for, and why the rules bring it about: "the lease is free: it was released". */
export type StateAndReason = `${string}: ${string}`;

/**
 * Asks again and again until the answer is neither undefined nor false, and returns it. A probe that throws has not been
 * answered yet. Rejects after `withinMs` of machine time with what was waited for and what was seen last.
 */
export async function eventually<T>(
  what: StateAndReason,
  withinMs: number,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const start = performance.now();
  let last: unknown;
  for (;;) {
    try {
      const answer = await orLate(probe(), withinMs - (performance.now() - start));
      if (answer !== undefined && answer !== false) return answer;
      last = answer;
    } catch (err) {
      last = err;
    }
    const waited = performance.now() - start;
    if (waited > withinMs) throw new Error(`${what}: not within ${withinMs} ms; last seen: ${inspect(last, { depth: 6 })}`);
    const pause = Math.min(Math.max(MIN_POLL_MS, waited * POLL_RATIO), MAX_POLL_MS);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** A probe that never answers ends with the wait, whose message names what was waited for. */
async function orLate<T>(answer: Promise<T> | T, withinMs: number): Promise<T> {
  if (!(answer instanceof Promise)) return answer;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the probe has not answered')), withinMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until what a reading answers satisfies a condition; a failure shows the last reading. */
export async function eventuallyReads<T>(
  what: StateAndReason,
  withinMs: number,
  read: () => Promise<T> | T,
  holds: (reading: T) => boolean,
): Promise<T> {
  return eventually(what, withinMs, async () => {
    const reading = await read();
    if (!holds(reading)) throw new Error(inspect(reading, { depth: 8, breakLength: 140 }));
    return reading;
  });
}
