import type { AccessRequestBody } from '../../apis/http/types.generated.ts';
import { isPending, MAX_REQUESTS, withRequest, type AccessRequest } from '../../core/access/access-request.ts';
import { parseGlob } from '../../core/model/names/glob.ts';
import { IDENTIFIED } from '../../core/access/requirement.ts';
import { describeEntry } from '../../core/access/policy-changes.ts';
import { isoTime } from '#kube/time/iso-time';
import type { ErrorDetail } from '../../apis/http/types.generated.ts';
import type { Command } from '../command.ts';
import { COMMAND_EVENT } from '../context.ts';
import { changePolicy } from './change-policy.ts';

const ID_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const ID_LENGTH = 12;

/** Stores the request of a caller without a grant, for an admin to decide. */
export const requestAccess: Command<{ readonly body: AccessRequestBody }, AccessRequest> = {
  requires: IDENTIFIED,
  async run(ports, caller, { body }) {
    const { scope } = caller;
    if (ports.access !== null && scope.viewer) {
      return { kind: 'conflict', message: 'You already have access. Ask an admin to change your grant in the AccessPolicy.' };
    }
    const { role, namespaces = [], reason = '' } = body;
    const details = faultsOf(role, namespaces);
    if (details.length > 0) return { kind: 'invalid', details };
    const now = ports.clock.now();
    const request: AccessRequest = {
      id: Array.from({ length: ID_LENGTH }, () => ID_CHARACTERS.charAt(ports.draw(ID_CHARACTERS.length))).join(''),
      email: scope.actor,
      ...(scope.name === undefined ? {} : { name: scope.name }),
      requestedRole: role,
      requestedNamespaces: role === 'admin' ? [] : [...new Set(namespaces)],
      reason,
      requestedAt: isoTime(now),
      state: 'pending',
    };
    return changePolicy<AccessRequest>(ports, caller, ({ status }) => {
      const requests = status?.requests ?? [];
      const pending = requests.find((other) => other.email === request.email && isPending(other));
      if (pending !== undefined) {
        // A repeat of the same request has its effect already.
        if (isSameRequest(pending, request)) return { kind: 'done', item: pending, dryRun: caller.dryRun };
        return { kind: 'conflict', message: 'You have a pending request. An admin decides it before you can send another one.' };
      }
      const after = withRequest(requests, request, now);
      if (after === null) {
        return { kind: 'conflict', message: `${MAX_REQUESTS} access requests are pending. Ask an admin to decide some of them.` };
      }
      const requested = describeEntry({ role, namespaces });
      return {
        kind: 'change',
        change: { status: { requests: after } },
        audit: {
          action: 'RequestAccess',
          eventReason: COMMAND_EVENT.accessRequested,
          message: `${request.email} requested access: ${requested}`,
          before: null,
          after: { id: request.id, email: request.email, requested, reason },
        },
        itemOf: () => request,
      };
    });
  },
};

function faultsOf(role: string, namespaces: readonly string[]): readonly ErrorDetail[] {
  if (role !== 'admin' && namespaces.length === 0) return [{ path: '/namespaces', message: 'must have at least 1 item(s)' }];
  return namespaces.flatMap((text, index) => {
    const glob = parseGlob(text);
    return glob.ok ? [] : [{ path: `/namespaces/${index}`, message: glob.message }];
  });
}

function isSameRequest(a: AccessRequest, b: AccessRequest): boolean {
  const contentOf = ({ requestedRole, requestedNamespaces = [], reason = '' }: AccessRequest): string =>
    JSON.stringify([requestedRole, requestedNamespaces, reason]);
  return contentOf(a) === contentOf(b);
}
