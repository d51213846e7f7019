import type { AccessRequest as AccessRequestRecord, Operations } from '../../apis/http/types.generated.ts';
import { isoTime, isoTimeOrNull, instantOf } from '#kube/time/iso-time';
import type { AccessRequest } from '../../core/access/access-request.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import { ADMIN, IDENTIFIED } from '../../core/access/requirement.ts';
import type { Scope } from '../../core/access/scope.ts';
import { selectPage, type Listing, type ListQuery } from '../listing.ts';
import type { Page } from '../outcome.ts';
import { defineQuery } from '../query.ts';
import type { ReadSources } from '../sources.ts';
import { storedAccessPolicy } from './access-policy.ts';

const REQUESTS: Listing<AccessRequestRecord> = {
  id: (request) => request.id,
  namespaceOf: null,
  namesOf: (request) => [request.id, request.email, request.name],
  defaultSort: '-requestedAt',
  filters: ['state'],
};

/** `/access-requests`. */
export class AccessRequestQueries {
  readonly #sources: ReadSources;

  constructor(sources: ReadSources) {
    this.#sources = sources;
  }

  async list(scope: Scope, query: ListQuery): Promise<Page<AccessRequestRecord> | Refusal> {
    return selectPage((await this.#stored()).map(accessRequestRecord), REQUESTS, query, scope);
  }

  /** Those of the caller, without who decided them. */
  async listOwn(scope: Scope, query: ListQuery): Promise<Page<AccessRequestRecord> | Refusal> {
    const own = (await this.#stored()).filter(({ email }) => email === scope.actor);
    const records = own.map((request) => ({ ...accessRequestRecord(request), decidedBy: null }));
    return selectPage(records, REQUESTS, query, scope);
  }

  async #stored(): Promise<readonly AccessRequest[]> {
    return (await storedAccessPolicy(this.#sources))?.status?.requests ?? [];
  }
}

export function accessRequestRecord(request: AccessRequest): AccessRequestRecord {
  const { id, email, name = null, reason = '', requestedRole = 'viewer', requestedNamespaces = [], state, decidedBy = null } = request;
  return {
    id,
    email,
    name,
    reason,
    requestedRole,
    requestedNamespaces,
    requestedAt: isoTime(instantOf(request.requestedAt) ?? 0),
    state,
    decidedBy,
    decidedAt: isoTimeOrNull(instantOf(request.decidedAt)),
  };
}

export const listAccessRequests = defineQuery({
  requires: ADMIN,
  answer: ({ accessRequests }: Models, scope, query: Operations['listAccessRequests']['query']) => accessRequests.list(scope, query),
});

export const listOwnAccessRequests = defineQuery({
  requires: IDENTIFIED,
  answer: ({ accessRequests }: Models, scope, query: Operations['listOwnAccessRequests']['query']) => accessRequests.listOwn(scope, query),
});

interface Models {
  readonly accessRequests: AccessRequestQueries;
}
