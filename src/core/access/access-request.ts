// Requests for access: how many are kept, and what an approval of one may grant.

import type { ErrorDetail } from '../../apis/http/types.generated.ts';
import type { AccessPolicySpecGrant, AccessPolicyStatusRequest } from '../../apis/v1alpha1/index.ts';
import { instantOf } from '#kube/time/iso-time';
import { DAY_MS, type DurationMs, type Instant } from '#kube/units';
import { isGlobWithin, parseGlob } from '../model/names/glob.ts';
import { ROLES, type Role } from './grant.ts';

export type AccessRequest = AccessPolicyStatusRequest;
export const ACCESS_REQUEST_STATES = ['pending', 'approved', 'denied'] as const;

/** Requests in the AccessPolicy, decided ones included. */
export const MAX_REQUESTS = 200;
/** Namespaces of one request. 200 requests stay below half of what etcd stores in one object. */
export const MAX_REQUESTED_NAMESPACES = 10;
/** A decided request is kept for this long, and a shorter time where 200 are stored. */
const DECIDED_KEPT_MS: DurationMs = 30 * DAY_MS;

/** The stored requests with another one; null where 200 are pending. */
export function withRequest(requests: readonly AccessRequest[], added: AccessRequest, now: Instant): readonly AccessRequest[] | null {
  const pending = requests.filter(isPending);
  const free = MAX_REQUESTS - 1 - pending.length;
  if (free < 0) return null;
  const decided = keptDecisions(requests, now);
  return [...decided.slice(Math.max(0, decided.length - free)), ...pending, added];
}

/** The stored requests after a decision. */
export function withDecision(
  requests: readonly AccessRequest[],
  id: string,
  decision: Pick<AccessRequest, 'state' | 'decidedBy' | 'decidedAt'>,
  now: Instant,
): readonly AccessRequest[] {
  const decided = requests.map((request) => (request.id === id ? { ...request, ...decision } : request));
  return [...keptDecisions(decided, now), ...decided.filter(isPending)];
}

export function isPending({ state }: Pick<AccessRequest, 'state'>): boolean {
  return state === 'pending';
}

/** Oldest decision first. */
function keptDecisions(requests: readonly AccessRequest[], now: Instant): readonly AccessRequest[] {
  const decidedAt = (request: AccessRequest): Instant => instantOf(request.decidedAt ?? request.requestedAt) ?? 0;
  return requests
    .filter((request) => !isPending(request) && decidedAt(request) > now - DECIDED_KEPT_MS)
    .toSorted((a, b) => decidedAt(a) - decidedAt(b));
}

/** What an admin approves instead of what was requested. */
export interface Approval {
  readonly role?: Role;
  readonly namespaces?: readonly string[];
  readonly expiresAt?: string | null;
}

/** The grant of an approved request, or the fields of the approval that would widen the request. */
export function grantOfApproval(
  { email, requestedRole = 'viewer', requestedNamespaces = [] }: AccessRequest,
  approval: Approval,
  now: Instant,
): { readonly ok: true; readonly grant: AccessPolicySpecGrant } | { readonly ok: false; readonly details: readonly ErrorDetail[] } {
  const { role = requestedRole, namespaces = requestedNamespaces, expiresAt = null } = approval;
  const details: ErrorDetail[] = [];
  if (ROLES.indexOf(role) < ROLES.indexOf(requestedRole)) {
    details.push({ path: '/role', message: `must be at most ${requestedRole}, the requested role` });
  }
  // An admin's grant has every namespace.
  const requested = requestedRole === 'admin' ? ['*'] : requestedNamespaces;
  if (role !== 'admin' && namespaces.length === 0) details.push({ path: '/namespaces', message: 'must have at least 1 item(s)' });
  details.push(
    ...namespaces.flatMap((text, index) => {
      const message = faultOfNamespace(text, requested);
      return message === null ? [] : [{ path: `/namespaces/${index}`, message }];
    }),
  );
  if (expiresAt !== null && (instantOf(expiresAt) ?? 0) <= now) {
    details.push({ path: '/expiresAt', message: 'must be in the future' });
  }
  if (details.length > 0) return { ok: false, details };
  return {
    ok: true,
    grant: {
      email,
      role,
      ...(role === 'admin' ? {} : { namespaces: [...new Set(namespaces)] }),
      ...(expiresAt === null ? {} : { expiresAt }),
    },
  };
}

function faultOfNamespace(text: string, requested: readonly string[]): string | null {
  const glob = parseGlob(text);
  if (!glob.ok) return glob.message;
  const isRequested = requested.some((other) => {
    const outer = parseGlob(other);
    return outer.ok && isGlobWithin(glob.value, outer.value);
  });
  return isRequested ? null : `must be within the requested namespaces: ${requested.join(', ')}`;
}
