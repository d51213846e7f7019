// All sums over the cluster, computed in one pass over its pods and cached for all read models, so that a page with five requests iterates
// over 150,000 pods once.

import { requestCost } from '../../core/cost/request-cost.ts';
import { requestsBesideContainers } from '#kube/records/pod-requests';
import {
  sumIfAllKnown,
  addKnown,
  withDefaults,
  NO_RESOURCES,
  UNSET_RESOURCES,
  type OptionalResources,
  type Resources,
} from '#kube/records/resources';
import { HOURS_PER_MONTH, MINUTE_MS, type DurationMs, type Instant, type Usd } from '#kube/units';
import { workloadKey, type WorkloadKey, type WorkloadRecord, type WorkloadRef } from '#kube/records/workload';
import { countedRequests, type PodRecord } from '#kube/records/pod';
import type { NodePrice } from '../../ports/price-source.ts';
import { computeCostShares, type CostShares } from '../../core/cost/cost-shares.ts';
import { BudgetTally, type BudgetCounts } from './budget-tally.ts';
import { RecommendedRequests } from '../workloads/recommended-requests.ts';
import type { ReadSources } from '../sources.ts';

/** Requests, usage and cost of a set of pods. */
export interface Sums {
  readonly pods: number;
  readonly requested: Resources;
  /** Requests as deployed: those of the pods' templates. */
  readonly deployed: Resources;
  /** Recommended requests; containers without a recommendation count with their requests. */
  readonly recommended: Resources;
  /** Whether any container has a recommendation. */
  readonly anyRecommended: boolean;
  /** Sum of limits; null for a resource where any container has none. */
  readonly limits: OptionalResources;
  /** null for a resource where no container's usage is known. */
  readonly used: OptionalResources;
  /** Cost of the requests at the prices of their nodes; null where no pod is on a node. */
  readonly costPerMonthUsd: Usd | null;
  /** Cost of the used part of the requests; usage above a request adds nothing. */
  readonly usedCostPerMonthUsd: Usd | null;
}

/** The cluster's sums at one moment. */
export interface Totals {
  readonly at: Instant;
  readonly total: Sums;
  readonly byNode: ReadonlyMap<string, Sums>;
  readonly byNamespace: ReadonlyMap<string, Sums>;
  readonly byWorkload: ReadonlyMap<WorkloadKey, Sums>;
  readonly prices: ReadonlyMap<string, NodePrice>;
  /** Costs in rounded cents that add up; `Sums` has the exact values. */
  readonly costs: CostShares;
  readonly podCounts: PodCounts;
  readonly overRequests: OverRequests;
  readonly budgets: BudgetCounts;
}

/** Numbers of pods by phase; `active` pods have not completed. */
export interface PodCounts {
  readonly total: number;
  readonly running: number;
  readonly pending: number;
  readonly unschedulable: number;
  readonly failed: number;
  readonly active: number;
}

/** Numbers of containers with known usage, and of those whose usage exceeds their request. */
export interface OverRequests {
  readonly measured: number;
  readonly overMemory: number;
  readonly overCpu: number;
}

/**
 * Lifetime of cached totals in domain time: one second, and one more per 10,000 pods, so that a large cluster spends no larger share of
 * its time on them than a small one.
 */
const cachedForMs = (pods: number): number => 1000 + pods / 10;

/** From this many pods on, totals are renewed in slices while readers get the last ones: a pass over 150,000 pods takes a second. */
const SLICED_FROM_PODS = 5_000;
/** Pods of a slice, a few milliseconds of work. */
const PODS_PER_SLICE = 500;

/** Older totals are no answer: they are computed at once, also in a large cluster. */
const SERVED_FOR_MS: DurationMs = MINUTE_MS;

/** Runs a task soon, after events that wait. */
export type Defer = (task: () => void) => void;

/**
 * Computes totals on demand, at most once a second. In a large cluster a read gets the last totals and starts the next pass, which yields
 * to other events between slices.
 */
export class TotalsCache {
  readonly #sources: ReadSources;
  readonly #defer: Defer;
  #cached: Totals | null = null;
  #isRenewing = false;

  constructor(sources: ReadSources, defer: Defer = (task) => void setImmediate(task)) {
    this.#sources = sources;
    this.#defer = defer;
  }

  totals(): Totals {
    const now = this.#sources.clock.now();
    const cached = this.#cached;
    if (cached === null) return this.#renewNow();
    const { total } = cached.podCounts;
    const ageMs = now - cached.at;
    if (ageMs >= 0 && ageMs < cachedForMs(total)) return cached;
    if (total < SLICED_FROM_PODS || ageMs < 0 || ageMs >= SERVED_FOR_MS) return this.#renewNow();
    this.#renewInSlices();
    return cached;
  }

