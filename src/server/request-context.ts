import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import type { Scope } from '../core/access/scope.ts';
import type { Operation } from './openapi/operation.ts';

const GIVEN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Sets `X-Request-Id` to the request's id, or a new one where it is missing or invalid. */
export function nameRequest(request: Request, response: Response, next: NextFunction): void {
  const given = request.get('x-request-id');
  const id = given !== undefined && GIVEN_ID.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', id);
  next();
}

export function requestIdOf(response: Response): string {
  return String(response.getHeader('X-Request-Id'));
}

/** What is known of a request when it is refused, for its access event. */
export interface RequestFacts {
  /** Absent until the path was found. */
  operation?: Operation;
  /** Absent until the credential was verified. */
  scope?: Scope;
  /** An access event of the request was written. */
  isRecorded?: boolean;
}

export function requestFactsOf(request: Request): RequestFacts {
  if (request.res === undefined) throw new Error('a request without a response is not served');
  return request.res.locals as RequestFacts;
}
