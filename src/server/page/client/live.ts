import type { Cluster, Recommendation, WorkloadRef } from '../../../apis/http/types.generated.ts';

interface Source {
  addEventListener(type: string, listener: (event: { readonly data: string }) => void): void;
  readonly readyState: number;
}

declare const EventSource: new (url: string) => Source;

/** What the stream tells. */
export interface LiveListener {
  cluster(record: Cluster): void;
  recommendations(change: { readonly changed: readonly Recommendation[]; readonly removed: readonly WorkloadRef[] }): void;
  /** Everything is to be read again: the first time, or because too much was missed. */
  reload(): void;
  connection(up: boolean): void;
}

/** A stream that was refused is asked for again after this long; one that broke off, the browser itself takes up again. */
const AGAIN_MS = 3000;
/** `EventSource.CLOSED`. */
const CLOSED = 2;

/**
 * Lives on the server's stream: the browser reconnects by itself and says where it stopped. Nothing is ever polled. A
 * refusal (not ready yet, too many requests) ends an EventSource for good, so then a new one is opened.
 */
export function live(listener: LiveListener, later: (action: () => void, afterMs: number) => void = setTimeout): void {
  const source = new EventSource('api/v1/stream');
  source.addEventListener('open', () => listener.connection(true));
  source.addEventListener('error', () => {
    listener.connection(false);
    if (source.readyState === CLOSED) later(() => live(listener, later), AGAIN_MS);
  });
  source.addEventListener('hello', () => listener.reload());
  source.addEventListener('reset', () => listener.reload());
  source.addEventListener('cluster', (event) => listener.cluster(JSON.parse(event.data) as Cluster));
  source.addEventListener('recommendations', (event) =>
    listener.recommendations(JSON.parse(event.data) as { changed: readonly Recommendation[]; removed: readonly WorkloadRef[] }),
  );
}