  #renewNow(): Totals {
    const pass = passOverPods(this.#sources);
    let step = pass.next();
    while (step.done !== true) step = pass.next();
    this.#cached = step.value;
    return step.value;
  }

  #renewInSlices(): void {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    const pass = passOverPods(this.#sources);
    const advance = (): void => {
      try {
        const step = pass.next();
        if (step.done !== true) {
          this.#defer(advance);
          return;
        }
        this.#cached = step.value;
      } catch (err) {
        this.#sources.logger.error('Computing the totals of the cluster failed; the last ones are shown', { err });
      }
      this.#isRenewing = false;
    };
    this.#defer(advance);
  }
}

/** Whether a pod uses capacity of a node: it is bound and has not completed. */
export function isUsingCapacity(pod: PodRecord): boolean {
  return pod.node !== null && !isDone(pod);
}

function isDone({ phase }: PodRecord): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Computes the totals in one pass over the pods, which yields after each slice. */
function* passOverPods(sources: ReadSources): Generator<void, Totals, void> {
  const { cluster, usage, prices: priceSource, clock } = sources;
  const prices = new Map<string, NodePrice>();
  for (const node of cluster.nodes()) prices.set(node.name, priceSource.priceOf(node));
  yield;

  const recommendations = new RecommendedRequests(sources);
  const total = new Accumulator();
  const byNode = new Map<string, Accumulator>();
  const byNamespace = new Map<string, Accumulator>();
  const byWorkload = new Map<WorkloadKey, Accumulator>();
  const podCounts = { total: 0, running: 0, pending: 0, unschedulable: 0, failed: 0, active: 0 };
  const budgets = new BudgetTally(cluster);
  const overRequests = { measured: 0, overMemory: 0, overCpu: 0 };
  for (const pod of cluster.pods()) {
    if (podCounts.total % PODS_PER_SLICE === PODS_PER_SLICE - 1) yield;
    tallyPod(podCounts, pod);
    if (isDone(pod)) continue;
    const workload = cluster.workloadOf(pod);
    budgets.add(pod, workload);
    if (pod.node === null) continue;
    const sums = [total, accumulatorAt(byNode, pod.node), accumulatorAt(byNamespace, pod.namespace)];
    if (workload !== undefined) sums.push(accumulatorAt(byWorkload, workloadKey(workload)));
    const template = templateOf(workload, cluster);
    const price = prices.get(pod.node) ?? null;
    for (const accumulator of sums) accumulator.countPod();
    for (const container of pod.containers) {
      const used = usage.containerUsage(pod.namespace, pod.name, container.name);
      const requests = countedRequests(container);
      const deployed = deployedRequests(template, container.name, requests);
      const recommended = recommendations.of(workload, container.name);
      const cost = price === null ? null : requestCost(requests, price, HOURS_PER_MONTH);
      const usedCost = price === null || used === null ? null : requestCost(lesserOf(used, requests), price, HOURS_PER_MONTH);
      const counted = { requests, deployed, recommended, limits: container.limits, used, cost, usedCost };
      for (const accumulator of sums) accumulator.add(counted);
      tallyUsage(overRequests, container.requests, used);
    }
    const beside = besideContainers(pod, (container) => recommendations.of(workload, container), price);
    if (beside !== null) for (const accumulator of sums) accumulator.add(beside);
  }
  const done = <Key>(map: ReadonlyMap<Key, Accumulator>): ReadonlyMap<Key, Sums> =>
    new Map([...map].map(([key, sums]) => [key, sums.sums()]));
  yield;
  const sums = { total: total.sums(), byNode: done(byNode), byNamespace: done(byNamespace), byWorkload: done(byWorkload) };
  yield;
  return {
    at: clock.now(),
    ...sums,
    prices,
    costs: yield* computeCostShares(sums.total, sums.byNamespace, sums.byWorkload, (key) => key.slice(0, key.indexOf('/'))),
    podCounts,
    overRequests,
    budgets: budgets.counts(),
  };
}

function templateOf(workload: WorkloadRef | undefined, cluster: ReadSources['cluster']): WorkloadRecord['containers'] {
  return workload === undefined ? [] : (cluster.findWorkload(workloadKey(workload))?.containers ?? []);
}

/** Requests of a container in its template; those of the pod where the template has none, as with an injected container or a LimitRange. */
function deployedRequests(template: WorkloadRecord['containers'], container: string, ofPod: OptionalResources): OptionalResources {
  const deployed = template.find(({ name }) => name === container)?.requests;
  return deployed === undefined ? ofPod : withDefaults(deployed, ofPod);
}

