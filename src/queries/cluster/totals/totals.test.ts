import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { workloadKey } from '#kube/records/workload';
import { MINUTE_MS, MiB } from '#kube/units';
import { dashboardWorld } from '../../../../test/builders/dashboard-world.ts';
import { aContainerRecord, aNodeRecord, aPodRecord, aWorkloadRecord, ownedBy } from '../../../../test/builders/records.ts';
import { usageReader } from '../../../cmd/controller/usage/usage-reader.ts';
import { recommendationName } from '../../../core/recommendations/recommendation-name.ts';
import type { RecommendationStatus } from '../../../apis/v1alpha1/index.ts';
import { ClusterState } from '../../../state/cluster-state.ts';
import { UsageModel } from '../../../state/usage/usage-model.ts';
import type { ReadSources } from '../../sources.ts';
import { ClusterTotals } from '../totals.ts';

const START = Date.UTC(2026, 10, 20, 14, 30);
const NAMESPACES = ['pay', 'shop', 'web'];
const NODES = 3;
const WORKLOADS = 4;
const PODS = 8;

type Kind = 'pod' | 'node' | 'workload' | 'recommendation' | 'decision' | 'usage' | 'problem' | 'time';
/** One change: its kind, the object, and a value that varies it; 0 deletes the object. */
type Change = readonly [kind: Kind, index: number, value: number];

const CHANGE: fc.Arbitrary<Change> = fc.tuple(
  fc.constantFrom<Kind>('pod', 'pod', 'usage', 'node', 'workload', 'recommendation', 'decision', 'problem', 'time'),
  fc.nat(PODS - 1),
  fc.nat(7),
);

/** A small cluster with everything that the totals depend on. */
class ChangingCluster {
  readonly #clock = new ManualClock(START);
  readonly #state = new ClusterState();
  readonly #usage: UsageModel;
  readonly #decided = new Map<string, RecommendationStatus>();
  readonly #decisionListeners = new Set<(workload: string) => void>();
  #decisions = 0;
  #problem: string | null = null;
  readonly sources: ReadSources;

  constructor() {
    const world = dashboardWorld(START);
    const clock = this.#clock;
    const state = this.#state;
    this.#usage = new UsageModel({ clock, reader: state, logger: world.logger, metrics: world.metrics, intervalMs: MINUTE_MS });
    const usage = usageReader({
      usage: this.#usage,
      sourceName: () => 'kubelet',
      clock,
      intervalMs: MINUTE_MS,
      problem: () => this.#problem,
    });
    const decisions = {
      ...world.sources.decisions,
      unpublished: (key: string) => this.#decided.get(key),
      changes: {
        revision: () => this.#decisions,
        subscribe: (listener: (workload: string) => void) => {
          this.#decisionListeners.add(listener);
          return () => this.#decisionListeners.delete(listener);
        },
      },
    };
    this.sources = { ...world.sources, clock, cluster: state, usage, decisions };
    for (let index = 0; index < PODS; index += 1) for (const kind of ['node', 'workload', 'pod'] as const) this.apply([kind, index, index]);
  }

  apply([kind, index, value]: Change): void {
    switch (kind) {
      case 'time':
        // Beyond the age of samples at times.
        this.#clock.advance(value === 0 ? 3 * MINUTE_MS : 5_000 * value);
        break;
      case 'problem':
        this.#problem = value === 7 ? 'Prometheus does not respond' : null;
        break;
      case 'node':
        this.#setNode(index % NODES, value);
        break;
      case 'usage':
        this.#read(index % NODES, value);
        break;
      case 'workload':
        this.#setWorkload(index % WORKLOADS, value);
        break;
      case 'recommendation':
        this.#setRecommendation(index % WORKLOADS, value);
        break;
      case 'decision':
        this.#decide(index % WORKLOADS, value);
        break;
      case 'pod':
        this.#setPod(index, value);
    }
  }

  /** Deletes the pods of all other namespaces. */
  deleteOthers(namespace: string): void {
    for (const pod of [...this.#state.pods()]) {
      if (pod.namespace !== namespace) this.#state.apply({ kind: 'pod', key: `${pod.namespace}/${pod.name}`, record: null });
    }
  }

  #setNode(index: number, value: number): void {
    const name = `n-${index}`;
    const record = aNodeRecord({ name, machineType: value % 2 === 0 ? 'e2-standard-4' : 'n2-standard-8', ready: value % 3 !== 0 });
    this.#state.apply({ kind: 'node', key: name, record: value === 0 ? null : record });
  }

