import type { Namespace, NamespaceQuota, Operations } from '../../apis/http/types.generated.ts';
import type { ResourceQuotaRecord } from '../../core/model/cluster-records.ts';
import { toCents } from '../../core/cost/cents.ts';
import type { Usd } from '#kube/units';
import type { OptionalResources } from '#kube/records/resources';
import { NamespaceTallies, type NamespaceTally } from './namespace-tallies.ts';
import type { ClusterTotals, Costs } from './totals.ts';
import type { Slices } from '../lists/slices.ts';
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

/** `/namespaces`. */
export class NamespaceQueries {
  readonly #sources: ReadSources;
  readonly #totals: ClusterTotals;
  readonly #tallies: NamespaceTallies;
  readonly #slices: Slices;

  constructor(sources: ReadSources, totals: ClusterTotals, slices: Slices) {
    this.#slices = slices;
    this.#sources = sources;
    this.#totals = totals;
    this.#tallies = new NamespaceTallies(sources);
  }

  async list(scope: Scope, query: Operations['listNamespaces']['query']): Promise<Page<Namespace> | Refusal> {
    return selectPage(await this.records(), LISTING, query, scope);
  }

  /** The records of all namespaces, whatever the caller may read. */
  async records(): Promise<readonly Namespace[]> {
    await this.#tallies.update(this.#slices);
    await this.#totals.update();
    return this.#all();
  }

  #all(): readonly Namespace[] {
    const { cluster } = this.#sources;
    const totals = this.#totals;
    return [...cluster.namespaces()].map(({ name }) => {
      const sums = totals.ofNamespace(name);
      const quotas = cluster.quotasIn(name).map(quotaRecord);
      const costs = totals.costsOf(name);
      const tally = this.#tallies.of(name);
      return {
        name,
        workloads: tally.workloads,
        pods: tally.pods,
        requested: sums.requested,
        limits: sums.pods === 0 ? { cpuMillicores: null, memoryBytes: null } : sums.limits,
        used: wholeResources(sums.used),
        recommended: sums.recommended,
        wastePerMonthUsd: wasteOf(costs),
        costPerMonthUsd: costs.costPerMonthUsd ?? (sums.pods === 0 ? 0 : null),
        quota: quotas.length === 0 ? null : quotas,
        notes: null,
        health: healthOf(tally, quotas),
      };
    });
  }
}

/** Cost of the requests that are not used; null where one of the costs is unknown. */
function wasteOf({ costPerMonthUsd: cost, usedCostPerMonthUsd: used }: Costs): Usd | null {
  return cost === null || used === null ? null : toCents(cost - used);
}

function healthOf(tally: NamespaceTally, quotas: readonly NamespaceQuota[]): Namespace['health'] {
  if (tally.critical > 0) return 'critical';
  return tally.attention > 0 || quotas.some((quota) => (quota.usedRatio ?? 0) >= TIGHT_QUOTA_RATIO) ? 'attention' : 'healthy';
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
