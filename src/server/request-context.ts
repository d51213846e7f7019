import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

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
