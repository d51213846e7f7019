// A large cluster in memory for the benchmark of reads: the real model of the cluster, of usage and of policies behind the read models.
// Everything is derived from indices, so it is the same in every run.

import type { Recommendation } from '../../../src/apis/v1alpha1/index.ts';
import { recommendationName } from '../../../src/core/recommendations/recommendation-name.ts';
import { NO_AUTOSCALER_LEASE } from '../../../src/core/resize/policy/autoscaler-lease.ts';
import { usageReader } from '../../../src/cmd/controller/usage/usage-reader.ts';
import type { ReadSources } from '../../../src/queries/sources.ts';
import { SystemTimer } from '../../../src/runtime/system-clock.ts';
import { ClusterState } from '../../../src/state/cluster-state.ts';
import { DecisionCache } from '../../../src/state/decision-cache.ts';
import { PolicyResolver } from '../../../src/state/policy-resolver.ts';
import { UsageModel } from '../../../src/state/usage/usage-model.ts';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import type { PodRecord } from '#kube/records/pod';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import { DAY_MS, GiB, MINUTE_MS, MiB } from '#kube/units';
import { dashboardWorld, type DashboardWorld } from '../../builders/dashboard-world.ts';
import { aContainerRecord, aNodeRecord, aPodRecord, aWorkloadRecord, ownedBy } from '../../builders/records.ts';

export interface WorldSize {
  readonly nodes: number;
  readonly pods: number;
  readonly workloads: number;
  readonly namespaces: number;
}

const START = Date.UTC(2026, 10, 20, 14, 30);
const STATES = ['recommended', 'optimal', 'awaiting', 'applied', 'collecting', 'optimal', 'optimal'] as const;
const POOLS = ['general', 'memory', 'spot'] as const;

const REQUESTS = { cpuMillicores: 250, memoryBytes: 256 * MiB };
const NO_LIMITS = { cpuMillicores: null, memoryBytes: null };

/** The cluster, and what changes in it while it is read. */
export class LargeWorld {
  readonly clock = new ManualClock(START);
  readonly state = new ClusterState();
  readonly usage: UsageModel;
  readonly world: Omit<DashboardWorld, 'timer'> & { readonly timer: SystemTimer };
  readonly #size: WorldSize;
  readonly #workloads: WorkloadRecord[] = [];
  readonly #pods: PodRecord[] = [];
  readonly #podsByNode: PodRecord[][] = [];
  #changes = 0;

  constructor(size: WorldSize) {
    this.#size = size;
    const base = dashboardWorld(START);
    const { clock, state } = this;
    this.usage = new UsageModel({ clock, reader: state, logger: base.logger, metrics: base.metrics, intervalMs: MINUTE_MS });
    this.#apply();
    const policies = new PolicyResolver({
      cluster: state,
      capabilities: { admission: false, prometheus: false },
      ownNamespace: 'evenkeel-system',
      now: () => clock.now(),
      autoscalerLease: () => NO_AUTOSCALER_LEASE,
    });
    const sources: ReadSources = {
      ...base.sources,
      clock,
      cluster: state,
      usage: usageReader({ usage: this.usage, sourceName: () => 'kubelet', clock, intervalMs: MINUTE_MS, problem: () => null }),
      decisions: new DecisionCache(policies),
    };
    this.world = { ...base, clock, sources, timer: new SystemTimer() };
  }

  /** Path of a workload, as in `/recommendations/{ns}/{name}`. */
  workloadPath(index: number): string {
    const { namespace, name } = this.#workloads[index % this.#workloads.length] ?? { namespace: '', name: '' };
    return `${namespace}/${name}`;
  }

