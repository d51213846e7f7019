import type { Namespace, NamespaceQuota, Operations } from '../../apis/http/types.generated.ts';
import type { ResourceQuotaRecord } from '../../core/model/cluster-records.ts';
import type { PodRecord } from '#kube/records/pod';
import type { OptionalResources } from '#kube/records/resources';
import { HOUR_MS } from '#kube/units';
import { NO_SUMS, type TotalsCache } from './totals.ts';
import { selectPage, type Listing } from '../listing.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import type { Page } from '../outcome.ts';
import { ratioOf, wholeResources } from '../ratios.ts';
import type { Scope } from '../../core/access/scope.ts';
import type { ReadSources } from '../sources.ts';
import { VIEWER_OF_LISTED } from '../../core/access/requirement.ts';
import { defineQuery } from '../query.ts';

const LISTING: Listing<Namespace> = {
  id: (namespace) => namespace.name,
  namespaceOf: (namespace) => namespace.name,
  namesOf: () => [],
  defaultSort: 'name',
  levels: { health: ['healthy', 'attention', 'critical'] },
  filters: ['health'],
};

/** A quota with this usage usually has no capacity for another pod. */
const TIGHT_QUOTA_RATIO = 0.9;

interface PodProblem {
  readonly critical: boolean;
  readonly attention: boolean;
}

/** `/namespaces`. */
export class NamespaceQueries {
  readonly #sources: ReadSources;
  readonly #totals: TotalsCache;

  constructor(sources: ReadSources, totals: TotalsCache) {
    this.#sources = sources;
    this.#totals = totals;
  }

  list(scope: Scope, query: Operations['listNamespaces']['query']): Page<Namespace> | Refusal {
    return selectPage(this.#all(), LISTING, query, scope);
  }

  #all(): readonly Namespace[] {
    const { cluster } = this.#sources;
    const totals = this.#totals.totals();
    const workloads = new Map<string, number>();
    for (const { namespace } of cluster.workloads()) workloads.set(namespace, (workloads.get(namespace) ?? 0) + 1);
    const trouble = new Map<string, PodProblem>();
    const pods = new Map<string, number>();
    for (const pod of cluster.pods()) {
      pods.set(pod.namespace, (pods.get(pod.namespace) ?? 0) + 1);
      const found = this.#findProblem(pod);
      const before = trouble.get(pod.namespace) ?? { critical: false, attention: false };
      trouble.set(pod.namespace, { critical: before.critical || found.critical, attention: before.attention || found.attention });
    }
    return [...cluster.namespaces()].map(({ name }) => {
      const sums = totals.byNamespace.get(name) ?? NO_SUMS;
      const quotas = cluster.quotasIn(name).map(quotaRecord);
      const costs = totals.costs.byNamespace.get(name);
      return {
        name,
        workloads: workloads.get(name) ?? 0,
        pods: pods.get(name) ?? 0,
        requested: sums.requested,
        limits: sums.pods === 0 ? { cpuMillicores: null, memoryBytes: null } : sums.limits,
        used: wholeResources(sums.used),
        recommended: sums.recommended,
        wastePerMonthUsd: costs?.wastePerMonthUsd ?? null,
        costPerMonthUsd: costs?.costPerMonthUsd ?? (sums.pods === 0 ? 0 : null),
        quota: quotas.length === 0 ? null : quotas,
        notes: null,
        health: healthOf(trouble.get(name) ?? { critical: false, attention: false }, quotas),
      };
    });
  }

  #findProblem(pod: PodRecord): PodProblem {
    const now = this.#sources.clock.now();
    const crashing = pod.containers.some(
      (container) => container.waitingReason === 'CrashLoopBackOff' || container.waitingReason === 'ImagePullBackOff',
    );
    const killed = pod.containers.some(
      ({ lastTermination: last }) => last?.reason === 'OOMKilled' && last.finishedAt !== null && now - last.finishedAt < HOUR_MS,
    );
    const unschedulable = pod.phase === 'Pending' && pod.node === null && !pod.schedulable;
    const stuck = pod.resize.state === 'infeasible' || pod.resize.state === 'error';
    return { critical: crashing || unschedulable, attention: killed || stuck };
  }
}

function healthOf(trouble: PodProblem, quotas: readonly NamespaceQuota[]): Namespace['health'] {
  if (trouble.critical) return 'critical';
  return trouble.attention || quotas.some((quota) => (quota.usedRatio ?? 0) >= TIGHT_QUOTA_RATIO) ? 'attention' : 'healthy';
}

function quotaRecord(quota: ResourceQuotaRecord): NamespaceQuota {
  const ratios = [
    [quota.usedRequests, quota.hardRequests],
    [quota.usedLimits, quota.hardLimits],
  ].flatMap(([used, hard]) => (used === undefined || hard === undefined ? [] : ratiosOfBound(used, hard)));
  return {
    name: quota.name,
    hard: { requests: quota.hardRequests, limits: quota.hardLimits },
    used: { requests: quota.usedRequests, limits: quota.usedLimits },
    usedRatio: ratios.length === 0 ? null : Math.max(...ratios),
  };
}

function ratiosOfBound(used: OptionalResources, hard: OptionalResources): readonly number[] {
  return [ratioOf(used.cpuMillicores, hard.cpuMillicores), ratioOf(used.memoryBytes, hard.memoryBytes)].filter((ratio) => ratio !== null);
}

export const listNamespaces = defineQuery({
  requires: VIEWER_OF_LISTED,
  answer: ({ namespaces }: { readonly namespaces: NamespaceQueries }, scope, query: Operations['listNamespaces']['query']) =>
    namespaces.list(scope, query),
});
