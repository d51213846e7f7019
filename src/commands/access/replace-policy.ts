import type { AccessPolicyBody } from '../../apis/http/types.generated.ts';
import type { AccessPolicy, AccessPolicySpec } from '../../apis/v1alpha1/index.ts';
import { grantsOf } from '../../core/access/grant.ts';
import { findLostAdmin } from '../../core/access/last-admin.ts';
import { describePolicyChanges, findPolicyChanges } from '../../core/access/policy-changes.ts';
import { findPolicyFaults } from '../../core/access/policy-faults.ts';
import { ADMIN_SESSION } from '../../core/access/requirement.ts';
import type { Command } from '../command.ts';
import { COMMAND_EVENT } from '../context.ts';
import { OBJECT_CHANGED } from '../outcome.ts';
import { changePolicy } from './change-policy.ts';

/** Faults in one answer. */
const MAX_DETAILS = 1000;

/** Replaces the grants and domains of the AccessPolicy. */
export const replaceAccessPolicy: Command<{ readonly body: AccessPolicyBody }, AccessPolicy> = {
  requires: ADMIN_SESSION,
  async run(ports, caller, { body }) {
    const spec = specOf(body);
    const details = findPolicyFaults(spec);
    if (details.length > 0) return { kind: 'invalid', details: details.slice(0, MAX_DETAILS) };
    const { actor } = caller.scope;
    return changePolicy<AccessPolicy>(ports, caller, (policy) => {
      if (body.resourceVersion === undefined || body.resourceVersion === null) {
        return {
          kind: 'conflict',
          message: 'resourceVersion is missing: send the one that GET /api/v1/access-policy answered with the grants.',
        };
      }
      if (body.resourceVersion !== policy.metadata.resourceVersion) return OBJECT_CHANGED;
      const lost = findLostAdmin(grantsOf({ spec }), actor, ports.clock.now());
      if (lost !== null) return { kind: 'conflict', message: lost };
      const changes = findPolicyChanges(policy.spec, spec);
      if (changes.length === 0) return { kind: 'done', item: policy, dryRun: caller.dryRun };
      const side = (which: 'before' | 'after') => Object.fromEntries(changes.map((change) => [change.who, change[which]]));
      return {
        kind: 'change',
        change: { spec },
        audit: {
          action: 'ReplaceAccessPolicy',
          eventReason: COMMAND_EVENT.accessPolicyChanged,
          message: `${actor} changed the AccessPolicy: ${describePolicyChanges(changes)}`,
          before: side('before'),
          after: side('after'),
        },
        itemOf: (written) => written,
      };
    });
  },
};

function specOf({ grants, autoApprove = [] }: AccessPolicyBody): Required<Pick<AccessPolicySpec, 'grants' | 'autoApprove'>> {
  return {
    grants: grants.map(({ email, role, namespaces = [], expiresAt, note }) => ({
      email,
      role,
      ...(namespaces.length === 0 ? {} : { namespaces }),
      ...(expiresAt === undefined || expiresAt === null ? {} : { expiresAt }),
      ...(note === undefined || note === null || note === '' ? {} : { note }),
    })),
    autoApprove: autoApprove.map(({ domain, role, namespaces = [] }) => ({
      domain,
      role,
      ...(namespaces.length === 0 ? {} : { namespaces }),
    })),
  };
}
