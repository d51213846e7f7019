import type { AccessApprovalBody, AccessDenialBody } from '../../apis/http/types.generated.ts';
import type { AccessPolicy, AccessPolicySpecGrant } from '../../apis/v1alpha1/index.ts';
import { grantOfApproval, isPending, withDecision, type AccessRequest } from '../../core/access/access-request.ts';
import { findGrant, grantsOf } from '../../core/access/grant.ts';
import { describeEntry } from '../../core/access/policy-changes.ts';
import { ADMIN_SESSION } from '../../core/access/requirement.ts';
import { isoTime } from '#kube/time/iso-time';
import type { Command } from '../command.ts';
import { COMMAND_EVENT, type Caller, type CommandPorts } from '../context.ts';
import type { CommandOutcome, CommandRefusal } from '../outcome.ts';
import { changePolicy, type PlannedChange } from './change-policy.ts';

/** Grants of one AccessPolicy, as its schema has it. */
const MAX_GRANTS = 2000;

/** Grants what a request asks for, or less. */
export const approveAccessRequest: Command<{ readonly body: AccessApprovalBody }, AccessRequest> = {
  requires: ADMIN_SESSION,
  async run(ports, caller, { body }) {
    const granted = await grant(ports, caller, body);
    if (granted.kind !== 'done' || !isPending(granted.item)) return granted;
    const decided = await markDecided(ports, caller, body.id, 'approved', null);
    return decided.kind === 'done' ? { ...decided, warnings: granted.warnings ?? [] } : decided;
  },
};

/** Denies a request, which grants nothing. Its address may send another one. */
export const denyAccessRequest: Command<{ readonly body: AccessDenialBody }, AccessRequest> = {
  requires: ADMIN_SESSION,
  run: (ports, caller, { body }) =>
    markDecided(ports, caller, body.id, 'denied', (request) => ({
      action: 'DenyAccessRequest',
      eventReason: COMMAND_EVENT.accessRequestDenied,
      message: `${caller.scope.actor} denied the access request of ${request.email}`,
      before: { id: request.id, email: request.email, state: request.state },
      after: { id: request.id, email: request.email, state: 'denied' },
    })),
};

/** Writes the grant first: an approved request without its grant would promise access that its address does not have. */
function grant(ports: CommandPorts, caller: Caller, body: AccessApprovalBody): Promise<CommandOutcome<AccessRequest>> {
  const { actor } = caller.scope;
  return changePolicy<AccessRequest>(ports, caller, (policy) => {
    const now = ports.clock.now();
    const request = findRequest(policy, body.id);
    if (request === undefined) return notFound(body.id);
    if (request.state === 'approved') return { kind: 'done', item: request, dryRun: caller.dryRun };
    if (!isPending(request)) return alreadyDecided(request);
    const approval = grantOfApproval(request, body, now);
    if (!approval.ok) return { kind: 'invalid', details: approval.details };
    const { grants = [], autoApprove = [] } = policy.spec;
    const stored = findGrant(grantsOf(policy), request.email, now);
    if (stored !== null) {
      // An earlier approval wrote the grant, and failed to mark the request.
      if (grants.some((other) => isSameGrant(other, approval.grant))) return { kind: 'done', item: request, dryRun: caller.dryRun };
      return {
        kind: 'conflict',
        message: `${request.email} has a grant already, with role ${stored.role}. Change it in the AccessPolicy, and deny the request.`,
      };
    }
    // An entry that has expired or is not valid gives nothing, and would keep the new one from applying.
    const others = grants.filter(({ email }) => email !== request.email);
    if (others.length >= MAX_GRANTS) {
      return { kind: 'conflict', message: `The AccessPolicy has ${MAX_GRANTS} grants, the maximum. Remove one, and approve again.` };
    }
    const after = describeEntry(approval.grant);
    return {
      kind: 'change',
      change: { spec: { grants: [...others, approval.grant], autoApprove } },
      audit: {
        action: 'ApproveAccessRequest',
        eventReason: COMMAND_EVENT.accessRequestApproved,
        message: `${actor} approved the access request of ${request.email}: ${after}`,
        before: { id: request.id, email: request.email, requested: describeEntry(requestedEntry(request)) },
        after: { id: request.id, email: request.email, granted: after },
      },
      itemOf: () => request,
    };
  });
}

function markDecided(
  ports: CommandPorts,
  caller: Caller,
  id: string,
  state: 'approved' | 'denied',
  auditOf: ((request: AccessRequest) => NonNullable<PlannedChange<never>['audit']>) | null,
): Promise<CommandOutcome<AccessRequest>> {
  return changePolicy<AccessRequest>(ports, caller, (policy) => {
    const request = findRequest(policy, id);
    if (request === undefined) return notFound(id);
    if (request.state === state) return { kind: 'done', item: request, dryRun: caller.dryRun };
    if (!isPending(request)) return alreadyDecided(request);
    const now = ports.clock.now();
    const decision = { state, decidedBy: caller.scope.actor, decidedAt: isoTime(now) };
    return {
      kind: 'change',
      change: { status: { requests: withDecision(policy.status?.requests ?? [], id, decision, now) } },
      audit: auditOf?.(request) ?? null,
      itemOf: () => ({ ...request, ...decision }),
    };
  });
}

function findRequest({ status }: AccessPolicy, id: string): AccessRequest | undefined {
  return status?.requests?.find((request) => request.id === id);
}

function notFound(id: string): CommandRefusal {
  return { kind: 'not-found', message: `There is no access request ${id}. GET /api/v1/access-requests lists the pending ones.` };
}

function alreadyDecided({ state, decidedBy = 'an admin' }: AccessRequest): CommandRefusal {
  return { kind: 'conflict', message: `The request was ${state} already, by ${decidedBy}.` };
}

function requestedEntry({ requestedRole = 'viewer', requestedNamespaces = [] }: AccessRequest) {
  return { role: requestedRole, namespaces: requestedNamespaces };
}

function isSameGrant(a: AccessPolicySpecGrant, b: AccessPolicySpecGrant): boolean {
  const contentOf = ({ email, role, namespaces = [], expiresAt }: AccessPolicySpecGrant): string =>
    JSON.stringify([email, role, [...namespaces].sort(), expiresAt ?? null]);
  return contentOf(a) === contentOf(b);
}
