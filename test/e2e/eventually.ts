import { inspect } from 'node:util';

const FIRST_LOOK_AGAIN_MS = 50;
const LOOK_AGAIN_MS_AT_MOST = 500;
/** Seen at most so much later than it came. What waits for a minute does not keep a core busy with asking meanwhile. */
const LATER_BY = 0.1;

/**
 * For what the rules guarantee to come: no test measures how long it takes, so only what hangs takes this long, however busy
 * the machine is.
 */
export const HANG_MS = 10 * 60_000;
/** For a whole test or a set-up of such waits. */
export const HANG_TEST_MS = 30 * 60_000;

/**
 * Asks again and again until the answer is neither undefined nor false, and returns it. A probe that throws has not been
 * answered yet. Rejects after `withinMs` of machine time with what was waited for and what was seen last.
 */
export async function eventually<T>(
  what: string,
  withinMs: number,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const start = performance.now();
  let last: unknown;
  for (;;) {
    try {
      const answer = await probe();
      if (answer !== undefined && answer !== false) return answer;
      last = answer;
    } catch (err) {
      last = err;
    }
    const waited = performance.now() - start;
    if (waited > withinMs) throw new Error(`${what}: not within ${withinMs} ms; last seen: ${inspect(last, { depth: 6 })}`);
    const pause = Math.min(Math.max(FIRST_LOOK_AGAIN_MS, waited * LATER_BY), LOOK_AGAIN_MS_AT_MOST);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Waits until what a reading answers satisfies a condition; a failure shows the last reading. */
export async function eventuallyReads<T>(
  what: string,
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
