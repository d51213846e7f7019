import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { dashboardWorld } from '../../../test/builders/dashboard-world.ts';
import { aContainerRecord, aNodeRecord, aPodRecord, aWorkloadRecord, ownedBy } from '../../../test/builders/records.ts';
import { aScope } from '../../../test/builders/tenants/scopes.ts';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { workloadKey } from '#kube/records/workload';
import { GiB, MINUTE_MS, MiB } from '#kube/units';
import type { Recommendation } from '../../apis/v1alpha1/index.ts';
import { usageReader } from '../../cmd/controller/usage/usage-reader.ts';
import { EVERYONE_IS_ADMIN } from '../../core/access/scope.ts';
import { recommendationName } from '../../core/recommendations/recommendation-name.ts';
import { ClusterState } from '../../state/cluster-state.ts';
import { UsageModel } from '../../state/usage/usage-model.ts';
import type { Page } from '../outcome.ts';
import { createReadModels, type ReadModels } from '../read-models.ts';
import type { ReadSources } from '../sources.ts';

const START = Date.UTC(2026, 10, 20, 14, 30);
const NAMESPACES = ['pay', 'shop', 'web'];
const NODES = 3;
const WORKLOADS = 5;
const PODS = 12;
const STATES = ['recommended', 'optimal', 'awaiting'] as const;

/** One step of a history: which kind of object changes, which one, and a value that varies it. */
type Step = readonly [kind: 'pod' | 'node' | 'workload' | 'recommendation' | 'namespace' | 'usage' | 'time', index: number, value: number];

const STEP: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom('pod', 'pod', 'usage', 'usage', 'node', 'workload', 'recommendation', 'namespace', 'time'),
  fc.nat(PODS - 1),
  fc.nat(7),
);

/** A small cluster in the real models, to which steps are applied. */
class ChangingCluster {
  readonly clock = new ManualClock(START);
  readonly state = new ClusterState();
  readonly usage: UsageModel;
  readonly sources: ReadSources;

  constructor() {
    const { clock, state } = this;
    const world = dashboardWorld(START);
    state.follow({ isSynced: () => true, confirmedAt: () => START, describeStaleness: () => null, informers: () => [] });
    this.usage = new UsageModel({ clock, reader: state, logger: world.logger, metrics: world.metrics, intervalMs: MINUTE_MS });
    const usage = usageReader({ usage: this.usage, sourceName: () => 'kubelet', clock, intervalMs: MINUTE_MS, problem: () => null });
    const changes = { revision: () => 0, subscribe: () => () => undefined };
    this.sources = { ...world.sources, clock, cluster: state, usage, decisions: { ...world.sources.decisions, changes } };
    for (const namespace of NAMESPACES) this.#setNamespace(namespace, true);
    for (let index = 0; index < PODS; index += 1) for (const kind of ['node', 'workload', 'pod'] as const) this.apply([kind, index, index]);
  }

  apply([kind, index, value]: Step): void {
    const isPresent = value > 0;
    switch (kind) {
      case 'time':
        // At times beyond the age of samples.
        this.clock.advance(value === 0 ? 3 * MINUTE_MS : 2_000 * value);
        break;
      case 'namespace':
        this.#setNamespace(NAMESPACES[index % NAMESPACES.length] ?? '', isPresent);
        break;
      case 'node':
        this.#setNode(index % NODES, isPresent, value);
        break;
      case 'usage':
        this.#read(index % NODES, value);
        break;
      case 'workload':
        this.#setWorkload(index % WORKLOADS, isPresent, value);
        break;
      case 'recommendation':
        this.#setRecommendation(index % WORKLOADS, isPresent, value);
        break;
      case 'pod':
        this.#setPod(index, isPresent, value);
    }
  }

