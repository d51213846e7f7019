import { MINUTE_MS, SECOND_MS } from '#kube/units';
import type { MachineTimer } from '../src/ports/clock.ts';
import { SystemTimer } from '../src/runtime/system-clock.ts';

/** Only what hangs takes this long, however busy the machine is. A wait of HANG_MS (test/eventually.ts) asks again within it. */
const ANSWER_MS = 2 * MINUTE_MS;

/** An answer that has come in whole. */
export interface FetchedAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * Fetches with a deadline for the whole answer: a fetch of Node.js has none, and a server that falls silent would hang the test.
 * Rejects with the URL and what was waited for, also where the connection fails.
 *
 * @param what the answer is: "the readiness of the follower"
 */
export async function boundedFetch(
  url: string,
  what: string,
  init: RequestInit = {},
  timer: MachineTimer = new SystemTimer(),
): Promise<FetchedAnswer> {
  const deadline = new AbortController();
  const late = new Error(`no whole answer within ${ANSWER_MS / SECOND_MS} s`);
  const cancel = timer.setTimer(ANSWER_MS, () => deadline.abort(late));
  try {
    const response = await fetch(url, { ...init, signal: deadline.signal });
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    throw new Error(`${init.method ?? 'GET'} ${url}: waited for ${what}: ${wordsOf(deadline.signal.aborted ? late : cause)}`, { cause });
  } finally {
    cancel();
  }
}

/** Of a failed connection fetch says only "fetch failed"; its cause names the reason. Jest's realm has another Error than Node.js. */
function wordsOf(err: unknown): string {
  const { message, cause } = err as Partial<Error>;
  const reason = (cause as Partial<Error> | undefined)?.message;
  return [message, reason].filter((words) => words !== undefined).join(': ');
}
