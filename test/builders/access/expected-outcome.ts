// The outcome of each request by the contract: the requirement of its route, and the caller's credential and grant.

import { PROBLEM_STATUS, type ProblemCode } from '../../../src/server/problem.ts';
import { isMutation } from '../../../src/server/openapi/operation.ts';
import { canRead, TARGET_NAMESPACE, type AccessCaller } from './callers.ts';
import type { AccessRoute } from './routes.ts';

/** `answered`, `redirected`, or the code of the refusal. */
export type Outcome = 'answered' | 'redirected' | ProblemCode;

/** Operations that exist only while authentication is on. */
const WITH_AUTHENTICATION: ReadonlySet<string> = new Set(['signIn', 'signOut', 'requestAccess']);

/** Operations of callers without a grant: others have what they would ask for. */
const WITHOUT_GRANT: ReadonlySet<string> = new Set(['requestAccess']);

/** @param namespace of the object that the request names */
export function expectedOutcome(route: AccessRoute, caller: AccessCaller, namespace = TARGET_NAMESPACE): Outcome {
  const { operation } = route;
  if (caller.page !== 'own page') return 'csrf_failed';
  if (route.form === 'not served') return 'not_found';
  if (operation === null) return pageOutcome(route, caller);
  if (!caller.authEnabled) {
    if (WITH_AUTHENTICATION.has(operation.id)) return 'feature_disabled';
    return operation.access === 'admin-session' ? 'session_required' : 'answered';
  }
  const { access } = operation;
  if (access === 'open' && !isMutation(operation)) return 'answered';
  if (caller.credential === 'revoked key') return 'unauthenticated';
  if (access === 'admin-session' && (caller.credential === 'API key' || caller.credential === 'header of a proxy'))
    return 'session_required';
  if (caller.credential === 'API key' && isMutation(operation)) return 'api_key_read_only';
  if (access === 'open') return 'answered';
  if (caller.credential === 'none' || caller.credential === 'ended session') return 'unauthenticated';
  if (access === 'identified') return WITHOUT_GRANT.has(operation.id) && caller.grant !== null ? 'conflict' : 'answered';
  const role = caller.grant?.role;
  const isAllowed = {
    viewer: role !== undefined,
    operator: role === 'operator' || role === 'admin',
    admin: role === 'admin',
    'admin-session': role === 'admin',
    'pod-tool': role === 'admin',
  }[access];
  if (!isAllowed || (operation.path.includes('{ns}') && !canRead(caller, namespace))) return 'forbidden';
  return 'answered';
}

/** Pages of the sign-in answer everyone. Without an issuer nothing returns from it. */
function pageOutcome({ path, method }: AccessRoute, { authEnabled, credential }: AccessCaller): Outcome {
  if (!path.startsWith('/auth/')) return 'answered';
  if (!authEnabled || path === '/auth/callback') return 'not_found';
  if (path === '/auth/logout' && credential === 'revoked key') return 'unauthenticated';
  const isAsked = method === 'GET' && path === '/auth/logout' && credential === 'session';
  return isAsked ? 'answered' : 'redirected';
}

/** Status of an outcome. */
export function statusOf({ operation }: AccessRoute, outcome: Outcome): number {
  if (outcome === 'redirected') return 303;
  return outcome === 'answered' ? (operation?.answer.status ?? 200) : PROBLEM_STATUS[outcome];
}
