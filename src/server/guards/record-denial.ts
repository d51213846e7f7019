import type { Request } from 'express';
import { eventActor, type AccessEventLog } from '../../application/index.ts';
import { NO_CREDENTIAL } from '../../core/access/scope-of-grant.ts';
import { isMutation } from '../openapi/operation.ts';
import type { Problem, ProblemCode } from '../problem.ts';
import { requestFactsOf, requestIdOf } from '../request-context.ts';

/** Answers that deny a request. */
const DENIED: ReadonlySet<ProblemCode> = new Set([
  'unauthenticated',
  'forbidden',
  'api_key_read_only',
  'csrf_failed',
  'session_required',
  'feature_disabled',
  'rate_limited',
]);

/** Records a denied request that has no access event yet. */
export function recordDenial(events: AccessEventLog, request: Request, { code }: Pick<Problem, 'code'>): void {
  const facts = requestFactsOf(request);
  if (facts.isRecorded === true || request.res === undefined || !DENIED.has(code)) return;
  const { operation, scope = NO_CREDENTIAL } = facts;
  events.deny({
    actor: eventActor(scope),
    action: operation?.id ?? 'request',
    target: `${request.method} ${request.baseUrl}${request.path}`,
    requestId: requestIdOf(request.res),
    address: request.ip ?? '',
    code,
    isChange: operation === undefined ? !['GET', 'HEAD', 'OPTIONS'].includes(request.method) : isMutation(operation),
  });
}
