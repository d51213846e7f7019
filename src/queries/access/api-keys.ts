import type { ApiKey, Operations } from '../../apis/http/types.generated.ts';
import { findGrant, type Grants } from '../../core/access/grant.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import { ADMIN_SESSION } from '../../core/access/requirement.ts';
import type { Scope } from '../../core/access/scope.ts';
import { isoTime, isoTimeOrNull } from '#kube/time/iso-time';
import type { Instant } from '#kube/units';
import type { StoredApiKey } from '../../ports/access-store.ts';
import { selectPage, type Listing } from '../listing.ts';
import type { Page } from '../outcome.ts';
import { defineQuery } from '../query.ts';
import type { ReadSources } from '../sources.ts';

const KEYS: Listing<ApiKey> = {
  id: (key) => key.id,
  namespaceOf: null,
  namesOf: (key) => [key.id, key.email, key.label],
  defaultSort: '-createdAt',
};

/** `/api-keys`. */
export class ApiKeyQueries {
  readonly #sources: ReadSources;

  constructor(sources: ReadSources) {
    this.#sources = sources;
  }

  async list(scope: Scope, query: Operations['listApiKeys']['query']): Promise<Page<ApiKey> | Refusal> {
    const { access, clock } = this.#sources;
    if (access === null) return { kind: 'page', items: [], total: 0, nextCursor: null };
    const [keys, grants] = await Promise.all([access.apiKeys(), access.grants()]);
    const now = clock.now();
    return selectPage(
      [...keys.values()].map((key) => apiKeyRecord(key, grants, now)),
      KEYS,
      query,
      scope,
    );
  }
}

/** A key with the permissions that its address has now. */
function apiKeyRecord({ id, email, label, createdAt, createdBy, lastUsedAt }: StoredApiKey, grants: Grants, now: Instant): ApiKey {
  const grant = findGrant(grants, email, now);
  return {
    id,
    email,
    label,
    createdAt: isoTime(createdAt),
    createdBy,
    lastUsedAt: isoTimeOrNull(lastUsedAt),
    role: grant?.role ?? null,
    namespaces: grant === null ? [] : grant.role === 'admin' ? ['*'] : grant.namespaces.map(({ text }) => text),
  };
}

export const listApiKeys = defineQuery({
  requires: ADMIN_SESSION,
  answer: ({ apiKeys }: { readonly apiKeys: ApiKeyQueries }, scope, query: Operations['listApiKeys']['query']) =>
    apiKeys.list(scope, query),
});
