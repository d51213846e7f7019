import { AccessUnconfirmedError } from '../../ports/access-store.ts';
import type { CommandOutcome } from '../outcome.ts';

/** Runs a command about access; `unavailable` where the API server does not confirm what it reads. */
export async function confirmed<T>(run: () => Promise<CommandOutcome<T>>, unavailable: string): Promise<CommandOutcome<T>> {
  try {
    return await run();
  } catch (err) {
    if (!(err instanceof AccessUnconfirmedError)) throw err;
    return { kind: 'unavailable', message: unavailable };
  }
}