/** Requests of init containers and pod overhead beyond the containers, which have no usage and no limit; null where there are none. */
function besideContainers(
  pod: PodRecord,
  recommendedOf: (container: string) => OptionalResources,
  price: NodePrice | null,
): Counted | null {
  if (pod.initContainers === undefined && pod.overhead === undefined) return null;
  const requests = requestsBesideContainers(pod, countedRequests);
  const recommended = requestsBesideContainers(pod, (container) => {
    return withDefaults(recommendedOf(container.name), countedRequests(container));
  });
  const isRecommended = pod.containers.some(({ name }) => {
    const { cpuMillicores, memoryBytes } = recommendedOf(name);
    return cpuMillicores !== null || memoryBytes !== null;
  });
  const cost = price === null ? null : requestCost(requests, price, HOURS_PER_MONTH);
  return {
    requests,
    deployed: requests,
    recommended: isRecommended ? recommended : UNSET_RESOURCES,
    limits: NO_RESOURCES,
    used: null,
    cost,
    usedCost: null,
  };
}

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

function tallyPod(counts: Mutable<PodCounts>, pod: PodRecord): void {
  counts.total += 1;
  if (pod.phase === 'Running') counts.running += 1;
  if (pod.phase === 'Failed') counts.failed += 1;
  if (!isDone(pod)) counts.active += 1;
  if (pod.phase !== 'Pending') return;
  counts.pending += 1;
  if (pod.node === null && !pod.schedulable) counts.unschedulable += 1;
}

function tallyUsage(counts: Mutable<OverRequests>, requests: OptionalResources, used: OptionalResources | null): void {
  if (used === null) return;
  counts.measured += 1;
  if (isExceeded(used.memoryBytes, requests.memoryBytes)) counts.overMemory += 1;
  if (isExceeded(used.cpuMillicores, requests.cpuMillicores)) counts.overCpu += 1;
}

function isExceeded(used: number | null, request: number | null): boolean {
  return used !== null && request !== null && used > request;
}

/** The values of one container that are summed. */
interface Counted {
  readonly requests: OptionalResources;
  readonly deployed: OptionalResources;
  readonly recommended: OptionalResources;
  readonly limits: OptionalResources;
  readonly used: OptionalResources | null;
  readonly cost: Usd | null;
  readonly usedCost: Usd | null;
}

/** Sums in plain numbers: for 150,000 pods, an object per addition would take half of the time. */
class Accumulator {
  #pods = 0;
  readonly #requested = { cpuMillicores: 0, memoryBytes: 0 };
  readonly #deployed = { cpuMillicores: 0, memoryBytes: 0 };
  readonly #recommended = { cpuMillicores: 0, memoryBytes: 0 };
  #anyRecommended = false;
  readonly #limits: { cpuMillicores: number | null; memoryBytes: number | null } = { cpuMillicores: 0, memoryBytes: 0 };
  readonly #used: { cpuMillicores: number | null; memoryBytes: number | null } = { cpuMillicores: null, memoryBytes: null };
  #cost: Usd | null = null;
  #usedCost: Usd | null = null;

  countPod(): void {
    this.#pods += 1;
  }

  add({ requests, deployed, recommended, limits, used, cost, usedCost }: Counted): void {
    for (const field of FIELDS) {
      const requested = requests[field] ?? 0;
      this.#requested[field] += requested;
      this.#deployed[field] += deployed[field] ?? 0;
      this.#recommended[field] += recommended[field] ?? requested;
      if (recommended[field] !== null) this.#anyRecommended = true;
      this.#limits[field] = sumIfAllKnown([this.#limits[field], limits[field]]);
      if (used !== null) this.#used[field] = addKnown(this.#used[field], used[field]);
    }
    this.#cost = addKnown(this.#cost, cost);
    this.#usedCost = addKnown(this.#usedCost, usedCost);
  }

  sums(): Sums {
    return {
      pods: this.#pods,
      requested: this.#requested,
      deployed: this.#deployed,
      recommended: this.#recommended,
      anyRecommended: this.#anyRecommended,
      limits: this.#limits,
      used: this.#used,
      costPerMonthUsd: this.#cost,
      usedCostPerMonthUsd: this.#usedCost,
    };
  }
}

const FIELDS = ['cpuMillicores', 'memoryBytes'] as const;

function accumulatorAt<Key>(map: Map<Key, Accumulator>, key: Key): Accumulator {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = new Accumulator();
  map.set(key, created);
  return created;
}

function lesserOf(used: OptionalResources, requests: OptionalResources): OptionalResources {
  return {
    cpuMillicores: Math.min(used.cpuMillicores ?? 0, requests.cpuMillicores ?? 0),
    memoryBytes: Math.min(used.memoryBytes ?? 0, requests.memoryBytes ?? 0),
  };
}

/** Sums of no pods. */
export const NO_SUMS: Sums = {
  pods: 0,
  requested: NO_RESOURCES,
  deployed: NO_RESOURCES,
  recommended: NO_RESOURCES,
  anyRecommended: false,
  limits: NO_RESOURCES,
  used: { cpuMillicores: null, memoryBytes: null },
  costPerMonthUsd: null,
  usedCostPerMonthUsd: null,
};
