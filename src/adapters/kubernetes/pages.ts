import type { ApiTransport } from '#kube/api-transport';
import { ApiFault, failureOf, isGone, type ApiFailure } from './status.ts';
import { asObject, objectAt, objectsAt, textAt, WireError, type Wire } from './wire.ts';

/** What client-go asks for; a page of 500 pods parses in 20 to 40 ms, which is what the event loop can spare. */
const PAGE_LIMIT = 500;
/** A listing whose continue token expires this often is slower than the server's history is long. */
const MAX_RESTARTS = 3;

/** One page of a list. */
export interface Page {
  readonly items: readonly Wire[];
  /** The first page of a listing that began again, because its continue token had expired: forget the earlier pages. */
  readonly restarted: boolean;
  /** Version of the whole list; the same on every page. */
  readonly resourceVersion: string;
}

/** The server refused to list. */
export class ListRefused extends ApiFault {}

/**
 * Pages of a list, never two at once. `resourceVersion` is left unset: with `0` older servers answer from their cache, ignore
 * `limit` and send everything in one body.
 *
 * @throws ListRefused when the server refuses; transport errors as they are
 */
export async function* listPages(
  transport: ApiTransport,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): AsyncGenerator<Page> {
  let next = '';
  let restarted = false;
  for (let restarts = 0; ;) {
    const response = await transport.request({
      method: 'GET',
      path,
      query: { ...query, limit: PAGE_LIMIT, continue: next === '' ? undefined : next },
      signal,
      timeoutMs: 60_000,
    });
    const failure = failureOf(response);
    if (failure !== null) {
      if (next === '' || !isGone(failure) || ++restarts > MAX_RESTARTS) throw refused(path, failure);
      next = '';
      restarted = true;
      continue;
    }
    const list = asObject(response.body, path);
    const metadata = objectAt(list, 'metadata');
    const resourceVersion = textAt(metadata, 'resourceVersion');
    // A proxy may answer 200 with something else: read as an empty list, it would delete every object from the cache.
    if (resourceVersion === '') throw new WireError('metadata.resourceVersion', 'the version of a list', metadata['resourceVersion']);
    yield { items: objectsAt(list, 'items'), restarted, resourceVersion };
    restarted = false;
    next = textAt(metadata, 'continue');
    if (next === '') return;
  }
}

function refused(path: string, failure: ApiFailure): ListRefused {
  return new ListRefused(`listing ${path}`, failure);
}
