// The one way to talk to an API server: over HTTPS in production, in process to the embedded cluster. What travels is
// wire JSON; nothing is deserialised into classes.

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type PatchType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json'
  | 'application/apply-patch+yaml';

export interface ApiRequest {
  readonly method: HttpMethod;
  /** Path without query, each segment already encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  /** Lower-case names. `content-type` and `accept` default to JSON. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON value; left out for none. The transport never changes it, and the receiver never keeps it. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Asked when the request would leave, at each try: false, and it is not sent but fails. */
  readonly mayBeSent?: () => boolean;
  /** Machine time; the transport's default where unset. Ignored by `stream`, which ends by its signal. */
  readonly timeoutMs?: number;
  /** An answer of more rejects with a `PageTooLarge` as its cause, and is not asked for again. The transport's own bound where unset. */
  readonly maxBytes?: number;
  /** The body of a success is wanted as text, also where it is JSON: another thread parses it. In process it may come as a value. */
  readonly asText?: true;
  /** False where the first answer, or that there is none, is what is asked for: a look at how the server is. */
  readonly retry?: boolean;
}

export interface ApiResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or text where the answer is not JSON. Never to be mutated: in process it may be shared. */
  readonly body: unknown;
}

/** A response that goes on: watch events, one wire object each (JSON answers), or text lines (logs). */
export interface ApiStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Ends when the server ends it; throws when the connection breaks or the signal aborts. An item counts as handled
   * when the next one is asked for.
   */
  readonly items: AsyncIterable<unknown>;
  /** Where `status` is not 2xx: the error body. */
  readonly body?: unknown;
}

/** Answers whatever the server says, errors included: throws only where no answer came (broken, timed out, aborted). */
export interface ApiTransport {
  request(request: ApiRequest): Promise<ApiResponse>;
  stream(request: ApiRequest): Promise<ApiStream>;
}
