// The worker thread's side of ThreadPageReader: fetches pages over its own connections, parses them and posts the result.

import type { MachineTimer } from '../../../ports/clock.ts';
import { PageTooLarge } from '../../../ports/usage/page-too-large.ts';
import { UntrustedKubelet } from '#kube/kubelet/untrusted-kubelet';
import { SystemTimer } from '../../../runtime/system-clock.ts';
import type { KubeConnection } from '../../kubernetes/transport/connection.ts';
import { DirectKubeletFetcher, type KubeletAddress, type KubeletAddresses, type KubeletFetcher } from '../kubelet-fetcher.ts';
import { HeaderCache } from './header-cache.ts';
import type { PageName } from './page-bounds.ts';
import { MetricCollector } from './metric-columns.ts';
import { InlinePageReader, type PageQuery, type PageReader, type ParsedPages } from './text-pages.ts';
import { UNTRUSTED_REMEDY } from '../untrusted-remedy.ts';

/** How kubelets are reached; null: requests contain the page and nothing is fetched. */
export type KubeletReach = (Pick<KubeConnection, 'server' | 'tls'> & { readonly addresses: KubeletAddresses }) | null;

export type PageRequest =
  | {
      readonly type: 'read';
      readonly id: number;
      readonly page: PageName;
      readonly node: KubeletAddress;
      readonly query: PageQuery;
      /** Bytes of a page that is already fetched and only parsed; null: fetch it. */
      readonly content: Uint8Array | null;
    }
  | { readonly type: 'cancel'; readonly id: number; readonly reason: string }
  | { readonly type: 'headers'; readonly id: number; readonly headers: Readonly<Record<string, string>> }
  | { readonly type: 'no-headers'; readonly id: number; readonly message: string };

export type PageReply =
  | { readonly type: 'page'; readonly id: number; readonly content: ParsedPages[PageName] }
  | { readonly type: 'failure'; readonly id: number; readonly failure: PageFailure }
  /** Requests the credentials of fetches. Answered by `headers` or `no-headers` with the same id. */
  | { readonly type: 'ask-headers'; readonly id: number; readonly fresh: boolean };

/** Error of a reading as data: classes do not pass between threads. */
export type PageFailure =
  | { readonly code: 'untrusted'; readonly kubelet: string; readonly certificate: string }
  | { readonly code: 'too-large' | 'other'; readonly message: string };

/** Handles PageRequests and posts PageReplies. */
export class PageService {
  readonly #post: (reply: PageReply) => void;
  readonly #direct: PageReader | null;
  readonly #metrics = new MetricCollector();
  readonly #reading = new Map<number, AbortController>();
  readonly #headerRequests = new Map<number, PromiseWithResolvers<Readonly<Record<string, string>>>>();
  #nextRequestId = 1;

  constructor(reach: KubeletReach, post: (reply: PageReply) => void, timer: Pick<MachineTimer, 'nowMs'> = new SystemTimer()) {
    this.#post = post;
    const cache = new HeaderCache(({ fresh = false } = {}) => this.#askHeaders(fresh), timer);
    const headers: KubeConnection['headers'] = (ask) => cache.get(ask);
    if (reach === null) this.#direct = null;
    else {
      const fetcher = new DirectKubeletFetcher({ server: reach.server, tls: reach.tls, headers }, reach.addresses);
      this.#direct = new InlinePageReader(fetcher, this.#metrics);
    }
  }

  handle(request: PageRequest): void {
    switch (request.type) {
      case 'read':
        void this.#read(request);
        return;
      case 'cancel':
        this.#reading.get(request.id)?.abort(new Error(request.reason));
        return;
      case 'headers':
        this.#takeRequest(request.id)?.resolve(request.headers);
        return;
      case 'no-headers':
        this.#takeRequest(request.id)?.reject(new Error(request.message));
    }
  }

  async #read({ id, page, node, query, content }: PageRequest & { readonly type: 'read' }): Promise<void> {
    const stop = new AbortController();
    this.#reading.set(id, stop);
    try {
      this.#post({ type: 'page', id, content: await this.#readerOf(content).read(page, node, query, stop.signal) });
    } catch (err) {
      this.#post({ type: 'failure', id, failure: failureOf(err) });
    } finally {
      this.#reading.delete(id);
    }
  }

  #readerOf(content: Uint8Array | null): PageReader {
    if (content !== null) return new InlinePageReader(fetcherOf(content), this.#metrics);
    if (this.#direct === null) throw new Error('no kubelet can be reached from this thread');
    return this.#direct;
  }

  #askHeaders(fresh: boolean): Promise<Readonly<Record<string, string>>> {
    const id = this.#nextRequestId++;
    const request = Promise.withResolvers<Readonly<Record<string, string>>>();
    this.#headerRequests.set(id, request);
    this.#post({ type: 'ask-headers', id, fresh });
    return request.promise;
  }

  #takeRequest(id: number): PromiseWithResolvers<Readonly<Record<string, string>>> | undefined {
    const request = this.#headerRequests.get(id);
    this.#headerRequests.delete(id);
    return request;
  }
}

/** The inverse of `failureOf`. */
export function errorOf(failure: PageFailure): Error {
  switch (failure.code) {
    case 'untrusted':
      return new UntrustedKubelet(failure.kubelet, failure.certificate, { remedy: UNTRUSTED_REMEDY });
    case 'too-large':
      return new PageTooLarge(failure.message);
    case 'other':
      return new Error(failure.message);
  }
}

function failureOf(err: unknown): PageFailure {
  if (err instanceof UntrustedKubelet) return { code: 'untrusted', kubelet: err.kubelet, certificate: err.code };
  return { code: err instanceof PageTooLarge ? 'too-large' : 'other', message: err instanceof Error ? err.message : String(err) };
}

function fetcherOf({ buffer, byteOffset, byteLength }: Uint8Array): KubeletFetcher {
  const page = Buffer.from(buffer, byteOffset, byteLength);
  return { get: () => Promise.resolve(page), stream: async (_node, _path, take) => take(page) };
}
