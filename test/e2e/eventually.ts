import { inspect } from 'node:util';

const LOOK_EVERY_MS = 50;

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
  const deadline = performance.now() + withinMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await probe();
      if (answer !== undefined && answer !== false) return answer;
      last = answer;
    } catch (err) {
      last = err;
    }
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms; last seen: ${inspect(last, { depth: 6 })}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
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
