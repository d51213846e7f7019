// What an API server's refusal says, taken from its `Status` object. Refusals are values; only the absence of an answer is thrown.

import { isObject } from '#kube/json';
import type { DurationMs } from '#kube/units';
import type { ApiResponse } from '#kube/api-transport';
import { OutOfReachError } from '../../ports/out-of-reach.ts';

interface FailureCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** A refusal, read. */
export interface ApiFailure {
  readonly status: number;
  /** `NotFound`, `Conflict`, `Expired`, …; empty where the server gave none. */
  readonly reason: string;
  /** The server's own words, or `HTTP 502` where it had none. */
  readonly message: string;
  readonly causes: readonly FailureCause[];
  /** From `Retry-After` or the Status' details; null where neither asks for a wait. */
  readonly retryAfterMs: DurationMs | null;
}

/** null when the answer is a success. */
export function failureOf(response: Pick<ApiResponse, 'status' | 'headers'> & { readonly body?: unknown }): ApiFailure | null {
  if (response.status >= 200 && response.status < 300) return null;
  return readFailure(response.status, response.body, response.headers['retry-after']);
}

/** Reads a `Status` object, as it also comes inside a watch in an ERROR event. */
export function readFailure(fallbackStatus: number, body: unknown, retryAfterHeader?: string): ApiFailure {
  const status = objectOf(body);
  const details = objectOf(status['details']);
  const code = typeof status['code'] === 'number' ? status['code'] : fallbackStatus;
  const text = typeof body === 'string' ? body.trim().slice(0, 500) : '';
  return {
    status: code,
    reason: textOf(status['reason']),
    message: textOf(status['message']) || text || `HTTP ${code}`,
    causes: Array.isArray(details['causes']) ? details['causes'].map(readCause) : [],
    retryAfterMs: retryAfter(retryAfterHeader, details['retryAfterSeconds']),
  };
}

export function isNotFound(failure: ApiFailure): boolean {
  return failure.status === 404;
}

export function isConflict(failure: ApiFailure): boolean {
  return failure.status === 409;
}

/** The version or continue token is too old: list again. */
export function isGone(failure: ApiFailure): boolean {
  return failure.status === 410 || failure.reason === 'Expired' || failure.reason === 'Gone';
}

export function isTooManyRequests(failure: ApiFailure): boolean {
  return failure.status === 429;
}

/** Our credentials are expired, or of another cluster. */
export function isUnauthorized(failure: ApiFailure): boolean {
  return failure.status === 401;
}

export function isForbidden(failure: ApiFailure): boolean {
  return failure.status === 403;
}

/** 429 of the eviction API: a disruption budget, not load. Waiting a moment does not help. */
export function isBudgetRefusal(failure: ApiFailure): boolean {
  return failure.status === 429 && failure.causes.some((cause) => cause.reason === 'DisruptionBudget');
}

/**
 * Whether an answer shows that the authorizer allowed the request. An API server answers 401 and 500, and 429 of priority and fairness,
 * before or instead of the authorizer; 502 to 504 may be a load balancer's. A 403 of admission is not told from one of a proxy.
 */
export function isBehindAuthorizer(failure: ApiFailure | null): boolean {
  if (failure === null || isBudgetRefusal(failure)) return true;
  return failure.status < 500 && !isUnauthorized(failure) && !isForbidden(failure) && !isTooManyRequests(failure);
}

/**
 * A JSON patch does not fit the object as it is now: a `test` operation did not hold, or a path is gone. The API server
 * returns this message and no cause; a validation error names the object (apiserver/pkg/endpoints/handlers/patch.go, NewGenericServerResponse).
 */
export function isFailedTest(failure: ApiFailure): boolean {
  return failure.status === 422 && failure.message === 'the server rejected our request due to an error in our request';
}

/** A refusal where none was expected: carries what was attempted. */
export class ApiFault extends OutOfReachError {
  readonly failure: ApiFailure;

  constructor(attempt: string, failure: ApiFailure) {
    super(`${attempt}: ${failure.message}${failure.reason === '' ? '' : ` (${failure.status} ${failure.reason})`}`);
    this.name = 'ApiFault';
    this.failure = failure;
  }
}

function readCause(cause: unknown): FailureCause {
  const fields = objectOf(cause);
  return { reason: textOf(fields['reason']), message: textOf(fields['message']), field: textOf(fields['field']) };
}

// Kubernetes sends whole seconds; a date (allowed by HTTP) would need a wall clock and is read as "a moment".
function retryAfter(header: string | undefined, seconds: unknown): DurationMs | null {
  if (header !== undefined) {
    const parsed = Number(header);
    return Number.isFinite(parsed) && parsed >= 0 ? parsed * 1000 : 1000;
  }
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : null;
}

function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
