import type { NextFunction, Request, Response } from 'express';
import { AccessUnconfirmedError } from '../ports/access-store.ts';
import type { Logger } from '../ports/logger.ts';
import type { Envelope } from './envelope.ts';
import { Problem, invalidRequest, notReady } from './problem.ts';
import { readableFor } from './readable-json.ts';
import { requestIdOf } from './request-context.ts';

/** Answers a thrown error in the API's envelope, after it was reported to `onProblem`. An internal error is logged with its cause, which the answer omits. */
export function errorHandler(
  envelope: Envelope,
  logger: Logger,
  onProblem: (request: Request, problem: Problem) => void = () => undefined,
) {
  return (error: unknown, request: Request, response: Response, next: NextFunction): void => {
    const problem = problemOf(error);
    onProblem(request, problem);
    if (problem.code === 'internal') {
      logger.error('request failed', { requestId: requestIdOf(response), method: request.method, path: request.path, err: error });
    }
    if (response.headersSent) {
      next(error);
      return;
    }
    if (error instanceof AccessUnconfirmedError) {
      logger.warn('Refused a request whose access cannot be confirmed', { requestId: requestIdOf(response), problem: error.message });
    }
    for (const [name, text] of Object.entries(problem.headers)) response.setHeader(name, text);
    response.removeHeader('ETag');
    response
      .status(problem.status)
      .type('application/json')
      .send(readableFor(request.get('user-agent'), envelope.error(problem, response)));
  };
}

/** Maps errors of the body parser and the router by their `type` and `status`. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof AccessUnconfirmedError) {
    return notReady('Access could not be confirmed with the API server. Try again shortly; the log has the cause under the request id.');
  }
  if (!(error instanceof Error)) return internal();
  const { type, status } = error as Error & { readonly type?: string; readonly status?: number };
  switch (type) {
    case 'entity.too.large':
      return new Problem('payload_too_large', 'The body is over 1 MiB. Send it in smaller parts.');
    case 'entity.parse.failed':
      return invalidRequest([{ path: '', message: 'is not valid JSON' }]);
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new Problem('unsupported_media_type', 'Send the body as UTF-8 JSON, plain or compressed with gzip, deflate or br.');
    case 'request.aborted':
    case 'request.size.invalid':
      return invalidRequest([{ path: '', message: 'ended before it was complete' }]);
    default:
      if (error instanceof URIError) return invalidRequest([{ path: 'path', message: 'is not valid percent-encoding' }]);
      // The only remaining error of the caller is a body that does not match its Content-Encoding.
      return status === 400 ? invalidRequest([{ path: '', message: 'does not match its Content-Encoding' }]) : internal();
  }
}

function internal(): Problem {
  return new Problem('internal', 'Internal error. Try again; the log has the cause under the request id.');
}