  /** What changes between two reads at 100 reads a second: a pod's status, the usage of a node and its pods, and a Recommendation. */
  change(): void {
    this.#changes += 1;
    this.clock.advance(10);
    this.state.follow(this.#feed());
    const at = (this.#changes * 7919) % this.#pods.length;
    const pod = this.#pods[at];
    if (pod !== undefined) {
      const [container] = pod.containers;
      const containers = container === undefined ? [] : [{ ...container, restarts: container.restarts + 1 }];
      const changed = { ...pod, containers };
      this.#pods[at] = changed;
      this.state.apply({ kind: 'pod', key: `${pod.namespace}/${pod.name}`, record: changed });
    }
    this.#read((this.#changes * 31) % this.#size.nodes);
    this.#recommend((this.#changes * 131) % this.#size.workloads);
  }

  /** Reads the usage of every node, as the source does once a minute. */
  readAllUsage(): void {
    for (let node = 0; node < this.#size.nodes; node += 1) this.#read(node);
  }

  #apply(): void {
    const { state } = this;
    state.follow(this.#feed());
    const { nodes, pods, workloads, namespaces } = this.#size;
    for (let index = 0; index < namespaces; index += 1) {
      const name = namespaceName(index);
      state.apply({ kind: 'namespace', key: name, record: { name, labels: {}, deletionAt: null } });
    }
    state.apply({
      kind: 'own',
      key: 'podresizepolicies/all',
      record: {
        plural: 'podresizepolicies',
        namespace: null,
        name: 'all',
        object: {
          apiVersion: 'evenkeel.io/v1alpha1',
          kind: 'PodResizePolicy',
          metadata: {
            name: 'all',
            uid: 'policy',
            resourceVersion: '1',
            generation: 1,
            creationTimestamp: new Date(START - DAY_MS).toISOString(),
          },
          spec: { mode: 'Auto' },
        },
      },
    });
    for (let index = 0; index < nodes; index += 1) {
      const name = nodeName(index);
      const pool = POOLS[index % POOLS.length] ?? 'general';
      this.#podsByNode.push([]);
      state.apply({
        kind: 'node',
        key: name,
        record: aNodeRecord({
          name,
          createdAt: START - DAY_MS - index * MINUTE_MS,
          pool,
          machineType: 'n2-standard-16',
          zone: `us-central1-${'abc'.charAt(index % 3)}`,
          region: 'us-central1',
          capacityType: pool === 'spot' ? 'spot' : 'on-demand',
          capacity: { cpuMillicores: 16_000, memoryBytes: 64 * GiB },
          allocatable: { cpuMillicores: 15_900, memoryBytes: 60 * GiB },
          labels: { pool, 'kubernetes.io/hostname': name },
          conditions: ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
            type,
            status: type === 'Ready' ? 'True' : 'False',
            reason: 'Kubelet',
            message: 'as reported by the kubelet',
            lastTransitionAt: START - DAY_MS,
          })),
        }),
      });
    }
    for (let index = 0; index < workloads; index += 1) {
      const workload = aWorkloadRecord({
        kind: index % 10 === 0 ? 'StatefulSet' : 'Deployment',
        namespace: namespaceName(index % namespaces),
        name: `app-${String(index).padStart(5, '0')}`,
        labels: { app: `app-${index}`, 'app.kubernetes.io/part-of': `suite-${index % 50}` },
        containers: [{ name: 'app', sidecar: false, image: 'app:1', requests: REQUESTS, limits: NO_LIMITS }],
        replicas: { desired: 8, current: 8, ready: 8 },
      });
      this.#workloads.push(workload);
      state.apply({ kind: 'workload', key: workloadKey(workload), record: workload });
      this.#recommend(index);
    }
    for (let index = 0; index < pods; index += 1) {
      const workload = this.#workloads[index % workloads];
      if (workload === undefined) continue;
      const isPending = index % 1_000 === 999;
      const node = (index * 13) % nodes;
      const pod = aPodRecord({
        name: `${workload.name}-${String((index * 2_654_435_761) % 4_294_967_296).padStart(10, '0')}`,
        namespace: workload.namespace,
        uid: `pod-${index}`,
        labels: workload.labels,
        createdAt: START - DAY_MS,
        node: isPending ? null : nodeName(node),
        phase: isPending ? 'Pending' : 'Running',
        ip: `10.${index % 250}.0.1`,
        owner: ownedBy(workload),
        containers: [aContainerRecord({ requests: REQUESTS, restarts: index % 7 })],
      });
      this.#pods.push(pod);
      if (!isPending) this.#podsByNode[node]?.push(pod);
      state.apply({ kind: 'pod', key: `${pod.namespace}/${pod.name}`, record: pod });
    }
  }

  #feed(): Parameters<ClusterState['follow']>[0] {
    const confirmed = this.clock.now();
    return { isSynced: () => true, confirmedAt: () => confirmed, describeStaleness: () => null, informers: () => [] };
  }

  #read(node: number): void {
    const at = this.clock.now();
    const pods = this.#podsByNode[node] ?? [];
    this.usage.onUsage({
      node: nodeName(node),
      nodeUsage: { node: nodeName(node), at, cpuMillicores: 4_000 + ((node * 17 + at) % 9_000), memoryBytes: (10 + (node % 40)) * GiB },
      containers: pods.map(({ namespace, name }, index) => ({
        namespace,
        pod: name,
        container: 'app',
        at,
        cpuMillicores: 20 + ((index * 37 + node + at) % 200),
        memoryBytes: (64 + ((index + node) % 128)) * MiB,
      })),
    });
  }

  #recommend(index: number): void {
    const workload = this.#workloads[index];
    if (workload === undefined) return;
    const { namespace, kind, name } = workload;
    const now = this.clock.now();
    const object: Recommendation = {
      apiVersion: 'evenkeel.io/v1alpha1',
      kind: 'Recommendation',
      metadata: { name: recommendationName(workload), namespace, uid: `rec-${index}`, resourceVersion: String(now), generation: 1 },
      spec: { targetRef: { apiVersion: 'apps/v1', kind, name }, policyRef: { name: 'all' } },
      status: {
        state: STATES[(index + this.#changes) % STATES.length] ?? 'optimal',
        confidence: 0.9,
        risk: 'low',
        savingsPerMonthUsd: ((index * 7) % 1_000) / 10,
        updatedAt: new Date(now).toISOString(),
        source: 'kubelet',
        containers: [
          {
            name: 'app',
            current: { requests: { cpu: '250m', memory: '256Mi' } },
            recommended: { requests: { cpu: '120m', memory: '160Mi' }, limits: { memory: '200Mi' } },
            lowerBound: { cpu: '80m', memory: '128Mi' },
            upperBound: { cpu: '300m', memory: '320Mi' },
            usage: {
              p50: { cpu: '40m', memory: '90Mi' },
              p95: { cpu: '90m', memory: '120Mi' },
              p99: { cpu: '100m', memory: '128Mi' },
              max: { cpu: '140m', memory: '130Mi' },
            },
            oomKills: 0,
            throttledRatio: 0.001,
            confidence: 0.9,
          },
        ],
      },
    };
    const record = {
      plural: 'recommendations',
      namespace,
      name: object.metadata.name,
      object: object as unknown as Record<string, unknown>,
    };
    this.state.apply({ kind: 'own', key: `recommendations/${namespace}/${object.metadata.name}`, record });
  }
}

function namespaceName(index: number): string {
  return `team-${String(index).padStart(3, '0')}`;
}

function nodeName(index: number): string {
  return `node-${String(index).padStart(5, '0')}`;
}
