// The cluster of a small shop for tests of queries, commands and the server, and for the dashboard preview: six nodes, a dozen workloads,
// recommendations in every state, and a week of history. Everything is derived from indices, so it is the same in every run.

import { WORKLOAD_ANNOTATIONS } from '../../src/apis/annotations.ts';
import type { ResizeMode } from '../../src/apis/conditions.ts';
import type { PodResizePolicy, Recommendation, RecommendationStatus } from '../../src/apis/v1alpha1/index.ts';
import type { NodeRecord } from '#kube/records/node';
import type { PodRecord } from '#kube/records/pod';
import { formatCpu, formatMemory } from '#kube/quantity';
import { DAY_MS, GiB, HOUR_MS, MINUTE_MS, MiB, type Instant } from '#kube/units';
import type { WorkloadRecord } from '#kube/records/workload';
import type { EventSpec } from '../../src/ports/cluster/event-recorder.ts';
import type { NodePrice } from '../../src/ports/price-source.ts';
import type { ReadSources } from '../../src/queries/sources.ts';
import { CountingMetrics } from '../fakes/counting-metrics.ts';
import { FakeClusterReader } from '../fakes/fake-cluster-reader.ts';
import { FakeHistory } from '../fakes/fake-history.ts';
import { FakeRecordWriter } from '../fakes/fake-record-writer.ts';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { entriesUntil, cyclesUntil, dayOfUsage, weekOfCluster } from './shop/shop-history.ts';
import { MACHINES, SHOP, amounts, appliedAt, type ShopRow } from './shop/shop-rows.ts';
import { aContainerRecord, aNodeRecord, aPodRecord, aWorkloadRecord } from './records.ts';

/** State and dependencies of a dashboard, which a test may change. */
export interface DashboardWorld {
  readonly clock: ManualClock;
  readonly timer: ManualClock;
  readonly cluster: FakeClusterReader;
  readonly history: FakeHistory;
  readonly records: FakeRecordWriter;
  readonly events: EventSpec[];
  readonly logger: RecordingLogger;
  readonly metrics: CountingMetrics;
  readonly sources: ReadSources;
  usageConfirmedAt: Instant | null;
  mode: 'active' | 'dry-run' | 'paused';
}

/** Builds the cluster of the shop at a time. */
export function dashboardWorld(start: Instant = Date.UTC(2026, 10, 20, 14, 30)): DashboardWorld {
  const clock = new ManualClock(start);
  const cluster = new FakeClusterReader();
  cluster.confirmed = start;
  cluster.nodeList = Array.from({ length: 6 }, (_, index) => shopNode(index, start));
  cluster.workloadList = SHOP.map(shopWorkload);
  cluster.namespaceList = [...new Set(SHOP.map((row) => row.namespace)), 'kube-system'].map((name) => ({
    name,
    labels: {},
    deletionAt: null,
  }));
  cluster.podList = SHOP.flatMap((row, index) => shopPods(row, index, start)).map((pod, index) => ({ ...pod, node: `n-${index % 6}` }));
  cluster.recommendationList = SHOP.filter((row) => row.state !== 'excluded').map((row) => shopRecommendation(row, start));
  cluster.policyList = [shopPolicy(start)];
  const history = new FakeHistory();
  history.clusterPoints = weekOfCluster(start);
  history.usagePoints = SHOP.flatMap((row) => dayOfUsage(row, start));
  history.cycleList = cyclesUntil(start);
  history.entries = entriesUntil(start);
  const logger = new RecordingLogger();
  const world: DashboardWorld = {
    clock,
    timer: new ManualClock(0),
    cluster,
    history,
    records: new FakeRecordWriter(cluster),
    events: [],
    logger,
    metrics: new CountingMetrics(),
    usageConfirmedAt: start,
    mode: 'active',
    sources: {
      clock,
      cluster,
      identity: { name: 'harbor', version: '0.1.0', kubernetesVersion: () => 'v1.36.0' },
      usage: {
        changes: cluster.derivedChanges,
        source: () => 'kubelet',
        confirmedAt: () => world.usageConfirmedAt,
        problem: () => null,
        containerUsage: (namespace, pod) => usageOfPod(cluster.findPod(namespace, pod)),
        nodeUsage: () => null,
        nodeHistory: () => [],
        workloadHistory: () => [],
        volumes: () => [],
      },
      decisions: {
        changes: cluster.derivedChanges,
        governance: (workload) => ({ policy: 'shop', mode: modeOf(workload), dryRun: cluster.policyList[0]?.spec.dryRun === true }),
        isDryRun: ({ spec }) => spec.dryRun === true,
        wideningOverrides: () => [],
        unpublished: () => undefined,
        evidence: () => undefined,
        rules: () => [{ name: 'goal', value: 'Balanced', source: 'policy' }],
      },
      prices: { priceOf: shopPrice },
      cycleLog: history,
      rollups: history,
      timeline: history,
      accessEvents: history.accessEventSource,
      missingPermissions: () => [],
      health: [
        { name: 'api-server', status: () => ({ status: 'ok', message: 'answers', since: start - DAY_MS, latencyMs: 3 }) },
        {
          name: 'usage-source',
          status: () => ({
            status: 'degraded',
            message: 'node n-5 does not answer',
            publicMessage: 'one node does not answer',
            since: start,
            latencyMs: null,
          }),
        },
      ],
      mode: {
        mode: () => ({
          mode: world.mode,
          pause: world.mode === 'paused' ? { reason: 'investigating an incident', until: null } : null,
          dryRun: { controller: world.mode === 'dry-run', autoscaler: false },
          leader: 'evenkeel-0',
          features: { idleWorkloads: true },
          auth: { enabled: false, providers: [] },
          warnings: [],
        }),
      },
      events: { about: () => [{ at: start - HOUR_MS, type: 'Normal', reason: 'NodeReady', message: 'Node is ready', count: 1 }] },
      access: null,
      policyDefaults: {
        defaultsOf: () => ({ mode: { value: 'Recommend', source: 'default' }, cooldown: { value: '1h', source: 'default' } }),
      },
      logger,
    },
  };
  return world;
}

