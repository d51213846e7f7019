// The status of the AccessPolicy: its grants in effect, and what is wrong with the others.

import { CONDITION, CONDITION_REASON } from '../../apis/conditions.ts';
import type { AccessPolicy, AccessPolicyStatus } from '../../apis/v1alpha1/index.ts';
import { isPending } from '../../core/access/access-request.ts';
import { grantsOf, hasExpired, type Grant } from '../../core/access/grant.ts';
import { hasAdmin } from '../../core/access/last-admin.ts';
import { findPolicyFaults } from '../../core/access/policy-faults.ts';
import { nextConditions, type ConditionNow } from '../../core/recommendations/conditions.ts';
import type { Instant } from '#kube/units';

/** Entries named in one message. */
const MAX_NAMED = 5;

/** The part of the status that the reconciler owns; requests are written with each request and decision. */
export type ReconciledStatus = Omit<AccessPolicyStatus, 'requests'>;

export function accessPolicyStatus(policy: AccessPolicy, now: Instant): ReconciledStatus {
  const { generation } = policy.metadata;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    grants: ownGrants(policy).filter((grant) => !hasExpired(grant, now)).length,
    pendingRequests: (policy.status?.requests ?? []).filter(isPending).length,
    conditions: nextConditions(policy.status?.conditions ?? [], [readyOf(policy, now)], generation ?? null, now),
  };
}

/** When the next grant expires; null: none does. */
export function findNextExpiry(policy: AccessPolicy, now: Instant): Instant | null {
  const expiries = ownGrants(policy).flatMap((grant) => (grant.expiresAt === null || hasExpired(grant, now) ? [] : [grant.expiresAt]));
  return expiries.length === 0 ? null : Math.min(...expiries);
}

function readyOf(policy: AccessPolicy, now: Instant): ConditionNow {
  const type = CONDITION.ready;
  const noAdmin = hasAdmin(grantsOf(policy), now)
    ? ''
    : 'no grant in effect has role admin: add one with kubectl, since the API accepts changes from an admin alone';
  const faults = findPolicyFaults(policy.spec).map(({ path, message }) => `${fieldOf(path)} ${message}`);
  if (faults.length > 0) {
    const message = [`${listed(faults)}; these entries give nothing, all others are in effect`, noAdmin]
      .filter((text) => text !== '')
      .join('; ');
    return { type, status: false, reason: CONDITION_REASON.invalidSpec, message };
  }
  if (noAdmin !== '') return { type, status: false, reason: CONDITION_REASON.noAdmin, message: noAdmin };
  return { type, status: true, reason: CONDITION_REASON.inForce, message: countsOf(policy, now) };
}

function countsOf(policy: AccessPolicy, now: Instant): string {
  const grants = ownGrants(policy);
  const expired = grants.filter((grant) => hasExpired(grant, now));
  const inEffect = grants.length - expired.length;
  const admins = grants.filter((grant) => grant.role === 'admin' && !hasExpired(grant, now)).length;
  const domains = policy.spec.autoApprove?.length ?? 0;
  return [
    `${count(inEffect, 'grant')} in effect, ${admins} of an admin`,
    ...(domains === 0 ? [] : [`${count(domains, 'domain')} in autoApprove`]),
    ...(expired.length === 0 ? [] : [`${count(expired.length, 'grant')} expired: ${listed(expired.map(({ email }) => email))}`]),
  ].join('; ');
}

function ownGrants(policy: AccessPolicy): readonly Grant[] {
  return [...grantsOf(policy).byEmail.values()].filter((grant) => grant !== null);
}

/** `/grants/3/email` as users write it: `spec.grants[3].email`. */
function fieldOf(pointer: string): string {
  return `spec${pointer.replaceAll(/\/(\d+)/g, '[$1]').replaceAll('/', '.')}`;
}

function listed(texts: readonly string[]): string {
  const more = texts.length - MAX_NAMED;
  return `${texts.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
