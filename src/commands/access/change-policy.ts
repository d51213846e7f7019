import type { AccessPolicy } from '../../apis/v1alpha1/index.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import { replicaWarnings } from '../../core/access/replica-reports.ts';
import type { AccessPolicyChange } from '../../ports/access-store.ts';
import type { AuditEntry } from '../audit.ts';
import { FIELD_MANAGER, type Caller, type CommandPorts } from '../context.ts';
import { NOT_REACHED, writeGuarded } from '../guarded-write.ts';
import type { CommandOutcome } from '../outcome.ts';
import { confirmed } from './confirmed.ts';
import { policySubject } from './policy-subject.ts';

/** A change of the AccessPolicy, decided from the version that was read. */
export interface PlannedChange<Item> {
  readonly kind: 'change';
  readonly change: AccessPolicyChange;
  /** null: part of a change that has its own entry. */
  readonly audit: Pick<AuditEntry, 'action' | 'eventReason' | 'message' | 'before' | 'after'> | null;
  readonly itemOf: (written: AccessPolicy) => Item;
}

const AUTHENTICATION_OFF = {
  kind: 'feature-disabled',
  message: 'Access is not checked while auth.enabled is false. Enable it, and sign in.',
} as const satisfies Refusal;
const NO_POLICY = {
  kind: 'not-found',
  message: 'There is no AccessPolicy default. Set auth.initialAdmin, or create it with kubectl.',
} as const satisfies Refusal;

/**
 * The one write of the AccessPolicy through the API: decides from the stored version and writes only while it is stored. After a change by
 * others it reads again and decides anew, six times at most. Resolves once every replica serves the written grants, or ten seconds have passed.
 */
export async function changePolicy<Item>(
  ports: CommandPorts,
  caller: Caller,
  plan: (policy: AccessPolicy) => PlannedChange<Item> | CommandOutcome<Item>,
): Promise<CommandOutcome<Item>> {
  const { access } = ports;
  if (access === null) return AUTHENTICATION_OFF;
  return confirmed(async () => {
    const first = await access.readAccessPolicy();
    if (first === null) return NO_POLICY;
    let grantsVersion: string | undefined;
    const outcome = await writeGuarded<AccessPolicy, Item>(ports, first, {
      object: 'AccessPolicy default',
      logName: 'AccessPolicy/default',
      callerOf: () => caller,
      plan: (policy) => {
        const planned = plan(policy);
        if (planned.kind !== 'change') return planned;
        const { change, audit, itemOf } = planned;
        const { resourceVersion = '' } = policy.metadata;
        return {
          kind: 'write',
          audit: audit === null ? null : { ...audit, subject: policySubject(ports) },
          write: () => access.writeAccessPolicy(change, { resourceVersion, dryRun: caller.dryRun, fieldManager: FIELD_MANAGER }),
          itemOf: (object) => {
            const written = object as AccessPolicy;
            if ('spec' in change && !caller.dryRun) grantsVersion = written.metadata.resourceVersion;
            return itemOf(written);
          },
        };
      },
      readAgain: async () => {
        const again = await access.readAccessPolicy();
        return again === null ? null : { kind: 'read', object: again };
      },
    });
    if (outcome.kind !== 'done' || grantsVersion === undefined) return outcome;
    const reports = await access.untilEveryReplicaHas({ part: 'access-policy', resourceVersion: grantsVersion });
    return { ...outcome, warnings: replicaWarnings(reports, caller.scope.admin) };
  }, NOT_REACHED);
}
