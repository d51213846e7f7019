import type { NextFunction, Request, Response } from 'express';
import { invalidRequest } from '../problem.ts';

/** Browsers and proxies send about 30. */
export const MAX_HEADERS = 100;

/** Refuses a request with more headers, of which a proxy and this server could read different ones. @throws Problem */
export function limitHeaders(request: Request, _response: Response, next: NextFunction): void {
  const count = request.rawHeaders.length / 2;
  if (count > MAX_HEADERS)
    throw invalidRequest([{ path: 'header', message: `must be at most ${MAX_HEADERS} headers; there are ${count}` }]);
  next();
}
