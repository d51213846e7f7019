import type { LimitException as LimitExceptionItem, LimitExceptionCounts, Operations } from '../../apis/http/types.generated.ts';
import type { Recommendation } from '../../apis/v1alpha1/index.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import type { Scope } from '../../core/access/scope.ts';
import { isApplied, LIMIT_EXCEPTION_STATES, LIMIT_EXCEPTION_TYPES, type LimitException } from '../../core/resize/model/limit-exception.ts';
import { asDecided } from '../../core/resize/layers/exceptions/pending.ts';
import { readExceptions } from '../../core/resize/status/exception-codec.ts';
import { readDecisions } from '../../core/resize/status/user-requests.ts';
import { isoTime, isoTimeOrNull } from '#kube/time/iso-time';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import { changedDecisions } from '../lists/changed-keys.ts';
import { KeptRows } from '../lists/kept-rows.ts';
import { RecordCache } from '../record-cache.ts';
import { selectPage, type Listing } from '../listing.ts';
import type { Page } from '../outcome.ts';
import type { ReadSources } from '../sources.ts';
import { VIEWER_OF_LISTED } from '../../core/access/requirement.ts';
import { defineQuery } from '../query.ts';

const LISTING: Listing<LimitExceptionItem> = {
  id: (item) => `${item.namespace}/${item.kind}/${item.name}/${item.container}/${item.resource}`,
  namespaceOf: (item) => item.namespace,
  namesOf: (item) => [item.name],
  defaultSort: '-openedAt',
  filters: ['state', 'type', 'kind', 'container', 'resource', 'bound'],
};

/** `/limit-exceptions`: read from the Recommendations, so that kubectl shows the same. */
export class LimitExceptionQueries {
  readonly #sources: Pick<ReadSources, 'cluster' | 'decisions'>;
  readonly #records = new RecordCache<readonly LimitExceptionItem[]>();

  /** The workloads with exceptions. */
  readonly #workloads: KeptRows<WorkloadRecord, WorkloadRecord>;

  constructor(sources: Pick<ReadSources, 'cluster' | 'decisions' | 'clock'>) {
    this.#sources = sources;
    const { cluster, decisions, clock } = sources;
    this.#workloads = new KeptRows({
      all: () => cluster.workloads(),
      find: (key) => cluster.findWorkload(key),
      keyOf: (workload) => workloadKey(workload),
      rowOf: (workload) => {
        const key = workloadKey(workload);
        const status = cluster.findRecommendation(key)?.status ?? decisions.unpublished(key);
        return (status?.limitExceptions ?? []).length > 0 ? workload : null;
      },
      now: () => clock.now(),
      changed: changedDecisions(sources),
    });
  }

  list(scope: Scope, query: Operations['listLimitExceptions']['query']): Page<LimitExceptionItem, LimitExceptionCounts> | Refusal {
    const page = selectPage(this.#all(), LISTING, query, scope);
    if (page.kind !== 'page') return page;
    const { matched, ...rest } = page;
    return { ...rest, summary: countsOf(matched) };
  }

  /** The exceptions of one workload. After a write, `published` is the object of its response. */
  of(workload: WorkloadRecord, published?: Recommendation): readonly LimitExceptionItem[] {
    const { cluster, decisions } = this.#sources;
    const key = workloadKey(workload);
    const recommendation = published ?? cluster.findRecommendation(key);
    const status = recommendation?.status ?? decisions.unpublished(key);
    if ((status?.limitExceptions ?? []).length === 0) return [];
    const { mode } = decisions.governance(workload);
    return this.#records.of(workload, [recommendation, status, mode], () => {
      const decided = recommendation === undefined ? [] : readDecisions(recommendation.spec);
      return readExceptions(status).map((exception) => itemOf(workload, asDecided(exception, decided, mode)));
    });
  }

  /** Open exceptions by namespace, whatever the caller may read. */
  countOpen(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { namespace, state } of this.#all()) if (state === 'open') counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
    return counts;
  }

  *#all(): Generator<LimitExceptionItem> {
    for (const workload of this.#workloads.rows()) yield* this.of(workload);
  }
}

function itemOf({ namespace, name, kind }: WorkloadRecord, exception: LimitException): LimitExceptionItem {
  const { container, resource, decided, overage } = exception;
  return {
    namespace,
    name,
    kind,
    container,
    resource,
    type: exception.type,
    bound: exception.bound,
    unit: resource === 'cpu' ? 'millicores' : 'bytes',
    limit: exception.limit,
    observed: exception.observed,
    proposed: exception.proposed,
    state: exception.state,
    applied: isApplied(exception),
    appliedValue: isApplied(exception) ? (overage?.value ?? null) : null,
    appliedUntil: isApplied(exception) ? isoTimeOrNull(overage?.until ?? null) : null,
    openedAt: isoTime(exception.openedAt),
    lastSeenAt: isoTime(exception.lastSeenAt),
    closedAt: isoTimeOrNull(exception.closedAt),
    occurrences: exception.occurrences,
    evidence: exception.evidence,
    approvedValue: decided?.value ?? null,
    decidedBy: decided?.by ?? null,
    settled: exception.state === 'approved' ? exception.inEffect : exception.state !== 'open' && !isApplied(exception),
  };
}

function countsOf(items: readonly LimitExceptionItem[]): LimitExceptionCounts {
  const count = <T extends string>(values: readonly T[], valueOf: (item: LimitExceptionItem) => string): Record<T, number> =>
    Object.fromEntries(values.map((value) => [value, items.filter((item) => valueOf(item) === value).length])) as Record<T, number>;
  return {
    ...count(LIMIT_EXCEPTION_STATES, ({ state }) => state),
    applied: items.filter(({ applied }) => applied).length,
    byType: count(LIMIT_EXCEPTION_TYPES, ({ type }) => type),
  };
}

export const listLimitExceptions = defineQuery({
  requires: VIEWER_OF_LISTED,
  answer: (
    { limitExceptions }: { readonly limitExceptions: LimitExceptionQueries },
    scope,
    query: Operations['listLimitExceptions']['query'],
  ) => limitExceptions.list(scope, query),
});
