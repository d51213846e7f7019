import type { Response } from 'express';
import type { Scope } from '../../core/access/scope.ts';
import type { MachineTimer } from '../../ports/clock.ts';
import { Problem } from '../problem.ts';
import type { ChangeHub, StreamEvent, StreamTopic } from './change-hub.ts';

/** Proxies close what is silent for a minute; browsers do not notice a dead peer at all. */
const HEARTBEAT_MS = 15_000;
/** A listener this far behind is cut off; it resumes, or reads everything again. */
const BEHIND_BYTES = 4 * 1024 * 1024;
/** Each holds a socket for as long as someone looks at the page. */
const LISTENERS_AT_MOST = 500;

/** One listener's wish. */
export interface Subscription {
  readonly topics: ReadonlySet<StreamTopic>;
  readonly scope: Scope;
  readonly lastEventId: string | null;
}

/** Server-Sent Events: every open connection, each with its heartbeat. */
export class EventStreams {
  readonly #hub: ChangeHub;
  readonly #timer: MachineTimer;
  readonly #open = new Set<() => void>();

  constructor(hub: ChangeHub, timer: MachineTimer) {
    this.#hub = hub;
    this.#timer = timer;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Answers with a stream that ends when either side goes. */
  open(response: Response, subscription: Subscription): void {
    if (this.#open.size >= LISTENERS_AT_MOST) {
      throw new Problem('rate_limited', 'Too many streams are open on this replica. Try again shortly.', {
        headers: { 'retry-after': '30' },
      });
    }
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    response.write('retry: 2000\n\n');
    const send = (event: StreamEvent): void => {
      const text = this.#render(event, subscription);
      if (text !== null) response.write(text);
      if (response.writableLength > BEHIND_BYTES) response.destroy();
    };
    const unlisten = this.#hub.listen(send);
    this.#greet(response, subscription, send);

    let cancelBeat = (): void => undefined;
    const beat = (): void => {
      response.write(': still here\n\n');
      cancelBeat = this.#timer.setTimer(HEARTBEAT_MS, beat);
    };
    cancelBeat = this.#timer.setTimer(HEARTBEAT_MS, beat);
    const close = (): void => {
      this.#open.delete(close);
      cancelBeat();
      unlisten();
      response.end();
    };
    this.#open.add(close);
    response.once('close', close);
  }

  close(): void {
    for (const close of [...this.#open]) close();
    this.#hub.close();
  }

  /** What was missed, if that is known; `reset` where it is not; `hello` to whoever is new. */
  #greet(response: Response, { lastEventId, topics }: Subscription, send: (event: StreamEvent) => void): void {
    const missed = lastEventId === null ? null : this.#missed(lastEventId);
    if (missed !== null) {
      for (const event of missed) send(event);
      return;
    }
    const name = lastEventId === null ? 'hello' : 'reset';
    response.write(frame(this.#idOf(this.#hub.seq), name, { topics: [...topics] }));
  }

  #missed(lastEventId: string): readonly StreamEvent[] | null {
    const [epoch, seq] = lastEventId.split('.');
    return epoch === this.#hub.epoch && seq !== undefined && /^\d{1,15}$/.test(seq) ? this.#hub.since(Number(seq)) : null;
  }

  #render(event: StreamEvent, { topics, scope }: Subscription): string | null {
    if (!topics.has(event.topic)) return null;
    const id = this.#idOf(event.seq);
    if (event.topic === 'cluster') return scope.admin ? frame(id, 'cluster', event.record) : null;
    if (event.topic === 'scaling') {
      const workloads = event.workloads.filter(({ namespace }) => scope.allows(namespace));
      return workloads.length === 0 ? null : frame(id, 'scaling', { workloads });
    }
    const changed = event.changed.filter((record) => scope.allows(record.namespace));
    const removed = event.removed.filter((record) => scope.allows(record.namespace));
    return changed.length + removed.length === 0 ? null : frame(id, 'recommendations', { changed, removed });
  }

  #idOf(seq: number): string {
    return `${this.#hub.epoch}.${seq}`;
  }
}

function frame(id: string, event: string, data: unknown): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