function modeOf(workload: WorkloadRecord): ResizeMode {
  const override = workload.annotations[WORKLOAD_ANNOTATIONS.mode];
  if (override !== undefined) return override as ResizeMode;
  const row = SHOP.find(({ name }) => name === workload.name);
  if (row?.state === 'excluded') return 'Off';
  return row?.reason === 'approval' ? 'Approve' : row?.state === 'recommended' ? 'Recommend' : 'Auto';
}

function shopNode(index: number, start: Instant): NodeRecord {
  const machine = MACHINES[index % 2] ?? MACHINES[0];
  const spot = index >= 4;
  return aNodeRecord({
    name: `n-${index}`,
    createdAt: start - 30 * DAY_MS,
    machineType: machine.machineType,
    zone: `us-central1-${'abc'.charAt(index % 3)}`,
    region: 'us-central1',
    pool: spot ? 'spot' : 'general',
    providerId: `gce://harbor/us-central1-a/n-${index}`,
    capacityType: spot ? 'spot' : 'on-demand',
    labels: { 'kubernetes.io/hostname': `n-${index}` },
    conditions: [
      { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is ready', lastTransitionAt: start - 30 * DAY_MS },
    ],
    capacity: { cpuMillicores: machine.cores * 1000, memoryBytes: machine.gib * GiB },
    allocatable: { cpuMillicores: machine.cores * 1000 - 80, memoryBytes: Math.round(machine.gib * 0.84 * GiB) },
  });
}

function shopPrice({
  machineType,
  capacityType,
}: {
  readonly machineType: string | null;
  readonly capacityType: 'spot' | 'on-demand';
}): NodePrice {
  const machine = MACHINES.find((candidate) => candidate.machineType === machineType) ?? MACHINES[0];
  const perHourUsd = capacityType === 'spot' ? machine.spot : machine.onDemand;
  // CPU is seven tenths of the price and memory three, close to the ratio of the clouds' separate prices.
  return {
    perHourUsd,
    perCoreHourUsd: (perHourUsd * 0.7) / machine.cores,
    perGiBHourUsd: (perHourUsd * 0.3) / machine.gib,
    source: 'list price, us-central1, 2026-08-06',
    estimate: false,
  };
}

function shopWorkload(row: ShopRow): WorkloadRecord {
  return aWorkloadRecord({
    namespace: row.namespace,
    kind: row.kind,
    name: row.name,
    uid: `uid-${row.name}`,
    labels: { app: row.name, 'app.kubernetes.io/part-of': `${row.namespace}-suite` },
    containers: [{ name: 'app', sidecar: false, image: `${row.name}:1`, requests: amounts(row.before ?? row.asks), limits: limitsOf(row) }],
    replicas: { desired: row.replicas, current: row.replicas, ready: row.replicas },
  });
}

function shopPods(row: ShopRow, rowIndex: number, start: Instant): readonly PodRecord[] {
  return Array.from({ length: row.replicas }, (_, replica) =>
    aPodRecord({
      name: `${row.name}-${replica}`,
      namespace: row.namespace,
      uid: `uid-${row.name}-${replica}`,
      labels: { workload: row.name },
      createdAt: start - 3 * DAY_MS,
      ip: `10.0.${rowIndex}.${replica + 1}`,
      containers: [aContainerRecord({ requests: amounts(row.asks), limits: limitsOf(row), startedAt: start - 3 * DAY_MS })],
    }),
  );
}

function shopRecommendation(row: ShopRow, start: Instant): Recommendation {
  const target = row.should ?? row.asks;
  const hasTarget = row.should !== null;
  const p95: [number, number] = [Math.round(row.uses[0] * 1.3), Math.round(row.uses[1] * 1.05)];
  return {
    apiVersion: 'evenkeel.io/v1alpha1',
    kind: 'Recommendation',
    metadata: { name: `${row.kind.toLowerCase()}-${row.name}`, namespace: row.namespace, uid: `rec-${row.name}`, resourceVersion: '1' },
    spec: { targetRef: { apiVersion: 'apps/v1', kind: row.kind, name: row.name }, policyRef: { name: 'shop' } },
    status: {
      state: row.state,
      ...(row.reason === undefined ? {} : { reason: row.reason }),
      ...(row.reason === 'cooldown' ? { until: new Date(start + 20 * MINUTE_MS).toISOString() } : {}),
      confidence: hasTarget ? 0.94 : 0.2,
      risk: hasTarget ? (target[0] > row.asks[0] ? 'high' : 'low') : 'none',
      ...(hasTarget ? { savingsPerMonthUsd: savingsOf(row.asks, target, row.replicas) } : {}),
      updatedAt: new Date(start - 10 * MINUTE_MS).toISOString(),
      source: 'kubelet',
      containers: [
        {
          name: 'app',
          current: { requests: quantities(row.asks), limits: { memory: formatMemory(limitsOf(row).memoryBytes) } },
          ...(hasTarget ? { recommended: { requests: quantities(target), limits: { memory: formatMemory(target[1] * 1.25 * MiB) } } } : {}),
          ...(hasTarget ? { lowerBound: quantities([p95[0], p95[1]]), upperBound: quantities([target[0] + 100, target[1] + 128]) } : {}),
          usage: { p50: quantities(row.uses), p95: quantities(p95), p99: quantities(p95), max: quantities([p95[0] + 40, p95[1] + 24]) },
          oomKills: row.name === 'risk-score' ? 2 : 0,
          throttledRatio: 0.002,
          confidence: 0.94,
        },
      ],
      ...(hasTarget ? { inputs: inputSteps(target, p95) } : {}),
      ...(row.before === undefined
        ? {}
        : {
            lastApplied: { at: appliedAt(row, start), by: 'evenkeel', pods: row.replicas },
            previous: { at: appliedAt(row, start), containers: [{ name: 'app', requests: quantities(row.before) }] },
          }),
    },
  };
}

function inputSteps(target: readonly [number, number], p95: readonly [number, number]): NonNullable<RecommendationStatus['inputs']> {
  return [
    {
      container: 'app',
      resource: 'cpu',
      step: 'usage',
      detail: '95 % of the samples of 14 days stay below',
      value: p95[0],
      unit: 'millicores',
    },
    {
      container: 'app',
      resource: 'cpu',
      step: 'margin',
      detail: 'margin × 1.15, policy shop',
      value: Math.round(p95[0] * 1.15),
      unit: 'millicores',
    },
    { container: 'app', resource: 'cpu', step: 'rounding', detail: 'rounded up to 10m', value: target[0], unit: 'millicores' },
    { container: 'app', resource: 'memory', step: 'usage', detail: 'peak of 14 days', value: p95[1] * MiB, unit: 'bytes' },
    { container: 'app', resource: 'memory', step: 'rounding', detail: 'rounded up to 32 MiB', value: target[1] * MiB, unit: 'bytes' },
  ];
}

function shopPolicy(start: Instant): PodResizePolicy {
  return {
    apiVersion: 'evenkeel.io/v1alpha1',
    kind: 'PodResizePolicy',
    metadata: {
      name: 'shop',
      uid: 'policy-shop',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: new Date(start - 5 * DAY_MS).toISOString(),
    },
    spec: { mode: 'Auto', cooldown: '1h', goal: 'Balanced' },
    status: {
      lastCycle: {
        id: 'cycle-1',
        startedAt: new Date(start - 5 * MINUTE_MS).toISOString(),
        finishedAt: new Date(start - 5 * MINUTE_MS + 800).toISOString(),
        trigger: 'interval',
      },
      savings: { potentialPerMonthUsd: 118.4, reclaimedPerMonthUsd: 64.2, realisedPerMonthUsd: 0 },
    },
  };
}

function usageOfPod(pod: PodRecord | undefined): { cpuMillicores: number; memoryBytes: number } | null {
  const row = SHOP.find(({ name }) => name === pod?.labels['workload']);
  return row === undefined ? null : { cpuMillicores: row.uses[0], memoryBytes: row.uses[1] * MiB };
}

function savingsOf(from: readonly [number, number], to: readonly [number, number], replicas: number): number {
  const perReplica = ((from[0] - to[0]) / 1000) * 21.6 + ((from[1] - to[1]) / 1024) * 2.31;
  return Math.round(perReplica * replicas * 100) / 100;
}

function limitsOf(row: ShopRow): { cpuMillicores: null; memoryBytes: number } {
  return { cpuMillicores: null, memoryBytes: Math.round(Math.max(row.asks[1], row.should?.[1] ?? 0) * 1.25) * MiB };
}

function quantities([cpu, memoryMiB]: readonly [number, number]): { cpu: string; memory: string } {
  return { cpu: formatCpu(cpu), memory: formatMemory(Math.round(memoryMiB) * MiB) };
}
