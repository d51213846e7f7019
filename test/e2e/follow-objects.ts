// A watch that resumes where the server ended it, so that no change is missed.

import type { ClusterClient } from './cluster-client.ts';

interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
}

interface Versioned {
  readonly metadata: { readonly resourceVersion: string };
}

/**
 * Calls `take` with each existing object and each change of one, until the signal aborts. @param onEvent called after each event, including
 * deletions
 */
export async function followObjects(
  cluster: ClusterClient,
  path: string,
  signal: AbortSignal,
  take: (object: unknown) => void,
  onEvent: () => void = () => undefined,
): Promise<void> {
  // A watch without a resourceVersion starts with the existing objects.
  let from: { readonly resourceVersion?: string } = {};
  try {
    while (!signal.aborted) {
      const stream = await cluster.transport.stream({ method: 'GET', path, query: { watch: true, ...from }, signal });
      if (stream.status !== 200) throw new Error(`watching ${path}: HTTP ${stream.status}`);
      for await (const item of stream.items) {
        const { type, object } = item as WatchEvent;
        if (type === 'ERROR') throw new Error(`watching ${path}: ${JSON.stringify(object)}`);
        from = { resourceVersion: (object as Versioned).metadata.resourceVersion };
        if (type === 'ADDED' || type === 'MODIFIED') take(object);
        onEvent();
      }
    }
  } catch (err) {
    if (!signal.aborted) throw err;
  }
}
