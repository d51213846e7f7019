import type { Cluster, ClusterArithmetic, SeriesSet, Operations } from '../../apis/http/types.generated.ts';
import { withDefaults, type OptionalResources, type Resources } from '#kube/records/resources';
import { HOURS_PER_MONTH, type Usd } from '#kube/units';
import type { ClusterPoint } from '../../ports/usage/usage-rollups.ts';
import { toCents } from '../../core/cost/cents.ts';
import { DecidedSums } from './decided-sums.ts';
import { BudgetTotals } from './budget-totals.ts';
import type { Slices } from '../lists/slices.ts';
import type { ClusterTotals } from './totals.ts';
import type { Sums } from './totals/exact-sums.ts';
import { confirmedAt } from '../freshness.ts';
import { computeHealth, type HealthEvidence } from '../../core/cost/health-score.ts';
import { computeRunRate } from '../../core/cost/run-rate.ts';
import { NodeRows } from './node-rows.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import { found, type Found } from '../outcome.ts';
import { ratiosOf, wholeResources } from '../ratios.ts';
import { seriesSet, appendPresent, type Line, type Sample } from '../series.ts';
import type { ReadSources } from '../sources.ts';
import { endOfLastStep, readTimeRange, type TimeRange } from '../time-range.ts';
import { ADMIN } from '../../core/access/requirement.ts';
import { defineQuery } from '../query.ts';

/** Usage from which a volume is nearly full: the default threshold of storage exceptions. */
const NEARLY_FULL_RATIO = 0.8;

/** Providers by the scheme of `spec.providerID`. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['gce', 'gke'],
  ['aws', 'eks'],
  ['azure', 'aks'],
]);

/** `/cluster` and `/cluster/usage`. */
export class ClusterQueries {
  readonly #sources: ReadSources;
  readonly #totals: ClusterTotals;
  readonly #nodes: NodeRows;
  readonly #budgets: BudgetTotals;
  readonly #decided: DecidedSums;
  readonly #slices: Slices;

  constructor(sources: ReadSources, totals: ClusterTotals, slices: Slices) {
    this.#slices = slices;
    this.#sources = sources;
    this.#totals = totals;
    this.#nodes = new NodeRows(sources);
    this.#budgets = new BudgetTotals(sources);
    this.#decided = new DecidedSums(sources);
  }

  /** Applies all changes before the call; in a large cluster in slices. */
  async update(): Promise<void> {
    await this.#totals.update();
    await this.#budgets.update(this.#slices);
  }

