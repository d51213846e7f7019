import type { Cluster, Recommendation, WorkloadRef } from '../../../apis/http/types.generated.ts';

interface Source {
  addEventListener(type: string, listener: (event: { readonly data: string }) => void): void;
  readonly readyState: number;
}

declare const EventSource: new (url: string) => Source;

/** Receives the events of the stream. */
export interface LiveListener {
  cluster(record: Cluster): void;
  recommendations(change: { readonly changed: readonly Recommendation[]; readonly removed: readonly WorkloadRef[] }): void;
  /** Everything must be read again: at the start, or after missed events. */
  reload(): void;
  connection(up: boolean): void;
}

/** Delay before a refused stream is opened again; after a broken connection the browser reconnects automatically. */
const REOPEN_AFTER_MS = 3000;
/** `EventSource.CLOSED`. */
const CLOSED = 2;

/**
 * Follows the server's event stream without polling: the browser reconnects automatically and resumes. A refusal (not ready, rate limit) closes
 * an EventSource permanently, so a new one is opened.
 */
export function followStream(listener: LiveListener, later: (action: () => void, afterMs: number) => void = setTimeout): void {
  const source = new EventSource('api/v1/stream');
  source.addEventListener('open', () => listener.connection(true));
  source.addEventListener('error', () => {
    listener.connection(false);
    if (source.readyState === CLOSED) later(() => followStream(listener, later), REOPEN_AFTER_MS);
  });
  source.addEventListener('hello', () => listener.reload());
  source.addEventListener('reset', () => listener.reload());
  source.addEventListener('cluster', (event) => listener.cluster(JSON.parse(event.data) as Cluster));
  source.addEventListener('recommendations', (event) =>
    listener.recommendations(JSON.parse(event.data) as { changed: readonly Recommendation[]; removed: readonly WorkloadRef[] }),
  );
}
