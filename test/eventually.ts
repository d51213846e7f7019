import { inspect } from 'node:util';

const MIN_POLL_MS = 50;
const MAX_POLL_MS = 500;
/** Share of the elapsed time between polls: a wait of minutes does not keep a core busy. */
const POLL_RATIO = 0.1;

/** Timeout of a wait for a guaranteed outcome. No test measures a duration, so only a hang takes this long, however busy the machine is. */
export const HANG_MS = 10 * 60_000;
/** Timeout of a test or a set-up with several such waits. */
export const HANG_TEST_MS = 30 * 60_000;

/** The awaited state, and why it is reached: "the lease is free: it was released". */
export type StateAndReason = `${string}: ${string}`;

/**
 * Polls until the probe returns neither undefined nor false, and returns that value. A probe that throws is retried. Rejects after
 * `withinMs` of machine time with the awaited state and the last value.
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

/** Bounds a probe that never settles, so that the message names the awaited state. */
async function orLate<T>(answer: Promise<T> | T, withinMs: number): Promise<T> {
  if (!(answer instanceof Promise)) return answer;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the probe did not settle')), withinMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Polls until a reading satisfies a condition; the error shows the last reading. */
export async function eventuallyReads<T>(
  what: StateAndReason,
  withinMs: number,
  read: () => Promise<T> | T,
  isMet: (reading: T) => boolean,
): Promise<T> {
  return eventually(what, withinMs, async () => {
    const reading = await read();
    if (!isMet(reading)) throw new Error(inspect(reading, { depth: 8, breakLength: 140 }));
    return reading;
  });
}
