import type { ApiRequest, ApiResponse, ApiStream, ApiTransport } from '#kube/api-transport';
import type { Activity } from '../ports/clock.ts';
import type { Answer, PlainAnswer, StreamAnswer } from './answer.ts';
import type { ApiCall } from './requests/api-call.ts';
import type { EmbeddedApiServer } from './embedded-api-server.ts';
import { StreamQueue } from './watch/stream-queue.ts';
import { ADMIN, type UserInfo } from './access/user.ts';

export interface InProcessOptions {
  readonly user?: UserInfo;
  /** Field manager of writes without one. */
  readonly userAgent?: string;
}

/**
 * The API server without a network: objects are passed unserialised. Requests are answered in order. The virtual clock is held from the
 * request until its response was processed, and while a stream has an item that its reader has not finished.
 */
export class InProcessTransport implements ApiTransport {
  readonly #server: EmbeddedApiServer;
  readonly #activity: Activity;
  readonly #user: UserInfo;
  readonly #userAgent: string;

  constructor(server: EmbeddedApiServer, options: InProcessOptions = {}) {
    this.#server = server;
    this.#activity = server.activity;
    this.#user = options.user ?? ADMIN;
    this.#userAgent = options.userAgent ?? 'evenkeel';
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    const end = this.#activity.begin();
    try {
      request.signal?.throwIfAborted();
      if (request.canSend?.() === false) throw new Error(`${request.method} ${request.path} was not sent: it may not be any more`);
      const answer = this.#server.handle(this.#callOf(request));
      return answer.kind === 'body' ? responseOf(answer) : { ...responseOf(STREAM_REFUSED), status: 400 };
    } finally {
      end();
    }
  }

  async stream(request: ApiRequest): Promise<ApiStream> {
    const end = this.#activity.begin();
    try {
      request.signal?.throwIfAborted();
      if (request.canSend?.() === false) throw new Error(`${request.method} ${request.path} was not sent: it may not be any more`);
      const answer = this.#server.handle(this.#callOf(request));
      return answer.kind === 'stream' ? this.#streamOf(answer, request.signal) : bufferedStream(answer);
    } finally {
      end();
    }
  }

  #streamOf(answer: StreamAnswer, signal: AbortSignal | undefined): ApiStream {
    const queue = new StreamQueue(this.#activity);
    const close = answer.open(queue);
    queue.onClose(close);
    if (signal !== undefined) queue.abortOn(signal);
    return { status: answer.status, headers: headersOf(answer), items: queue };
  }

  #callOf(request: ApiRequest): ApiCall {
    const accept = request.headers?.['accept'];
    const contentType = request.headers?.['content-type'];
    return {
      method: request.method,
      path: request.path,
      query: queryOf(request.query),
      ...(accept === undefined ? {} : { accept }),
      ...(contentType === undefined ? {} : { contentType }),
      userAgent: request.headers?.['user-agent'] ?? this.#userAgent,
      body: request.body,
      user: this.#user,
    };
  }
}

const STREAM_REFUSED: PlainAnswer = {
  kind: 'body',
  status: 400,
  headers: {},
  contentType: 'text/plain',
  body: 'the response is a stream: request it as a stream',
};

function queryOf(query: ApiRequest['query']): ApiCall['query'] {
  const plain: Record<string, string> = {};
  for (const name in query) {
    const value = query[name];
    if (typeof value === 'string') plain[name] = value;
    else if (typeof value === 'number' || typeof value === 'boolean') plain[name] = String(value);
    else if (value !== undefined) plain[name] = value.at(-1) ?? '';
  }
  return plain;
}

function headersOf(answer: Answer): Readonly<Record<string, string>> {
  return { ...answer.headers, 'content-type': answer.contentType };
}

function responseOf(answer: PlainAnswer): ApiResponse {
  return { status: answer.status, headers: headersOf(answer), body: answer.body };
}

/** A stream request without a stream: an error, or a log without `follow`. */
function bufferedStream(answer: PlainAnswer): ApiStream {
  const items = typeof answer.body === 'string' ? answer.body.split('\n').filter((line) => line !== '') : [];
  return {
    status: answer.status,
    headers: headersOf(answer),
    items: {
      async *[Symbol.asyncIterator]() {
        yield* items;
      },
    },
    body: answer.body,
  };
}