  #workload(index: number, value = 0) {
    const requests = { cpuMillicores: 50 * value, memoryBytes: value === 2 ? null : 32.5 * MiB };
    const containers =
      value === 3 ? [] : [{ ...aWorkloadRecord({ kind: 'Deployment', name: 'app' }).containers[0]!, name: 'app', requests }];
    return aWorkloadRecord({ kind: 'Deployment', name: `app-${index}`, namespace: NAMESPACES[index % NAMESPACES.length]!, containers });
  }

  #setWorkload(index: number, value: number): void {
    const record = this.#workload(index, value);
    this.#state.apply({ kind: 'workload', key: workloadKey(record), record: value === 0 ? null : record });
  }

  #status(value: number): RecommendationStatus {
    return { state: 'recommended', containers: [{ name: 'app', recommended: { requests: { cpu: `${value * 30}m`, memory: '100Mi' } } }] };
  }

  #setRecommendation(index: number, value: number): void {
    const { kind, name, namespace } = this.#workload(index);
    const metadata = { name: recommendationName({ kind, name }), namespace, resourceVersion: String(value) };
    const object = { metadata, spec: { targetRef: { apiVersion: 'apps/v1', kind, name } }, status: this.#status(value) };
    const record = value === 0 ? null : { plural: 'recommendations', namespace, name: metadata.name, object };
    this.#state.apply({ kind: 'own', key: `recommendations/${namespace}/${metadata.name}`, record });
  }

  #decide(index: number, value: number): void {
    const key = workloadKey(this.#workload(index));
    if (value === 0) this.#decided.delete(key);
    else this.#decided.set(key, this.#status(value));
    this.#decisions += 1;
    for (const listener of this.#decisionListeners) listener(key);
  }

  #setPod(index: number, value: number): void {
    const workload = this.#workload(index % WORKLOADS);
    const limits = { cpuMillicores: value === 4 ? null : 333.3 * value, memoryBytes: 256 * MiB };
    const record = aPodRecord({
      name: `pod-${index}`,
      namespace: workload.namespace,
      owner: value === 1 ? null : ownedBy(workload),
      node: value === 5 ? null : `n-${(index + value) % NODES}`,
      phase: value === 5 ? 'Pending' : value === 6 ? 'Succeeded' : 'Running',
      schedulable: value !== 5,
      ...(value === 7 ? { overhead: { cpuMillicores: 12.5, memoryBytes: MiB } } : {}),
      containers: [
        aContainerRecord({ name: 'app', limits, requests: { cpuMillicores: 33.3 * value, memoryBytes: value === 2 ? null : 64 * MiB } }),
        aContainerRecord({ name: 'side', limits, requests: { cpuMillicores: null, memoryBytes: 7 * MiB } }),
      ],
    });
    this.#state.apply({ kind: 'pod', key: `${record.namespace}/${record.name}`, record: value === 0 ? null : record });
  }

  #read(node: number, value: number): void {
    const at = this.#clock.now();
    const containers = [...this.#state.podsOnNode(`n-${node}`)].map(({ namespace, name }, index) => {
      return { namespace, pod: name, container: 'app', at, cpuMillicores: 10.7 * ((value + index) % 4), memoryBytes: value * MiB + 0.4 };
    });
    this.#usage.onUsage({ node: `n-${node}`, nodeUsage: null, containers });
  }
}

function valuesOf(totals: ClusterTotals): unknown {
  const nodes = Array.from({ length: NODES }, (_, index) => [totals.ofNode(`n-${index}`), totals.priceOf(`n-${index}`)]);
  const namespaces = NAMESPACES.map((name) => [totals.ofNamespace(name), costsOf(totals, name)]);
  return { total: totals.total, nodes, namespaces, counts: totals.podCounts, over: totals.overRequests, costs: totals.costs() };
}

/** Costs of a namespace and its workloads. */
function costsOf(totals: ClusterTotals, namespace: string): unknown {
  const { costPerMonthUsd, usedCostPerMonthUsd } = totals.costsOf(namespace);
  const workloads = Array.from({ length: WORKLOADS }, (_, index) => totals.costOfWorkload(`${namespace}/Deployment/app-${index}`));
  return { costPerMonthUsd, usedCostPerMonthUsd, workloads };
}

const HISTORY = fc.array(fc.array(CHANGE, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 12 });

test('totals after any changes in any order equal a fresh sum exactly', async () => {
  await fc.assert(
    fc.asyncProperty(HISTORY, fc.boolean(), async (rounds, waits) => {
      const cluster = new ChangingCluster();
      const totals = new ClusterTotals(cluster.sources);
      await totals.update();
      for (const changes of rounds) {
        for (const change of changes) cluster.apply(change);
        if (waits) await totals.update();
        else totals.current();
        expect(valuesOf(totals)).toEqual(valuesOf(new ClusterTotals(cluster.sources).current()));
      }
    }),
    { numRuns: 40 },
  );
});

test('what a namespace and its workloads cost is independent of other namespaces', () => {
  fc.assert(
    fc.property(HISTORY, (rounds) => {
      const cluster = new ChangingCluster();
      for (const change of rounds.flat()) cluster.apply(change);
      const totals = new ClusterTotals(cluster.sources).current();
      const shared = NAMESPACES.map((namespace) => [totals.ofNamespace(namespace), costsOf(totals, namespace)]);
      for (const [index, namespace] of NAMESPACES.entries()) {
        const alone = new ChangingCluster();
        for (const change of rounds.flat()) alone.apply(change);
        alone.deleteOthers(namespace);
        const own = new ClusterTotals(alone.sources).current();
        expect([own.ofNamespace(namespace), costsOf(own, namespace)]).toEqual(shared[index]);
      }
    }),
    { numRuns: 20 },
  );
});

test('callers that wait for an update share the next one', async () => {
  const cluster = new ChangingCluster();
  let refreshes = 0;
  const { usage } = cluster.sources;
  const problem = (): string | null => {
    refreshes += 1;
    return usage.problem();
  };
  const totals = new ClusterTotals({ ...cluster.sources, usage: { ...usage, problem } });
  await Promise.all(Array.from({ length: 100 }, () => totals.update()));
  expect(refreshes).toBe(2);
});

test('an update follows one that failed', async () => {
  const cluster = new ChangingCluster();
  const { usage } = cluster.sources;
  let isBroken = true;
  const problem = (): string | null => {
    if (isBroken) throw new Error('broken');
    return usage.problem();
  };
  const totals = new ClusterTotals({ ...cluster.sources, usage: { ...usage, problem } });
  const [first, second] = [totals.update(), totals.update()];
  isBroken = false;
  await expect(first).rejects.toThrow('broken');
  await expect(second).resolves.toBeUndefined();
});
