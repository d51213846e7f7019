// Transport of requests to an API server: HTTPS in production, in process to the embedded cluster. Bodies are wire JSON.

/** Methods of the Kubernetes API. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Content types of a PATCH. */
export type PatchType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json'
  | 'application/apply-patch+yaml';

/** A request to an API server. */
export interface ApiRequest {
  readonly method: HttpMethod;
  /** Path without query, each segment already encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  /** Lower-case names. `content-type` and `accept` default to JSON. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON value; absent: none. The transport does not change it, and the receiver does not keep it. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Called before each attempt; false: the request is not sent and rejects. */
  readonly canSend?: () => boolean;
  /** Machine time; absent: the transport's default. Ignored by `stream`, which ends by its signal. */
  readonly timeoutMs?: number;
  /** A larger response rejects with a `PageTooLarge` as its cause, without a retry. Absent: the transport's default. */
  readonly maxBytes?: number;
  /** Returns the body of a success as text also if it is JSON, so that another thread can parse it. In process it may be a value. */
  readonly asText?: true;
  /** False: no retries, as for a probe of the server. */
  readonly retry?: boolean;
}

/** A response of an API server. */
export interface ApiResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or text if the response is not JSON. Must not be mutated: in process it may be shared. */
  readonly body: unknown;
}

/** A streaming response: watch events (one wire object each) or text lines of a log. */
export interface ApiStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Ends when the server ends it; throws when the connection breaks or the signal aborts. An item counts as handled when the next
   * one is requested.
   */
  readonly items: AsyncIterable<unknown>;
  /** The error body if `status` is not 2xx. */
  readonly body?: unknown;
}

/** Sends requests. Error statuses are responses; it rejects only without a response (broken connection, timeout, abort). */
export interface ApiTransport {
  request(request: ApiRequest): Promise<ApiResponse>;
  stream(request: ApiRequest): Promise<ApiStream>;
}
