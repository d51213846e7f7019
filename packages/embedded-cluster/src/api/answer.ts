// Responses of the API server, independent of the transport: a body, or a stream that is pushed.

import { ApiStatusError } from './api-error.ts';

export interface PlainAnswer {
  readonly kind: 'body';
  readonly status: number;
  /** Lower-case names, without content-type. */
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  /** A JSON value (shared, not to be changed); text or a Buffer where the content type is not JSON. */
  readonly body: unknown;
}

export interface StreamSink {
  /** Watch events and lines of text; must only queue. */
  push(item: unknown): void;
  end(): void;
}

export interface StreamAnswer {
  readonly kind: 'stream';
  readonly status: 200;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  /** Must be called immediately and exactly once. Returns the close function. */
  readonly open: (sink: StreamSink) => () => void;
}

export type Answer = PlainAnswer | StreamAnswer;

const JSON_TYPE = 'application/json';

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): PlainAnswer {
  return { kind: 'body', status, headers, contentType: JSON_TYPE, body };
}

export function text(status: number, body: string, contentType = 'text/plain; charset=utf-8'): PlainAnswer {
  return { kind: 'body', status, headers: {}, contentType, body };
}

/** `Warning: 299 - "…"`, several in one header, as HTTP allows. */
export function warningHeaders(warnings: readonly string[]): Readonly<Record<string, string>> {
  if (warnings.length === 0) return {};
  return { warning: warnings.map((warning) => `299 - ${JSON.stringify(warning)}`).join(', ') };
}

/** The response to an error. Any error other than an ApiStatusError is a fault: 500, and the caller logs it. */
export function refusal(error: unknown): PlainAnswer {
  if (!(error instanceof ApiStatusError)) {
    const message = error instanceof Error ? error.message : String(error);
    return json(500, new ApiStatusError(500, 'InternalError', `Internal error occurred: ${message}`).toStatus());
  }
  const retry = error.details?.retryAfterSeconds;
  return json(error.code, error.toStatus(), retry === undefined ? {} : { 'retry-after': String(retry) });
}
