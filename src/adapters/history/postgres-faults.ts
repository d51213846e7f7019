// Classifies PostgreSQL errors by the reaction they need.

import { IncompatibleSchema } from './upgrade-schema.ts';

/**
 * `refused`: no connection was made; retry with backoff. `lost`: an established connection broke; retry at once. `wrong`: misconfigured;
 * only an administrator can repair it. `statement`: the server rejected the statement.
 */
export type FaultKind = 'refused' | 'lost' | 'wrong' | 'statement';

export interface PostgresFault {
  readonly kind: FaultKind;
  readonly message: string;
}

const NETWORK_REFUSED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT', 'ETIMEDOUT', 'EACCES']);
const NETWORK_LOST = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_DESTROYED']);
/** Starting up, shutting down, too many connections. */
const SERVER_REFUSED = new Set(['57P03', '53300', '08001', '08004']);
/** Terminated by an administrator or a crash, or the server became or ceased to be a standby. */
const SERVER_LOST = new Set(['57P01', '57P02', '57P05', '25006']);
const WRONG: Readonly<Record<string, string>> = {
  '28P01': 'set the password in EVENKEEL_HISTORY_PASSWORD',
  '28000': "let this user in (the server's pg_hba.conf), or name another in history.url",
  '3D000': 'create the database, or name another in history.url',
  '42501': 'grant this user usage and create on the schema',
};

/** pg has no codes for these two, only messages. */
const NO_CONNECTION = /timeout exceeded when trying to connect|connection timeout|timeout expired/i;
const NO_ANSWER = /connection terminated|query read timeout|client has encountered a connection error/i;

/** Classifies an error of pg. A `wrong` fault's message includes the remedy. */
export function faultOf(error: unknown): PostgresFault {
  if (error instanceof IncompatibleSchema) return { kind: 'wrong', message: error.message };
  const { code = '', message = String(error) } = innermost(error);
  const remedy = WRONG[code];
  if (remedy !== undefined) return { kind: 'wrong', message: `${message}; ${remedy}` };
  if (/does not support SSL/i.test(message)) {
    return { kind: 'wrong', message: `${message}; switch TLS on at the server, or write sslmode=disable in history.url` };
  }
  if (/certificate|self.signed|ERR_TLS/i.test(`${code} ${message}`)) {
    return { kind: 'wrong', message: `${message}; name the authority's certificate in history.caFile` };
  }
  if (/SASL|client password must be a string|no password/i.test(message)) {
    return { kind: 'wrong', message: 'the server asks for a password; set it in EVENKEEL_HISTORY_PASSWORD' };
  }
  if (NETWORK_REFUSED.has(code) || SERVER_REFUSED.has(code) || NO_CONNECTION.test(message)) return { kind: 'refused', message };
  if (NETWORK_LOST.has(code) || SERVER_LOST.has(code) || code.startsWith('08') || NO_ANSWER.test(message)) return { kind: 'lost', message };
  return { kind: 'statement', message };
}

/** Connecting to a host name with several addresses fails with an AggregateError: the first error represents them. */
function innermost(error: unknown): { readonly code?: string; readonly message?: string } {
  const { errors, ...own } = asRecord(error) as { readonly errors?: unknown; readonly code?: string; readonly message?: string };
  if (Array.isArray(errors) && errors.length > 0) return innermost(errors[0]);
  // `message` is not an enumerable property of an Error.
  return { ...own, message: (asRecord(error) as { readonly message?: string }).message ?? String(error) };
}

// `instanceof` fails for Node.js errors where code runs in another realm (vm contexts).
function asRecord(error: unknown): object {
  return typeof error === 'object' && error !== null ? error : {};
}
