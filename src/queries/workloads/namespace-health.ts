import type { Namespace, Recommendation } from '../../apis/http/types.generated.ts';
import { VIEWER_OF_LISTED } from '../../core/access/requirement.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import type { Scope } from '../../core/access/scope.ts';
import type { NamespaceQueries } from '../cluster/namespaces.ts';
import { selectPage, type Listing, type ListQuery } from '../listing.ts';
import type { Page } from '../outcome.ts';
import { notAvailableYet } from '../not-served-yet.ts';
import { defineQuery } from '../query.ts';
import type { LimitExceptionQueries } from './limit-exceptions.ts';
import type { RecommendationQueries } from './recommendations.ts';

/** Health of one namespace with the counts that explain it. */
export interface NamespaceHealth {
  readonly namespace: string;
  readonly status: Namespace['health'];
  readonly workloads: number;
  /** Workloads in idle mode. */
  readonly idle: number;
  /** Workloads whose due change waits. */
  readonly awaiting: number;
  readonly openLimitExceptions: number;
  /** null: storage exceptions are not available yet. */
  readonly openStorageExceptions: number | null;
}

const LISTING: Listing<NamespaceHealth> = {
  id: ({ namespace }) => namespace,
  namespaceOf: ({ namespace }) => namespace,
  namesOf: () => [],
  // The worst first.
  defaultSort: '-status',
  levels: { status: ['healthy', 'attention', 'critical'] },
};

/** Counts of recommendations, limit exceptions and problems of pods by namespace. */
export class NamespaceHealthQueries {
  readonly #namespaces: Pick<NamespaceQueries, 'records'>;
  readonly #recommendations: Pick<RecommendationQueries, 'records'>;
  readonly #limitExceptions: Pick<LimitExceptionQueries, 'countOpen'>;

  constructor(
    namespaces: Pick<NamespaceQueries, 'records'>,
    recommendations: Pick<RecommendationQueries, 'records'>,
    limitExceptions: Pick<LimitExceptionQueries, 'countOpen'>,
  ) {
    this.#namespaces = namespaces;
    this.#recommendations = recommendations;
    this.#limitExceptions = limitExceptions;
  }

  async list(scope: Scope, query: ListQuery): Promise<Page<NamespaceHealth> | Refusal> {
    const namespaces = await this.#namespaces.records();
    const { at, items } = await this.#recommendations.records();
    const [idle, awaiting] = [countByNamespace(items, 'idle'), countByNamespace(items, 'awaiting')];
    const open = this.#limitExceptions.countOpen();
    const records = namespaces.map(({ name, workloads, health }): NamespaceHealth => ({
      namespace: name,
      status: health,
      workloads,
      idle: idle.get(name) ?? 0,
      awaiting: awaiting.get(name) ?? 0,
      openLimitExceptions: open.get(name) ?? 0,
      openStorageExceptions: null,
    }));
    const page = selectPage(records, LISTING, query, scope);
    if (page.kind !== 'page') return page;
    const { matched: _, ...rest } = page;
    return { ...rest, cachedAt: at, warnings: [notAvailableYet('Storage exceptions')] };
  }
}

function countByNamespace(items: readonly Recommendation[], state: Recommendation['state']): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) if (item.state === state) counts.set(item.namespace, (counts.get(item.namespace) ?? 0) + 1);
  return counts;
}

export const listNamespaceHealth = defineQuery({
  requires: VIEWER_OF_LISTED,
  answer: ({ namespaceHealth }: { readonly namespaceHealth: NamespaceHealthQueries }, scope, query: ListQuery) =>
    namespaceHealth.list(scope, query),
});
