// Refusals of an API server, decoded from its `Status` object. Refusals are values; only a missing answer is thrown.

import { isObject } from '#kube/json';
import type { DurationMs } from '#kube/units';
import type { ApiResponse } from '#kube/api-transport';
import { UnavailableError } from '../../ports/unavailable-error.ts';

interface FailureCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** A decoded refusal. */
export interface ApiFailure {
  readonly status: number;
  /** `NotFound`, `Conflict`, `Expired`, …; empty where the server gave none. */
  readonly reason: string;
  /** The server's message, or `HTTP 502` where it has none. */
  readonly message: string;
  readonly causes: readonly FailureCause[];
  /** From `Retry-After` or the Status' details; null where neither is set. */
  readonly retryAfterMs: DurationMs | null;
}

/** The refusal in a response; null for a success. */
export function failureOf(response: Pick<ApiResponse, 'status' | 'headers'> & { readonly body?: unknown }): ApiFailure | null {
  if (response.status >= 200 && response.status < 300) return null;
  return readFailure(response.status, response.body, response.headers['retry-after']);
}

/** Decodes a `Status` object, which is also the content of a watch's ERROR event. */
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

/** The version or continue token is too old: a new list is needed. */
export function isGone(failure: ApiFailure): boolean {
  return failure.status === 410 || failure.reason === 'Expired' || failure.reason === 'Gone';
}

export function isTooManyRequests(failure: ApiFailure): boolean {
  return failure.status === 429;
}

/** The credentials are expired or of another cluster. */
export function isUnauthorized(failure: ApiFailure): boolean {
  return failure.status === 401;
}

export function isForbidden(failure: ApiFailure): boolean {
  return failure.status === 403;
}

/** 429 of the eviction API because of a disruption budget, not load: retrying soon does not help. */
export function isBudgetRefusal(failure: ApiFailure): boolean {
  return failure.status === 429 && failure.causes.some((cause) => cause.reason === 'DisruptionBudget');
}

/**
 * Whether an answer shows that the authorizer allowed the request. An API server answers 401 and 500, and 429 of priority and fairness,
 * before or instead of the authorizer; 502 to 504 may be a load balancer's. A 403 of admission cannot be distinguished from one of a proxy.
 */
export function isBehindAuthorizer(failure: ApiFailure | null): boolean {
  if (failure === null || isBudgetRefusal(failure)) return true;
  return failure.status < 500 && !isUnauthorized(failure) && !isForbidden(failure) && !isTooManyRequests(failure);
}

/**
 * A JSON patch does not apply to the current object: a `test` operation failed, or a path is missing. The API server answers with this
 * message and no cause; a validation error names the object (apiserver/pkg/endpoints/handlers/patch.go, NewGenericServerResponse).
 */
export function isFailedTest(failure: ApiFailure): boolean {
  return failure.status === 422 && failure.message === 'the server rejected our request due to an error in our request';
}

/** Thrown for an unexpected refusal, with the attempted action. */
export class ApiFault extends UnavailableError {
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

// Kubernetes sends seconds; a date, which HTTP allows as well, would need a wall clock and counts as one second.
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
