// Reads and parses kubelet pages in a worker thread: a page that is expensive to parse, or crashes the thread, blocks neither the event
// loop nor the process.

import { Worker } from 'node:worker_threads';
import { SECOND_MS, type DurationMs } from '#kube/units';
import type { MachineTimer } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { Counter, Metrics } from '../../../ports/metrics.ts';
import type { KubeConnection } from '../../kubernetes/transport/connection.ts';
import { threadLimits } from '../../workers/thread-limits.ts';
import { RestartingThread, type Thread } from '../../workers/restarting-thread.ts';
import type { KubeletAddress, KubeletFetcher } from '../kubelet-fetcher.ts';
import type { PageName } from './page-bounds.ts';
import { errorOf, type KubeletReach, type PageReply, type PageRequest } from './page-service.ts';
import type { PageQuery, PageReader, ParsedPages } from './text-pages.ts';

/** Far above the deadline of any reading, at which the thread reports a failure: without a reply for so long the thread hangs. */
const ANSWER_WITHIN_MS: DurationMs = 60 * SECOND_MS;
/** The largest permitted summary, of empty objects only, parses into 170 MB; an ordinary one into less than 20 MB. */
const MAX_HEAP_MB = 256;

export interface ThreadPageReaderDependencies {
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly start?: () => Thread<PageRequest, PageReply>;
}

/** Source of pages: kubelets that the thread reads itself, or a fetcher of the main thread whose pages the thread only parses. */
export type PageOrigin =
  { readonly reach: NonNullable<KubeletReach>; readonly headers: KubeConnection['headers'] } | { readonly fetcher: KubeletFetcher };

interface Pending {
  readonly resolve: (content: never) => void;
  readonly reject: (error: Error) => void;
  /** Cancels the deadline and the abort listener. */
  readonly release: () => void;
}

/** A PageReader in a worker thread, which is replaced when it dies or hangs. */
export class ThreadPageReader implements PageReader {
  readonly #timer: MachineTimer;
  readonly #logger: Logger;
  readonly #origin: PageOrigin;
  readonly #thread: RestartingThread<PageRequest, PageReply>;
  readonly #restarts: Counter;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;

  constructor(origin: PageOrigin, { timer, logger, metrics, start }: ThreadPageReaderDependencies) {
    this.#timer = timer;
    this.#logger = logger;
    this.#origin = origin;
    this.#restarts = metrics.counter({
      name: 'evenkeel_kubelet_thread_restarts_total',
      help: 'Replacements of the kubelet reader thread after it exited or timed out.',
    });
    this.#thread = new RestartingThread({
      timer,
      start: start ?? (() => startThread('reach' in origin ? origin.reach : null)),
      onReply: (reply) => this.#take(reply),
      onLost: (error) => this.#handleLoss(error),
      onRestarted: () => undefined,
    });
    this.#thread.start();
  }

  async read<Page extends PageName>(page: Page, node: KubeletAddress, query: PageQuery, signal: AbortSignal): Promise<ParsedPages[Page]> {
    const content = 'fetcher' in this.#origin ? await this.#origin.fetcher.get(node, PATHS[page], signal, query.maxBytes) : null;
    signal.throwIfAborted();
    const thread = this.#thread.current;
    if (thread === null) throw new Error(`kubelet of node ${node.name}: the kubelet reader thread is restarting`);
    const id = this.#nextId++;
    const { name, internalIp, kubeletPort } = node;
    return await new Promise((resolve, reject) => {
      const cancel = (): void => {
        const { reason } = signal as { readonly reason: unknown };
        thread.postMessage({ type: 'cancel', id, reason: reason instanceof Error ? reason.message : 'aborted' });
      };
      signal.addEventListener('abort', cancel, { once: true });
      const cancelDeadline = this.#timer.setTimer(ANSWER_WITHIN_MS, () => {
        this.#thread.replace(thread, new Error(`no reply for a page of node ${name} within ${ANSWER_WITHIN_MS / SECOND_MS} s`));
      });
      const release = (): void => {
        cancelDeadline();
        signal.removeEventListener('abort', cancel);
      };
      this.#pending.set(id, { resolve, reject, release });
      thread.postMessage({ type: 'read', id, page, node: { name, internalIp, kubeletPort }, query, content });
    });
  }

  async stop(): Promise<void> {
    this.#rejectAll(new Error('kubelets are no longer read: the controller is stopping'));
    await this.#thread.stop();
  }

  #take(reply: PageReply): void {
    if (reply.type === 'ask-headers') {
      void this.#sendHeaders(reply.id, reply.fresh);
      return;
    }
    this.#thread.resetPause();
    const pending = this.#pending.get(reply.id);
    if (pending === undefined) return;
    this.#pending.delete(reply.id);
    pending.release();
    if (reply.type === 'page') pending.resolve(reply.content as never);
    else pending.reject(errorOf(reply.failure));
  }

  async #sendHeaders(id: number, fresh: boolean): Promise<void> {
    const { current } = this.#thread;
    try {
      if (!('headers' in this.#origin)) throw new Error('requests contain the page; no credentials are needed');
      const headers = await this.#origin.headers({ fresh });
      current?.postMessage({ type: 'headers', id, headers });
    } catch (err) {
      current?.postMessage({ type: 'no-headers', id, message: err instanceof Error ? err.message : String(err) });
    }
  }

  #handleLoss(error: unknown): void {
    this.#restarts.add();
    this.#logger.error('The kubelet reader thread exited or timed out; starting a new one', { readings: this.#pending.size, err: error });
    this.#rejectAll(new Error('the kubelet reader thread exited or timed out during the reading'));
  }

  #rejectAll(error: Error): void {
    for (const { reject, release } of this.#pending.values()) {
      release();
      reject(error);
    }
    this.#pending.clear();
  }
}

const PATHS: Readonly<Record<PageName, string>> = {
  metrics: '/metrics/resource',
  summary: '/stats/summary',
  counters: '/metrics/cadvisor',
};

// The worker's path relative to this file is the same in `src/` and `dist/`.
function startThread(reach: KubeletReach): Thread<PageRequest, PageReply> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`../../../workers/kubelet-pages.${extension}`, import.meta.url), {
    name: 'kubelet-pages',
    workerData: reach,
    resourceLimits: threadLimits(MAX_HEAP_MB),
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
}
