import { unmetRequirement } from '../../core/access/requirement.ts';
import type { Scope } from '../../core/access/scope.ts';
import { MiB } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import { FairShare } from '../../runtime/clients/fair-share.ts';
import type { CountRefusal, RefusalReason } from '../../runtime/clients/refusals.ts';
import { shareProblem } from '../guards/share-problem.ts';
import type { ChangeHub, StreamEvent } from './change-hub.ts';
import { EventIds } from './event-ids.ts';

/** Proxies close connections that are silent for a minute, and browsers do not detect a dead peer. */
const HEARTBEAT_MS = 15_000;
/** Maximum backlog of a stream. A slower client is disconnected, and resumes or reads everything again. */
export const MAX_BACKLOG_BYTES = 4 * MiB;
/** Maximum total backlog. Above it the slowest streams are disconnected as well. */
export const MAX_BACKLOGS_BYTES = 32 * MiB;
/** Maximum open streams, each of which occupies a socket while a page is open. */
export const MAX_STREAMS = 500;

/** A client's subscription. */
export interface Subscription {
  /** Names of topics. */
  readonly topics: ReadonlySet<string>;
  readonly scope: Scope;
  /** The scope that the client has now; null: its credential is no longer valid. */
  readonly currentScope: () => Promise<Scope | null>;
  readonly lastEventId: string | null;
  /** Client key of the limits. */
  readonly client: string;
}

/** The part of a response that a stream uses. */
export interface StreamResponse {
  readonly req: { readonly method: string };
  /** Unread bytes that are buffered in this process. */
  readonly writableLength: number;
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  write(text: string): unknown;
  once(event: 'close', listener: () => void): unknown;
  end(): unknown;
  destroy(): unknown;
}

interface OpenStream extends Subscription {
  readonly response: StreamResponse;
  readonly close: () => void;
}

/** All open Server-Sent Event streams, with heartbeats and limits. */
export class EventStreams {
  readonly #hub: ChangeHub;
  readonly #timer: MachineTimer;
  readonly #refused: CountRefusal;
  readonly #open = new Set<OpenStream>();
  readonly #share = new FairShare(MAX_STREAMS);
  readonly #ids = new EventIds();
  readonly #texts = new WeakMap<StreamEvent, Map<string, string | null>>();
  #unlisten: (() => void) | null = null;

