import type { IdleTotals, IdleWorkload, Operations, Warning } from '../../apis/http/types.generated.ts';
import type { Recommendation } from '../../apis/v1alpha1/index.ts';
import type { Scope } from '../../core/access/scope.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import { readIdle } from '../../core/resize/status/memory-codec.ts';
import { idleSavings, realizedSavings, requestsOfReplica } from '../../core/resize/layers/idle/idle-savings.ts';
import { instantOf, isoTime } from '#kube/time/iso-time';
import { countedRequests, type PodRecord } from '#kube/records/pod';
import { addResources, NO_RESOURCES, type Resources } from '#kube/records/resources';
import { workloadKey, type WorkloadRef } from '#kube/records/workload';
import { meanRequestPrice, requestCost } from '../../core/cost/request-cost.ts';
import { HOURS_PER_MONTH } from '#kube/units';
import { centsOrNull, sumCents } from '../../core/cost/cents.ts';
import { podRequests } from '#kube/records/pod-requests';
import type { ClusterTotals } from '../cluster/totals.ts';
import { isUsingCapacity } from '../cluster/totals/pod-values.ts';
import { ChangedKeys } from '../lists/changed-keys.ts';
import { KeptRows } from '../lists/kept-rows.ts';
import { selectPage, type Listing } from '../listing.ts';
import type { Page } from '../outcome.ts';
import type { ReadSources } from '../sources.ts';
import { VIEWER_OF_LISTED } from '../../core/access/requirement.ts';
import { defineQuery } from '../query.ts';

const LISTING: Listing<IdleWorkload> = {
  id: ({ workload }) => workloadKey(workload),
  namespaceOf: ({ workload }) => workload.namespace,
  namesOf: ({ workload }) => [workload.name],
  defaultSort: '-projectedSavings.cpuMillicores',
  filters: ['state'],
};

const FEATURE_DISABLED: Warning = {
  code: 'feature_disabled',
  message: 'The setting features.idleWorkloads is false: no workload is idled, and idled ones are restored to their natural size.',
};

/** `/idle-workloads`: read only from the statuses of Recommendations, so that kubectl shows the same. */
export class IdleWorkloadQueries {
  readonly #sources: Pick<ReadSources, 'cluster' | 'mode'>;
  readonly #totals: ClusterTotals;

  /** The Recommendations of idled workloads. */
  readonly #idled: KeptRows<Recommendation, Recommendation>;

  constructor(sources: Pick<ReadSources, 'cluster' | 'mode' | 'clock'>, totals: ClusterTotals) {
    this.#sources = sources;
    this.#totals = totals;
    const { cluster, clock } = sources;
    const changed = new ChangedKeys();
    changed.follow(cluster, (change) => (change.kind === 'recommendation' ? change.workload : null));
    this.#idled = new KeptRows({
      all: () => cluster.recommendations(),
      find: (key) => cluster.findRecommendation(key),
      keyOf: ({ metadata, spec }) => workloadKey({ ...spec.targetRef, namespace: metadata.namespace ?? '' }),
      rowOf: (recommendation) => (readIdle(recommendation.status) === null ? null : recommendation),
      now: () => clock.now(),
      changed,
    });
  }

  list(scope: Scope, query: Operations['listIdleWorkloads']['query']): Page<IdleWorkload, IdleTotals> | Refusal {
    const enabled = this.#sources.mode.mode().features['idleWorkloads'] === true;
    const kinds = query.kind;
    const items = enabled ? this.#all().filter(({ workload }) => kinds === undefined || kinds.includes(workload.kind)) : [];
    const page = selectPage(items, LISTING, query, scope);
    if (page.kind !== 'page') return page;
    const { matched, ...rest } = page;
    return { ...rest, summary: totalsOf(matched), ...(enabled ? {} : { warnings: [FEATURE_DISABLED] }) };
  }

  /** The record of one workload; null where it is not idled. After a write, `published` is the object of its response. */
  record(published: Recommendation): IdleWorkload | null {
    const idle = readIdle(published.status);
    if (idle === null) return null;
    const { kind, name } = published.spec.targetRef;
    const workload: WorkloadRef = { namespace: published.metadata.namespace ?? '', kind, name };
    const requestedAt = instantOf(published.spec.wake?.at);
    const isWaking = idle.waking !== null || (requestedAt !== null && requestedAt >= idle.since);
    const projectedSavings = idleSavings(idle);
    const pods = [...this.#sources.cluster.podsOf(workloadKey(workload))].filter(isUsingCapacity);
    const realized = realizedSavings(idle, { count: pods.length, requested: requestedBy(pods) });
    return {
      workload,
      state: isWaking ? 'waking' : 'idled',
      idleSince: isoTime(idle.since),
      idle: requestsOfReplica(idle.sizes),
      natural: requestsOfReplica(idle.natural),
      replicas: idle.idleReplicas ?? idle.replicas,
      naturalReplicas: idle.replicas,
      projectedSavings,
      projectedSavingsPerMonthUsd: this.#perMonth(pods, projectedSavings),
      realizedSavings: realized,
      realizedSavingsPerMonthUsd: this.#perMonth(pods, realized),
      wakesOn: idle.wakeTriggers,
    };
  }

  #all(): readonly IdleWorkload[] {
    return [...this.#idled.rows()].flatMap((recommendation) => this.record(recommendation) ?? []);
  }

  /** US dollars per month at the mean price of the pods' nodes; null where no pod is on a node. */
  #perMonth(pods: readonly PodRecord[], savings: Resources): number | null {
    const totals = this.#totals.current();
    const mean = meanRequestPrice(pods.flatMap(({ node }) => (node === null ? [] : (totals.priceOf(node) ?? []))));
    return centsOrNull(mean === null ? null : requestCost(savings, mean, HOURS_PER_MONTH));
  }
}

function requestedBy(pods: readonly PodRecord[]): Resources {
  return pods.reduce((sum, pod) => addResources(sum, podRequests(pod, countedRequests)), NO_RESOURCES);
}

function totalsOf(items: readonly IdleWorkload[]): IdleTotals {
  return {
    projectedSavings: items.reduce((sum, item) => addResources(sum, item.projectedSavings), NO_RESOURCES),
    projectedSavingsPerMonthUsd: sumCents(items.map((item) => item.projectedSavingsPerMonthUsd ?? 0)),
    realizedSavings: items.reduce((sum, item) => addResources(sum, item.realizedSavings), NO_RESOURCES),
    realizedSavingsPerMonthUsd: sumCents(items.map((item) => item.realizedSavingsPerMonthUsd ?? 0)),
  };
}

export const listIdleWorkloads = defineQuery({
  requires: VIEWER_OF_LISTED,
  answer: ({ idleWorkloads }: { readonly idleWorkloads: IdleWorkloadQueries }, scope, query: Operations['listIdleWorkloads']['query']) =>
    idleWorkloads.list(scope, query),
});
