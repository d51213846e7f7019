// All sums over the cluster. They follow the changes: a changed pod's values are subtracted and added, so that neither a read nor a change
// passes over 150,000 pods.

import type { Instant, Usd } from '#kube/units';
import { workloadKey, type WorkloadKey } from '#kube/records/workload';
import type { PodRecord } from '#kube/records/pod';
import type { Changes } from '../../ports/changes.ts';
import type { NodePrice } from '../../ports/price-source.ts';
import { sumCents } from '../../core/cost/cents.ts';
import { ALL, changedDecisions, ChangedKeys } from '../lists/changed-keys.ts';
import { SharedUpdate } from '../lists/shared-update.ts';
import { runAtOnce, Slices, type Steps } from '../lists/slices.ts';
import { RecommendedRequests } from '../workloads/recommended-requests.ts';
import type { ReadSources } from '../sources.ts';
import { COLUMN, ExactSums, NO_SUMS, WIDTH, type Sums } from './totals/exact-sums.ts';
import { NamespaceSums, NodeSums, type OwnerSums } from './totals/pod-groups.ts';
import { PodRows, type PodName } from './totals/pod-rows.ts';
import { isUsingCapacity, writePodValues } from './totals/pod-values.ts';

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

/** Costs in cents; null: unknown. */
export interface Costs {
  readonly costPerMonthUsd: Usd | null;
  readonly usedCostPerMonthUsd: Usd | null;
}

/** From this many pods on, changes are applied in slices while callers that cannot wait get the last sums. */
const SLICED_FROM_PODS = 5_000;
/** Pods of a step, a millisecond of work. */
const PODS_PER_STEP = 200;

interface Groups {
  readonly node: NodeSums | null;
  readonly owner: OwnerSums | null;
}

const NO_GROUPS: Groups = { node: null, owner: null };

/** The sums over the cluster, by node, by namespace and by workload. */
export class ClusterTotals {
  readonly #sources: ReadSources;
  readonly #slices: Slices;
  readonly #changedPods = new ChangedKeys();
  readonly #changedNodes = new ChangedKeys();
  readonly #changedWorkloads: ChangedKeys;
  readonly #rows = new PodRows<NodeSums, OwnerSums>();
  readonly #total = new ExactSums(WIDTH);
  readonly #nodes = new Map<string, NodeSums>();
  readonly #namespaces = new Map<string, NamespaceSums>();
  readonly #prices = new Map<string, NodePrice>();
  readonly #nodeListeners = new Set<(node: string) => void>();
  /** Values of the pod that is being replaced: before, after, and their difference. */
  readonly #before = new Float64Array(WIDTH);
  readonly #after = new Float64Array(WIDTH);
  #nodeRevision = 0;
  #isBuilt = false;
  #isRefreshing = false;
  readonly #update = new SharedUpdate(() => this.#slices.run(this.#refresh()));
  #readAt: Instant = Number.NEGATIVE_INFINITY;
  #nextExpiry: Instant = Number.POSITIVE_INFINITY;
  #usageProblem: string | null = null;

  /** Nodes whose sums have changed. */
  readonly nodeChanges: Changes<string> = {
    revision: () => this.#nodeRevision,
    subscribe: (listener) => {
      this.#nodeListeners.add(listener);
      return () => this.#nodeListeners.delete(listener);
    },
  };

  constructor(sources: ReadSources, slices = new Slices()) {
    this.#sources = sources;
    this.#slices = slices;
    const { cluster, usage } = sources;
    this.#changedPods.follow(cluster, (change) => (change.kind === 'pod' ? change.key : null));
    this.#changedPods.follow(usage.changes, (change) => (change.kind === 'pod' ? change.key : null));
    this.#changedNodes.follow(cluster, (change) => (change.kind === 'node' ? change.key : null));
    this.#changedWorkloads = changedDecisions(sources);
  }

  /** Applies all changes before the call. */
  update(): Promise<void> {
    return this.#update.run();
  }

