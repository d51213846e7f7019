import type { AccessPolicy as AccessPolicyRecord } from '../../apis/http/types.generated.ts';
import { PLURALS, type AccessPolicy } from '../../apis/v1alpha1/index.ts';
import { ADMIN } from '../../core/access/requirement.ts';
import { found, type Found } from '../outcome.ts';
import { defineQuery } from '../query.ts';
import type { ReadSources } from '../sources.ts';

/** `/access-policy`. */
export class AccessPolicyQueries {
  readonly #sources: ReadSources;

  constructor(sources: ReadSources) {
    this.#sources = sources;
  }

  async get(): Promise<Found<AccessPolicyRecord>> {
    return found(accessPolicyRecord(await storedAccessPolicy(this.#sources)));
  }
}

/** The AccessPolicy in effect, or the one that would be in effect with authentication; null where it does not exist. */
export async function storedAccessPolicy({ access, cluster }: ReadSources): Promise<AccessPolicy | null> {
  if (access !== null) return access.accessPolicy();
  const objects = [...cluster.ownObjects(PLURALS.AccessPolicy)] as unknown as readonly AccessPolicy[];
  return objects.find(({ metadata }) => metadata.name === 'default') ?? null;
}

/** A policy as it is read and replaced. @param policy null: it does not exist */
export function accessPolicyRecord(policy: AccessPolicy | null): AccessPolicyRecord {
  const { grants = [], autoApprove = [] } = policy?.spec ?? {};
  return {
    grants: grants.map(({ email, role, namespaces = [], expiresAt = null, note = null }) => ({ email, role, namespaces, expiresAt, note })),
    autoApprove: autoApprove.map(({ domain, role, namespaces = [] }) => ({ domain, role, namespaces })),
    resourceVersion: policy?.metadata.resourceVersion ?? null,
  };
}

export const getAccessPolicy = defineQuery({
  requires: ADMIN,
  answer: ({ accessPolicy }: { readonly accessPolicy: AccessPolicyQueries }) => accessPolicy.get(),
});
