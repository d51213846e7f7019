import type { Caller } from '../../commands/context.ts';
import { hashOfBody } from '../../commands/idempotency.ts';
import type { WorkloadTarget } from '../../core/recommendations/resolve-workload.ts';
import type { ApiRequest } from '../api-router.ts';
import type { OperationId } from '../reply.ts';

/** The workload that a path names, and the kind that chooses where two share the name. */
export function targetOf(path: { readonly ns: string; readonly name: string }, query: { readonly kind?: string }): WorkloadTarget {
  return { namespace: path.ns, name: path.name, kind: query.kind };
}

/** Who asks, for commands. */
export function callerOf<Id extends OperationId>(request: ApiRequest<Id>): Caller {
  const { scope, requestId, address, idempotencyKey, ifMatch } = request;
  const dryRun = (request.query as { readonly dryRun?: boolean }).dryRun === true;
  // `*` matches whatever there is.
  const unmoved = ifMatch !== null && ifMatch.trim() !== '*';
  const caller = { scope, requestId, address, idempotencyKey, dryRun, unmoved };
  return idempotencyKey === null ? caller : { ...caller, bodyHash: hashOfBody(request.body) };
}