  /** The sums for callers that cannot wait: of a large cluster those of the last update, and the next one begins. */
  current(): this {
    if (!this.#isBuilt || this.#rows.size < SLICED_FROM_PODS) runAtOnce(this.#refresh());
    else if (!this.#update.isRunning) {
      this.update().catch((err: unknown) => {
        this.#sources.logger.error('Computing the totals of the cluster failed; the last ones are shown', { err });
      });
    }
    return this;
  }

  get total(): Sums {
    return this.#total.sums();
  }

  ofNode(name: string): Sums {
    return this.#nodes.get(name)?.sums() ?? NO_SUMS;
  }

  ofNamespace(name: string): Sums {
    return this.#namespaces.get(name)?.sums() ?? NO_SUMS;
  }

  /** undefined: there is no such node. */
  priceOf(node: string): NodePrice | undefined {
    return this.#prices.get(node);
  }

  /** Costs of a namespace. */
  costsOf(namespace: string): Costs {
    return this.#namespaces.get(namespace) ?? NO_COSTS;
  }

  /** Cost of a workload in cents: with those of the namespace's other pods it adds up to the cost of the namespace. */
  costOfWorkload(key: WorkloadKey): Usd | null {
    const namespace = this.#namespaces.get(key.slice(0, key.indexOf('/')));
    return namespace?.workloadCosts().get(key) ?? null;
  }

  /** Costs of the cluster: the sums of those of its namespaces. */
  costs(): Costs {
    const sum = (field: keyof Costs): Usd | null => {
      const known = [...this.#namespaces.values()].flatMap((namespace) => namespace[field] ?? []);
      return known.length === 0 ? null : sumCents(known);
    };
    return { costPerMonthUsd: sum('costPerMonthUsd'), usedCostPerMonthUsd: sum('usedCostPerMonthUsd') };
  }

  get podCounts(): PodCounts {
    const count = (column: keyof PodCounts): number => this.#total.count(COLUMN[column]);
    return {
      total: count('total'),
      running: count('running'),
      pending: count('pending'),
      unschedulable: count('unschedulable'),
      failed: count('failed'),
      active: count('active'),
    };
  }

  get overRequests(): OverRequests {
    const count = (column: keyof OverRequests): number => this.#total.count(COLUMN[column]);
    return { measured: count('measured'), overMemory: count('overMemory'), overCpu: count('overCpu') };
  }

  *#refresh(): Steps {
    const now = this.#sources.clock.now();
    const problem = this.#sources.usage.problem();
    const pods = this.#changedPods.take();
    const workloads = this.#changedWorkloads.take();
    const nodes = this.#changedNodes.take();
    // A refresh that has not ended has taken changes, and may not have applied them.
    const isOutdated = now < this.#readAt || this.#isRefreshing || problem !== this.#usageProblem;
    this.#isRefreshing = true;
    this.#readAt = now;
    this.#usageProblem = problem;
    if (isOutdated || pods === ALL || workloads === ALL) {
      this.#readPrices(nodes, () => undefined);
      yield* this.#readAll();
    } else {
      this.#readPrices(nodes, (pod) => pods.add(keyOf(pod)));
      for (const workload of workloads) for (const pod of this.#sources.cluster.podsOf(workload)) pods.add(keyOf(pod));
      if (now >= this.#nextExpiry) this.#nextExpiry = this.#rows.expire(now, pods);
      yield* this.#readPods(pods);
    }
    this.#isRefreshing = false;
    this.#isBuilt = true;
  }

  *#readAll(): Steps {
    const { cluster } = this.#sources;
    const recommendations = new RecommendedRequests(this.#sources);
    let count = 0;
    this.#rows.beginListing();
    for (const pod of cluster.pods()) {
      if (++count % PODS_PER_STEP === 0) yield;
      this.#replace(pod, pod, recommendations);
    }
    for (const pod of this.#rows.notListed()) {
      if (++count % PODS_PER_STEP === 0) yield;
      this.#replace(pod, cluster.findPod(pod.namespace, pod.name), recommendations);
    }
  }

  *#readPods(keys: ReadonlySet<string>): Steps {
    const recommendations = new RecommendedRequests(this.#sources);
    let count = 0;
    for (const key of keys) {
      if (++count % PODS_PER_STEP === 0) yield;
      const slash = key.indexOf('/');
      const pod = { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
      this.#replace(pod, this.#sources.cluster.findPod(pod.namespace, pod.name), recommendations);
    }
  }

  /** Reads the prices of changed nodes. @param repriced called with the pods of those whose price has changed */
  #readPrices(changed: ReadonlySet<string> | typeof ALL, repriced: (pod: PodRecord) => void): void {
    const { cluster, prices } = this.#sources;
    const names = changed === ALL ? [...this.#prices.keys(), ...[...cluster.nodes()].map(({ name }) => name)] : changed;
    for (const name of new Set(names)) {
      const node = cluster.findNode(name);
      const [before, after] = [this.#prices.get(name), node === undefined ? undefined : prices.priceOf(node)];
      if (after === undefined) this.#prices.delete(name);
      else this.#prices.set(name, after);
      if (before?.perCoreHourUsd === after?.perCoreHourUsd && before?.perGiBHourUsd === after?.perGiBHourUsd) continue;
      for (const pod of cluster.podsOnNode(name)) repriced(pod);
    }
  }

  /** @param pod its record; undefined: it was deleted */
  #replace(name: PodName, pod: PodRecord | undefined, recommendations: RecommendedRequests): void {
    const [before, after] = [this.#before, this.#after];
    const from = this.#rows.read(name, before);
    if (pod === undefined) {
      if (from === null) return;
      this.#rows.delete(name);
      this.#add(from, before, -1);
      return;
    }
    const { groups, until } = this.#read(pod, after, recommendations);
    this.#rows.write(pod, after, groups, until);
    this.#nextExpiry = Math.min(this.#nextExpiry, until);
    if (from?.node === groups.node && from.owner === groups.owner) {
      if (subtract(before, after)) this.#add(groups, after, 1);
      return;
    }
    // Added first: a group without pods is removed.
    this.#add(groups, after, 1);
    if (from !== null) this.#add(from, before, -1);
  }

  /** Values and groups of a pod. */
  #read(pod: PodRecord, row: Float64Array, recommendations: RecommendedRequests): { readonly groups: Groups; readonly until: Instant } {
    const { cluster, usage } = this.#sources;
    const { namespace, name, node } = pod;
    const workload = cluster.workloadOf(pod);
    const key = workload === undefined ? null : workloadKey(workload);
    const until = writePodValues(row, pod, {
      template: key === null ? [] : (cluster.findWorkload(key)?.containers ?? []),
      recommendedOf: (container) => recommendations.of(key, container),
      usageOf: (container) => usage.containerUsage(namespace, name, container),
      price: node === null ? null : (this.#prices.get(node) ?? null),
    });
    if (node === null || !isUsingCapacity(pod)) return { groups: NO_GROUPS, until };
    const owner = entryAt(this.#namespaces, namespace, () => new NamespaceSums(namespace)).ownerAt(key);
    return { groups: { node: entryAt(this.#nodes, node, () => new NodeSums(node)), owner }, until };
  }

  #add({ node, owner }: Groups, row: Float64Array, sign: 1 | -1): void {
    this.#total.add(row, sign);
    if (node === null || owner === null) return;
    node.add(row, sign);
    const { namespace } = owner;
    namespace.addOf(owner, row, sign);
    // Nodes and namespaces come and go for ever.
    if (node.isEmpty) this.#nodes.delete(node.name);
    if (namespace.isEmpty) this.#namespaces.delete(namespace.name);
    this.#nodeRevision += 1;
    for (const listener of this.#nodeListeners) listener(node.name);
  }
}

const NO_COSTS: Costs = { costPerMonthUsd: null, usedCostPerMonthUsd: null };

function keyOf({ namespace, name }: PodRecord): string {
  return `${namespace}/${name}`;
}

/** Subtracts a row from another one. @returns whether they differed */
function subtract(before: Float64Array, after: Float64Array): boolean {
  let differs = false;
  for (let column = 0; column < WIDTH; column += 1) {
    const difference = (after[column] ?? 0) - (before[column] ?? 0);
    if (difference !== 0) differs = true;
    after[column] = difference;
  }
  return differs;
}

function entryAt<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = create()));
  return value;
}