  #setNamespace(name: string, isPresent: boolean): void {
    this.state.apply({ kind: 'namespace', key: name, record: isPresent ? { name, labels: {}, deletionAt: null } : null });
  }

  #setNode(index: number, isPresent: boolean, value: number): void {
    const record = aNodeRecord({
      name: `n-${index}`,
      pool: value % 2 === 0 ? 'spot' : 'general',
      capacityType: value % 2 === 0 ? 'spot' : 'on-demand',
      ready: value % 3 !== 0,
      createdAt: START - 14 * MINUTE_MS,
    });
    this.state.apply({ kind: 'node', key: record.name, record: isPresent ? record : null });
  }

  #workload(index: number, value = 0) {
    return aWorkloadRecord({
      kind: 'Deployment',
      name: `app-${index}`,
      namespace: NAMESPACES[index % NAMESPACES.length] ?? '',
      labels: { app: `app-${index}`, 'app.kubernetes.io/part-of': `suite-${value % 2}` },
      annotations: value % 3 === 1 ? { 'evenkeel.io/floor': '{"*":{"cpu":"100m"}}' } : {},
    });
  }

  #setWorkload(index: number, isPresent: boolean, value: number): void {
    const record = this.#workload(index, value);
    this.state.apply({ kind: 'workload', key: workloadKey(record), record: isPresent ? record : null });
  }

  #setRecommendation(index: number, isPresent: boolean, value: number): void {
    const { kind, name, namespace } = this.#workload(index);
    const object: Recommendation = {
      apiVersion: 'evenkeel.io/v1alpha1',
      kind: 'Recommendation',
      metadata: { name: recommendationName({ kind, name }), namespace, uid: `rec-${index}`, resourceVersion: String(value) },
      spec: { targetRef: { apiVersion: 'apps/v1', kind, name } },
      status: {
        state: STATES[value % STATES.length] ?? 'optimal',
        savingsPerMonthUsd: value * 1.37,
        ...(value === 2 ? { waitingForNodeCapacity: { pods: 2, since: new Date(START).toISOString(), requests: {} } } : {}),
      },
    };
    const record = {
      plural: 'recommendations',
      namespace,
      name: object.metadata.name,
      object: object as unknown as Readonly<Record<string, unknown>>,
    };
    this.state.apply({ kind: 'own', key: `recommendations/${namespace}/${record.name}`, record: isPresent ? record : null });
  }

  #setPod(index: number, isPresent: boolean, value: number): void {
    const workload = this.#workload(index % WORKLOADS);
    const isKilled = value === 3;
    const record = aPodRecord({
      name: `pod-${index}`,
      namespace: workload.namespace,
      owner: ownedBy(workload),
      node: value === 5 ? null : `n-${index % NODES}`,
      phase: value === 5 ? 'Pending' : value === 6 ? 'Succeeded' : 'Running',
      schedulable: value !== 5,
      containers: [
        aContainerRecord({
          restarts: value % 3,
          requests: { cpuMillicores: 100 * value, memoryBytes: 64 * MiB },
          lastTermination: isKilled ? { reason: 'OOMKilled', exitCode: 137, finishedAt: this.clock.now() - 58 * MINUTE_MS } : null,
        }),
      ],
    });
    this.state.apply({ kind: 'pod', key: `${record.namespace}/${record.name}`, record: isPresent ? record : null });
  }

  #read(node: number, value: number): void {
    const at = this.clock.now();
    const containers = [...this.state.podsOnNode(`n-${node}`)].map(({ namespace, name }, index) => {
      return { namespace, pod: name, container: 'app', at, cpuMillicores: 10 * ((value + index) % 4), memoryBytes: value * MiB };
    });
    const nodeUsage = value === 0 ? null : { node: `n-${node}`, at, cpuMillicores: 100 * value, memoryBytes: GiB };
    this.usage.onUsage({ node: `n-${node}`, nodeUsage, containers });
  }
}

const SCOPES = [EVERYONE_IS_ADMIN, aScope('viewer', ['pay']), aScope('viewer', ['shop', 'web'])];
const PAGE = { limit: 3, format: 'json' } as const;

/** All lists in several orders, with filters, for each scope; each in full, by pages. */
async function answersOf(models: ReadModels): Promise<readonly unknown[]> {
  const answers: unknown[] = [models.cluster.get()];
  const read = async (list: (cursor: { readonly cursor?: string }) => Promise<unknown> | object): Promise<void> => {
    let cursor: { readonly cursor?: string } = {};
    for (;;) {
      const { items, total, nextCursor, summary } = (await list(cursor)) as Page<unknown, unknown>;
      answers.push({ items, total, nextCursor, summary });
      if (nextCursor === null) return;
      cursor = { cursor: nextCursor };
    }
  };
  for (const scope of SCOPES) {
    for (const sort of ['namespace', '-restarts', '-used.cpuMillicores', 'workload.name'] as const) {
      await read((cursor) => models.pods.list(scope, { ...PAGE, ...cursor, sort }));
    }
    await read((cursor) => models.pods.list(scope, { ...PAGE, ...cursor, sort: 'name', phase: ['Pending'] }));
    await read((cursor) => models.pods.list(scope, { ...PAGE, ...cursor, sort: 'name', q: '-1' }));
    for (const sort of ['name', '-used.cpuMillicores', 'health'] as const) {
      await read((cursor) => models.namespaces.list(scope, { ...PAGE, ...cursor, sort }));
    }
    for (const sort of ['-savingsPerMonthUsd', 'name'] as const) {
      await read((cursor) => models.recommendations.list(scope, { ...PAGE, ...cursor, sort }));
    }
    await read((cursor) => models.resourceAudit.list(scope, { ...PAGE, ...cursor, sort: 'drift' }));
    await read((cursor) => models.resourceAudit.list(scope, { ...PAGE, ...cursor, sort: 'workload.namespace', drift: ['none', 'manual'] }));
    await read((cursor) => models.overrides.list(scope, { ...PAGE, ...cursor, sort: 'name' }));
    await read((cursor) => models.limitExceptions.list(scope, { ...PAGE, ...cursor, sort: 'name' }));
  }
  for (const sort of ['name', '-used.cpuMillicores', 'phase', '-requested.cpuMillicores', 'pods.count'] as const) {
    await read((cursor) => models.nodes.list(EVERYONE_IS_ADMIN, { ...PAGE, ...cursor, sort }));
  }
  await read((cursor) => models.nodes.list(EVERYONE_IS_ADMIN, { ...PAGE, ...cursor, sort: 'name', phase: ['bootstrapping'] }));
  return answers;
}

describe('kept lists', () => {
  test('answer as lists that are computed anew, after any changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(STEP, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 }), async (rounds) => {
        const cluster = new ChangingCluster();
        const kept = createReadModels(cluster.sources);
        await answersOf(kept);
        for (const steps of rounds) {
          for (const step of steps) cluster.apply(step);
          // Counts of budgets are of the last second, and recommendations of the last minute.
          cluster.clock.advance(1_100);
          kept.recommendations.clear();
          expect(await answersOf(kept)).toEqual(await answersOf(createReadModels(cluster.sources)));
        }
      }),
      { numRuns: 10 },
    );
  });
});