  get(): Found<Cluster, ClusterArithmetic> {
    const { identity, mode } = this.#sources;
    const totals = this.#totals.current();
    const nodes = this.#nodes;
    nodes.update();
    const pods = totals.podCounts;
    const { capacity, allocatable } = nodes;
    const { requested } = totals.total;
    const used = this.#used();
    const recommended = recommendedOf(totals.total);
    const arithmetic = {
      ...computeRunRate(nodes.bill(), totals.costs()),
      reclaimedPerMonthUsd: this.#policySavings('reclaimedPerMonthUsd'),
      deployedRequests: totals.total.deployed,
    };
    const item: Cluster = {
      name: identity.name,
      provider: providerOf(nodes.providerIds()),
      kubernetesVersion: identity.kubernetesVersion(),
      mode: mode.mode().mode,
      nodes: nodes.counts,
      pods: { total: pods.total, running: pods.running, pending: pods.pending, unschedulable: pods.unschedulable, failed: pods.failed },
      capacity,
      allocatable,
      requested,
      used,
      recommended,
      utilization: ratiosOf(used, allocatable),
      requestedRatio: ratiosOf(requested, allocatable),
      waitingForNodeCapacity: this.#decided.waitingRaises(),
      cost: this.#cost(arithmetic),
      health: computeHealth(this.#evidence(allocatable, requested)),
    };
    return { kind: 'found', item, summary: arithmetic };
  }

  async usage(query: { readonly duration: string; readonly step?: string }): Promise<Found<SeriesSet> | Refusal> {
    const range = readTimeRange(query, this.#sources.clock.now());
    if ('details' in range) return { kind: 'invalid', details: range.details };
    await this.#totals.update();
    try {
      const past = await this.#sources.rollups.readCluster(range.start, endOfLastStep(range));
      return found(seriesSet(range, clusterLines(appendPresent(range, past, this.#now(range)))));
    } catch (error) {
      this.#sources.logger.warn('Reading history failed', { err: error });
      const warning = { code: 'history_unavailable', message: 'The history store cannot be reached, so only the present is shown.' };
      return found(seriesSet(range, clusterLines([this.#now(range)])), [warning]);
    }
  }

  /** The present, as a point of the last step. */
  #now(range: TimeRange): ClusterPoint {
    const totals = this.#totals.current();
    this.#nodes.update();
    const { allocatable } = this.#nodes;
    const used = this.#used();
    const recommended = recommendedOf(totals.total);
    return {
      at: range.end,
      provisionedCpuMillicores: allocatable.cpuMillicores,
      provisionedMemoryBytes: allocatable.memoryBytes,
      requestedCpuMillicores: totals.total.requested.cpuMillicores,
      requestedMemoryBytes: totals.total.requested.memoryBytes,
      recommendedCpuMillicores: recommended.cpuMillicores,
      recommendedMemoryBytes: recommended.memoryBytes,
      usedCpuMillicores: used.cpuMillicores,
      usedMemoryBytes: used.memoryBytes,
      costPerHourUsd: null,
    };
  }

  #used(): OptionalResources {
    const used = this.#nodes.used((node) => this.#totals.ofNode(node).used);
    return wholeResources(withDefaults(used, this.#totals.total.used));
  }

  #cost(arithmetic: ClusterArithmetic): Cluster['cost'] {
    const { perHourUsd } = this.#nodes.bill();
    return {
      perHourUsd: Math.round(perHourUsd * 1e4) / 1e4,
      perMonthUsd: toCents(perHourUsd * HOURS_PER_MONTH),
      idlePerMonthUsd: arithmetic.idlePerMonthUsd,
      spotSavingsPerMonthUsd: toCents(this.#nodes.spotSavingsPerMonthUsd),
      projectedSavingsPerMonthUsd: this.#decided.openSavings(),
      realizedSavingsPerMonthUsd: this.#policySavings('realisedPerMonthUsd'),
    };
  }

  /** Sum over the policies whose status has the field; null where none has it. */
  #policySavings(field: 'reclaimedPerMonthUsd' | 'realisedPerMonthUsd'): Usd | null {
    let sum: Usd | null = null;
    for (const policy of this.#sources.cluster.podResizePolicies()) {
      const savings = policy.status?.savings?.[field];
      if (savings !== undefined) sum = (sum ?? 0) + savings;
    }
    return sum === null ? null : toCents(sum);
  }

  #evidence(allocatable: Resources, requested: Resources): HealthEvidence {
    const { podCounts, overRequests } = this.#totals;
    const { total, ready } = this.#nodes.counts;
    const confirmed = confirmedAt(this.#sources);
    const volumes = [...this.#sources.usage.volumes()];
    const free = ratiosOf(requested, allocatable);
    return {
      nodes: { total, ready },
      pods: podCounts,
      requests: overRequests,
      headroomRatio: free.cpuRatio === null || free.memoryRatio === null ? null : 1 - Math.max(free.cpuRatio, free.memoryRatio),
      volumes: {
        measured: volumes.length,
        nearlyFull: volumes.filter((volume) => volume.usedBytes >= volume.capacityBytes * NEARLY_FULL_RATIO).length,
      },
      budgets: this.#budgets.counts(),
      dataAgeSeconds: confirmed === null ? null : (this.#sources.clock.now() - confirmed) / 1000,
    };
  }
}

/** null before the first recommendation. */
function recommendedOf({ anyRecommended, recommended, pods }: Sums): OptionalResources {
  return anyRecommended || pods === 0 ? recommended : { cpuMillicores: null, memoryBytes: null };
}

function providerOf(providerIds: Iterable<string>): string | null {
  for (const providerId of providerIds) {
    const scheme = /^([a-z0-9-]+):\/\//.exec(providerId)?.[1];
    if (scheme !== undefined) return PROVIDERS.get(scheme) ?? scheme;
  }
  return null;
}

function clusterLines(points: readonly ClusterPoint[]): readonly Line[] {
  const line = (name: string, field: keyof ClusterPoint, resource: 'cpu' | 'memory'): Line => ({
    name,
    unit: resource === 'cpu' ? 'millicores' : 'bytes',
    labels: { resource },
    samples: points.map((point): Sample => ({ at: point.at, value: point[field] })),
  });
  return [
    line('provisioned', 'provisionedCpuMillicores', 'cpu'),
    line('requested', 'requestedCpuMillicores', 'cpu'),
    line('recommended', 'recommendedCpuMillicores', 'cpu'),
    line('used', 'usedCpuMillicores', 'cpu'),
    line('provisioned', 'provisionedMemoryBytes', 'memory'),
    line('requested', 'requestedMemoryBytes', 'memory'),
    line('recommended', 'recommendedMemoryBytes', 'memory'),
    line('used', 'usedMemoryBytes', 'memory'),
  ];
}

export const getCluster = defineQuery({
  requires: ADMIN,
  answer: async ({ cluster }: { readonly cluster: ClusterQueries }) => {
    await cluster.update();
    return cluster.get();
  },
});

export const getClusterUsage = defineQuery({
  requires: ADMIN,
  answer: ({ cluster }: { readonly cluster: ClusterQueries }, _scope, query: Operations['getClusterUsage']['query']) =>
    cluster.usage(query),
});
