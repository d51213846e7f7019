import type { Cluster, ClusterArithmetic, SeriesSet, Operations } from '../../apis/http/types.generated.ts';
import { addResources, NO_RESOURCES, type OptionalResources, type Resources } from '#kube/records/resources';
import { HOURS_PER_MONTH, type Usd } from '#kube/units';
import type { ClusterPoint } from '../../ports/usage/usage-rollups.ts';
import { toCents } from '../../core/cost/cents.ts';
import { DecidedSums } from './decided-sums.ts';
import { NO_SUMS, type Sums, type Totals, type TotalsCache } from './totals.ts';
import { confirmedAt } from '../freshness.ts';
import { computeHealth, type HealthEvidence } from '../../core/cost/health-score.ts';
import { computeRunRate, type BilledNode, type RunRate } from '../../core/cost/run-rate.ts';
import type { NodeRow, NodeRows } from './node-rows.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import { found, type Found } from '../outcome.ts';
import { ratiosOf, wholeResources } from '../ratios.ts';
import { seriesSet, appendPresent, type Line, type Sample } from '../series.ts';
import type { ReadSources } from '../sources.ts';
import { endOfLastStep, readTimeRange, type TimeRange } from '../time-range.ts';
import { isIdentical } from '../record-cache.ts';
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
  readonly #totals: TotalsCache;
  readonly #nodes: NodeRows;
  readonly #decided: DecidedSums;
  #runRate: { readonly inputs: readonly unknown[]; readonly value: RunRate } | null = null;

  constructor(sources: ReadSources, totals: TotalsCache, nodes: NodeRows) {
    this.#sources = sources;
    this.#totals = totals;
    this.#nodes = nodes;
    this.#decided = new DecidedSums(sources);
  }

  get(): Found<Cluster, ClusterArithmetic> {
    const { identity, mode } = this.#sources;
    const totals = this.#totals.totals();
    const nodes = this.#nodes.rows();
    const pods = totals.podCounts;
    const capacity = sumOf(nodes.map((node) => node.capacity));
    const allocatable = sumOf(nodes.map((node) => node.allocatable));
    const { requested } = totals.total;
    const used = this.#used(nodes, totals);
    const recommended = recommendedOf(totals.total);
    const arithmetic = {
      ...this.#runRateOf(nodes, totals),
      reclaimedPerMonthUsd: this.#policySavings('reclaimedPerMonthUsd'),
      deployedRequests: totals.total.deployed,
    };
    const item: Cluster = {
      name: identity.name,
      provider: providerOf(nodes),
      kubernetesVersion: identity.kubernetesVersion(),
      mode: mode.mode().mode,
      nodes: {
        total: nodes.length,
        ready: nodes.filter((node) => node.ready).length,
        spot: nodes.filter((node) => node.capacityType === 'spot').length,
        onDemand: nodes.filter((node) => node.capacityType === 'on-demand').length,
        bootstrapping: nodes.filter((node) => node.phase === 'bootstrapping').length,
        draining: nodes.filter((node) => node.phase === 'draining').length,
      },
      pods: { total: pods.total, running: pods.running, pending: pods.pending, unschedulable: pods.unschedulable, failed: pods.failed },
      capacity,
      allocatable,
      requested,
      used,
      recommended,
      utilization: ratiosOf(used, allocatable),
      requestedRatio: ratiosOf(requested, allocatable),
      waitingForNodeCapacity: this.#decided.waitingRaises(),
      cost: this.#cost(nodes, arithmetic),
      health: computeHealth(this.#evidence(nodes, pods, allocatable, requested)),
    };
    return { kind: 'found', item, summary: arithmetic };
  }

  async usage(query: { readonly duration: string; readonly step?: string }): Promise<Found<SeriesSet> | Refusal> {
    const range = readTimeRange(query, this.#sources.clock.now());
    if ('details' in range) return { kind: 'invalid', details: range.details };
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
    const nodes = this.#nodes.rows();
    const totals = this.#totals.totals();
    const allocatable = sumOf(nodes.map((node) => node.allocatable));
    const used = this.#used(nodes, totals);
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

  #used(nodes: readonly NodeRow[], totals: Totals): OptionalResources {
    const usages = nodes.map(({ name, used }) => used ?? wholeResources(totals.byNode.get(name)?.used ?? NO_SUMS.used));
    const sum = (amounts: readonly (number | null)[]): number | null =>
      amounts.length === 0 || amounts.every((amount) => amount === null)
        ? null
        : amounts.reduce<number>((total, amount) => total + (amount ?? 0), 0);
    const cpuMillicores = sum(usages.map((used) => used.cpuMillicores)) ?? totals.total.used.cpuMillicores;
    const memoryBytes = sum(usages.map((used) => used.memoryBytes)) ?? totals.total.used.memoryBytes;
    return wholeResources({ cpuMillicores, memoryBytes });
  }

  /** Computed for new totals, and where nodes have been added, removed or replaced. */
  #runRateOf(nodes: readonly NodeRow[], totals: Totals): RunRate {
    const inputs = [totals, this.#nodes.billedVersion];
    if (this.#runRate === null || !isIdentical(this.#runRate.inputs, inputs)) {
      this.#runRate = { inputs, value: computeRunRate(billed(nodes, totals), totals.costs) };
    }
    return this.#runRate.value;
  }

  #cost(nodes: readonly NodeRow[], arithmetic: ClusterArithmetic): Cluster['cost'] {
    const { prices } = this.#totals.totals();
    const perHour = nodes.reduce((sum, node) => sum + (prices.get(node.name)?.perHourUsd ?? 0), 0);
    return {
      perHourUsd: nodes.length === 0 ? 0 : Math.round(perHour * 1e4) / 1e4,
      perMonthUsd: toCents(perHour * HOURS_PER_MONTH),
      idlePerMonthUsd: arithmetic.idlePerMonthUsd,
      spotSavingsPerMonthUsd: toCents(nodes.reduce((sum, node) => sum + node.spotSavingsPerHourUsd, 0) * HOURS_PER_MONTH),
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

  #evidence(
    nodes: readonly NodeRow[],
    pods: { active: number; unschedulable: number; pending: number },
    allocatable: Resources,
    requested: Resources,
  ): HealthEvidence {
    const { overRequests, budgets } = this.#totals.totals();
    const confirmed = confirmedAt(this.#sources);
    const volumes = [...this.#sources.usage.volumes()];
    const free = ratiosOf(requested, allocatable);
    return {
      nodes: { total: nodes.length, ready: nodes.filter((node) => node.ready).length },
      pods,
      requests: overRequests,
      headroomRatio: free.cpuRatio === null || free.memoryRatio === null ? null : 1 - Math.max(free.cpuRatio, free.memoryRatio),
      volumes: {
        measured: volumes.length,
        nearlyFull: volumes.filter((volume) => volume.usedBytes >= volume.capacityBytes * NEARLY_FULL_RATIO).length,
      },
      budgets,
      dataAgeSeconds: confirmed === null ? null : (this.#sources.clock.now() - confirmed) / 1000,
    };
  }
}

/** null before the first recommendation. */
function recommendedOf({ anyRecommended, recommended, pods }: Sums): OptionalResources {
  return anyRecommended || pods === 0 ? recommended : { cpuMillicores: null, memoryBytes: null };
}

function sumOf(all: readonly Resources[]): Resources {
  return all.reduce(addResources, NO_RESOURCES);
}

function providerOf(nodes: readonly NodeRow[]): string | null {
  for (const { providerId } of nodes) {
    const scheme = /^([a-z0-9-]+):\/\//.exec(providerId)?.[1];
    if (scheme !== undefined) return PROVIDERS.get(scheme) ?? scheme;
  }
  return null;
}

function billed(nodes: readonly NodeRow[], { prices }: Totals): readonly BilledNode[] {
  return nodes.map(({ name, machineType, capacityType }) => ({ machineType, capacityType, price: prices.get(name) ?? null }));
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
  answer: ({ cluster }: { readonly cluster: ClusterQueries }) => cluster.get(),
});

export const getClusterUsage = defineQuery({
  requires: ADMIN,
  answer: ({ cluster }: { readonly cluster: ClusterQueries }, _scope, query: Operations['getClusterUsage']['query']) =>
    cluster.usage(query),
});