  constructor(hub: ChangeHub, timer: MachineTimer, refused: CountRefusal) {
    this.#hub = hub;
    this.#timer = timer;
    this.#refused = refused;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Opens a stream, which ends when the client or server closes it. @throws Problem above a limit */
  open(response: StreamResponse, subscription: Subscription): void {
    const isHead = response.req.method === 'HEAD';
    let cancelBeat = (): void => undefined;
    const stream: OpenStream = {
      ...subscription,
      response,
      close: () => {
        release();
        cancelBeat();
        this.#remove(stream);
        response.end();
      },
    };
    const release = isHead ? () => undefined : this.#acquire(stream);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    if (isHead) {
      response.end();
      return;
    }
    response.write('retry: 2000\n\n');
    const beat = (): void => {
      response.write(': keep-alive\n\n');
      void this.#closeRevoked(stream);
      cancelBeat = this.#timer.setTimer(HEARTBEAT_MS, beat);
    };
    cancelBeat = this.#timer.setTimer(HEARTBEAT_MS, beat);
    this.#open.add(stream);
    this.#unlisten ??= this.#hub.listen(
      (event) => this.#send(event),
      () => this.#closeAll(),
    );
    response.once('close', stream.close);
    this.#hub.whenRemembered(() => {
      if (this.#open.has(stream)) this.#sendHello(stream);
    });
  }

  /** Closes streams whose permissions have changed. Their clients reconnect with the new ones, or are refused. */
  checkScopes(): void {
    for (const stream of this.#open) void this.#closeRevoked(stream);
  }

  close(): void {
    this.#closeAll();
    this.#hub.close();
  }

  #closeAll(): void {
    for (const { close } of [...this.#open]) close();
  }

  async #closeRevoked(stream: OpenStream): Promise<void> {
    const scope = await stream.currentScope();
    if (scope?.key !== stream.scope.key && this.#open.has(stream)) stream.close();
  }

  /** Reserves a slot; returns the function that releases it. @throws Problem */
  #acquire(stream: OpenStream): () => void {
    const release = this.#share.take(stream.client, 1, () => this.#closeStream(stream, 'displaced'));
    if (typeof release !== 'string') return release;
    this.#refused('stream', release);
    throw shareProblem('streams', release);
  }

  #remove(stream: OpenStream): void {
    this.#open.delete(stream);
    if (this.#open.size > 0) return;
    this.#unlisten?.();
    this.#unlisten = null;
  }

  /** Sends missed events where known, else `reset`; `hello` to new clients. */
  #sendHello(stream: OpenStream): void {
    const { response, lastEventId, topics } = stream;
    const missed = lastEventId === null ? null : this.#findMissedEvents(lastEventId);
    if (missed === null) {
      const name = lastEventId === null ? 'hello' : 'reset';
      response.write(frame(this.#ids.idOf(this.#hub.seq), name, { topics: [...topics] }));
      return;
    }
    for (const event of missed) {
      if (response.writableLength > MAX_BACKLOG_BYTES) break;
      this.#write(stream, event);
    }
    this.#closeSlowStreams();
  }

  #send(event: StreamEvent): void {
    for (const stream of this.#open) this.#write(stream, event);
    this.#closeSlowStreams();
  }

  #write({ response, topics, scope }: OpenStream, event: StreamEvent): void {
    const text = topics.has(event.topic.name) ? this.#textOf(event, scope) : null;
    if (text !== null) response.write(text);
  }

  /** Renders an event once per scope. */
  #textOf(event: StreamEvent, scope: Scope): string | null {
    const texts = this.#texts.get(event) ?? new Map<string, string | null>();
    this.#texts.set(event, texts);
    const known = texts.get(scope.key);
    if (known !== undefined) return known;
    const text = this.#render(event, scope);
    texts.set(scope.key, text);
    return text;
  }

  /**
   * Disconnects streams above their backlog limit, and while the total is too large the slowest stream of the client with the largest
   * backlog.
   */
  #closeSlowStreams(): void {
    for (const stream of this.#open) if (stream.response.writableLength > MAX_BACKLOG_BYTES) this.#closeStream(stream, 'slow');
    while (backlogOf(this.#open) > MAX_BACKLOGS_BYTES) {
      const byClient = [...Map.groupBy(this.#open, ({ client }) => client).values()];
      const [largest = []] = byClient.toSorted((a, b) => backlogOf(b) - backlogOf(a));
      const [slowest] = largest.toSorted((a, b) => b.response.writableLength - a.response.writableLength);
      if (slowest === undefined) return;
      this.#closeStream(slowest, 'slow');
    }
  }

  /** Disconnects at once: the close event follows later, and the response must not be written to until then. */
  #closeStream({ response, close }: OpenStream, reason: RefusalReason): void {
    this.#refused('stream', reason);
    response.destroy();
    close();
  }

  #findMissedEvents(lastEventId: string): readonly StreamEvent[] | null {
    const seq = this.#ids.seqOf(lastEventId);
    return seq === null ? null : this.#hub.since(seq);
  }

  #render({ seq, topic, event }: StreamEvent, scope: Scope): string | null {
    // Topics do not depend on pod tools, whose setting a requirement may check.
    if (unmetRequirement(topic.requires, scope, event, () => false) !== null) return null;
    const data = event.dataFor(scope);
    return data === null ? null : frame(this.#ids.idOf(seq), topic.name, data);
  }
}

/** Total unread bytes of streams. */
function backlogOf(streams: Iterable<OpenStream>): number {
  let bytes = 0;
  for (const { response } of streams) bytes += response.writableLength;
  return bytes;
}

function frame(id: string, event: string, data: unknown): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
