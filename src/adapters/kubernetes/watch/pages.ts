import type { ApiTransport } from '#kube/api-transport';
import { ApiFault, failureOf, isGone, type ApiFailure } from '../status.ts';
import { asObject, objectAt, objectsAt, textAt, WireError, type Wire } from '../wire.ts';

/** client-go's page size. A page of 500 pods parses in 20 to 40 ms of the event loop. */
const PAGE_LIMIT = 500;
/** Maximum restarts of a listing whose continue token expires. More mean that listing takes longer than the server keeps versions. */
const MAX_RESTARTS = 3;

/** One page of a list. */
export interface Page {
  readonly items: readonly Wire[];
  /** True on the first page after a restart caused by an expired continue token: discard earlier pages. */
  readonly restarted: boolean;
  /** resourceVersion of the list; the same on every page. */
  readonly resourceVersion: string;
}

/** Thrown where the server refuses to list. */
export class ListRefused extends ApiFault {}

/**
 * Yields the pages of a list one after the other. `resourceVersion` is unset: with `0` older servers answer from their cache, ignore
 * `limit` and send everything in one body.
 * @throws ListRefused where the server refuses; transport errors unchanged
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
    // A proxy may answer 200 with another body: read as an empty list, it would delete every object from the cache.
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
