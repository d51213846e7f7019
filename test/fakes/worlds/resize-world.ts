// Environment of the right-sizing controllers: a cluster of plain records, writers that change it as the API server and kubelets would, and
// both reconcilers with their queues. A test advances the clock.

import type {
  PodResizePolicy,
  PodResizePolicySpec,
  Recommendation,
  RecommendationSpec,
  RecommendationStatus,
} from '../../../src/apis/v1alpha1/index.ts';
import type { ContainerDemand } from '../../../src/core/resize/model/evidence/demand.ts';
import { PodResizePolicyReconciler, NO_POLICY } from '../../../src/controllers/podresizepolicy/reconciler.ts';
import { RecommendationReconciler } from '../../../src/controllers/recommendation/reconciler.ts';
import type { HpaRecord, LimitRangeRecord } from '../../../src/core/model/cluster-records.ts';
import type { Activity } from '../../../src/core/resize/model/evidence/idle-tracker.ts';
import type { PodRecord } from '#kube/records/pod';
import { MINUTE_MS, type Instant } from '#kube/units';
import type { ContainerReadings } from '#kube/records/usage';
import { workloadKey, workloadPath, type WorkloadKey, type WorkloadRecord } from '#kube/records/workload';
import { NO_AUTOSCALER_LEASE, type AutoscalerLease } from '../../../src/core/resize/policy/autoscaler-lease.ts';
import type { ContainerAdvice, RecommenderRules } from '../../../src/core/recommender/advice.ts';
import type { EventSpec } from '../../../src/ports/cluster/event-recorder.ts';
import type { ResizeCycle } from '../../../src/ports/store/resize-cycle-log.ts';
import type { TimelineEntry } from '../../../src/ports/store/timeline.ts';
import type { HpaPatch, PodEviction, PodResize, WorkloadRestart, WorkloadScale } from '../../../src/core/effects/effect.ts';
import type { EffectWriter, OwnObject, RecordWriter, WriteOutcome } from '../../../src/ports/cluster/writers.ts';
import { EffectGate } from '../../../src/runtime/effects/effect-gate.ts';
import type { ReconcileResult } from '../../../src/runtime/reconciler.ts';
import { DecisionCache } from '../../../src/state/decision-cache.ts';
import { PolicyResolver } from '../../../src/state/policy-resolver.ts';
import { ResizeCycles } from '../../../src/state/resize-cycles.ts';
import { aLargeNode, aWorkloadRecord, pods as podsOf, T0 } from '../../builders/rightsizing.ts';
import { CountingMetrics } from '../counting-metrics.ts';
import { FakeClusterReader } from '../fake-cluster-reader.ts';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { patchedHpa } from '../patched-hpa.ts';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { TEST_SIGNER } from '../test-signer.ts';

/** The fake reader with LimitRanges. */
class ResizeCluster extends FakeClusterReader {
  limitRangeList: LimitRangeRecord[] = [];

  override limitRangesIn(): readonly never[] {
    return this.limitRangeList as never[];
  }
}

export interface ResizeWorldOptions {
  readonly admission?: boolean;
  readonly dryRun?: boolean;
  readonly warmUpMs?: number;
  readonly prometheus?: boolean;
}

/** Starts with one workload `shop/Deployment/web` of three pods with 500m and 512Mi on node n1. */
export class ResizeWorld {
  readonly clock = new ManualClock(T0);
  readonly cluster = new ResizeCluster();
  readonly advice = new Map<WorkloadKey, readonly ContainerAdvice[]>();
  /** Result of the policy's error-rate query. */
  errorRate: number | null = null;
  readonly events: EventSpec[] = [];
  readonly applied: TimelineEntry[] = [];
  readonly cycleRecords: ResizeCycle[] = [];
  readonly metrics = new CountingMetrics();
  readonly log = new RecordingLogger();
  readonly annotations = new Map<string, Readonly<Record<string, string | null>>>();
  /** Outcome of a resize that the API server refuses; null: it is carried out. */
  refuse: (resize: PodResize) => WriteOutcome | null = () => null;
  /** Number of writes of any kind after which the process crashes. */
  diesAfterWrites = Number.POSITIVE_INFINITY;
  statusWrites = 0;
  /** Names of pods that were evicted. */
  readonly evicted: string[] = [];
  /** Paths of workloads whose pods were restarted by their template. */
  readonly restarted: string[] = [];
  /** Message of a disruption budget that refuses evictions; null: they are allowed. */
  budget: string | null = null;
  onEvicted: (uid: string) => void = () => undefined;
  /** Called with each write before it is carried out. */
  onWrite: (write: 'effect' | 'apply' | 'status' | 'delete' | 'annotate') => void = () => undefined;
  /** Number of writes of any kind so far. */
  writes = 0;
  /** Outcome of an HPA patch that the API server refuses; null: it is carried out. */
  refuseHpa: () => WriteOutcome | null = () => null;
  /** Usage of the containers of every workload in the last minutes. */
  demand: (now: Instant) => readonly ContainerDemand[] = (now) => [{ container: 'main', windows: [], throttlingMeasuredAt: now }];
  readings: (pod: PodRecord) => readonly ContainerReadings[] = () => [];
  leader = true;
  inPlace = true;
  pause: { readonly reason: string; readonly until: number | null } | null = null;
  usageConfirmedAt: (() => number) | null = null;
  readonly unreadNodes = new Set<string>();
  /** Names of pods without usage from their node. */
  readonly silentPods = new Set<string>();
  /** CPU usage, in millicores, of nodes that measure no pressure; null: unmeasured. */
  readonly cpuOfNodesWithoutPressure = new Map<string, number | null>();
  /** Activity of workloads in the idle tracker; a workload that is not set is not tracked. */
  readonly activity = new Map<WorkloadKey, Activity>();
  idleWorkloads = true;
  /** Messages about pods whose owners are of kinds that Evenkeel may not read. */
  unpermittedKinds: readonly string[] = [];
  /** The lease as it was read last; `setAutoscalerLease` reports a change as the reader does. */
  autoscalerLease: AutoscalerLease = NO_AUTOSCALER_LEASE;
  /** Called with the rules of each request for advice. */
  onAdvise: (workload: WorkloadKey, rules: ReadonlyMap<string, RecommenderRules>) => void = () => undefined;
  gate!: EffectGate;
  cycles!: ResizeCycles;
  decisions!: DecisionCache;
  recommendations!: RecommendationReconciler;
  policies!: PodResizePolicyReconciler;
  readonly #options: ResizeWorldOptions;
  readonly #due = new Map<string, number>();
  #made = 0;
  #version = 0;

  constructor(options: ResizeWorldOptions = {}) {
    this.#options = options;
    this.cluster.nodeList = [aLargeNode('n1')];
    this.cluster.namespaceList = [{ name: 'shop', labels: {}, deletionAt: null }];
    this.addWorkload(aWorkloadRecord(), podsOf(3));
    this.start();
  }

  /** Starts a new process, with nothing in memory. */
  start(): void {
    const { clock, cluster, metrics } = this;
    this.#due.clear();
    this.diesAfterWrites = Number.POSITIVE_INFINITY;
    const capabilities = { admission: this.#options.admission ?? false, prometheus: this.#options.prometheus ?? false };
    const policies = new PolicyResolver({
      cluster,
      capabilities,
      ownNamespace: 'evenkeel-system',
      now: () => clock.now(),
      autoscalerLease: () => this.autoscalerLease,
    });
    this.cycles = new ResizeCycles();
    this.decisions = new DecisionCache(policies);
    this.gate = new EffectGate({
      effects: this.#effects(false),
      dryRunEffects: this.#effects(true),
      clock,
      logger: this.log,
      metrics,
      dryRun: this.#options.dryRun ?? false,
      isLeader: () => this.leader,
      activePause: () => this.pause,
      sources: [
        { name: 'informers', periodMs: MINUTE_MS, confirmedAt: () => clock.now() },
        { name: 'usage', periodMs: MINUTE_MS, confirmedAt: () => this.usageConfirmedAt?.() ?? clock.now() },
      ],
      warmUpMs: this.#options.warmUpMs ?? 0,
    });
    const shared = {
      clock,
      cluster,
      policies,
      decisions: this.decisions,
      cycles: this.cycles,
      metrics,
      records: this.records,
      signer: TEST_SIGNER,
    };
    this.recommendations = new RecommendationReconciler({
      ...shared,
      errorRates: { query: async () => this.errorRate },
      advice: { advise: async (key, _, rules) => (this.onAdvise(key, rules), this.advice.get(key) ?? []) },
      usageSource: () => 'kubelet',
      isUnread: ({ node, name }) => this.unreadNodes.has(node ?? '') || this.silentPods.has(name),
      isPressureMeasured: (node) => !this.cpuOfNodesWithoutPressure.has(node),
      cpuUsedByNode: (node) => this.cpuOfNodesWithoutPressure.get(node) ?? null,
      prices: { priceOf: () => ({ perHourUsd: 0.2, perCoreHourUsd: 0.03, perGiBHourUsd: 0.004, source: 'test', estimate: false }) },
      gate: this.gate,
      events: { record: (event) => void this.events.push(event) },
      timeline: { appendEntry: (entry) => void this.applied.push(entry) },
      logger: this.log,
      idle: {
        enabled: this.idleWorkloads,
        watch: async () => undefined,
        activityOf: (key) => this.activity.get(key) ?? null,
        forget: () => undefined,
      },
      demandOf: () => this.demand(clock.now()),
      readingsOf: (pod) => this.readings(pod),
      countedKillsOf: () => [],
      failuresOf: () => [],
      admission: this.#options.admission ?? false,
      canResizeInPlace: () => this.inPlace,
      enqueue: (key) => this.#wake(key, 0),
      maxWorkloadMetrics: 10,
    });
    this.policies = new PodResizePolicyReconciler({
      ...shared,
      cycleLog: { appendCycle: (cycle) => void this.cycleRecords.push(cycle) },
      dryRun: this.#options.dryRun ?? false,
      activePause: () => this.pause,
      enqueueWorkload: (key) => this.#wake(key, 0),
      missingPermissions: () => [],
      unpermittedKinds: () => this.unpermittedKinds,
      enqueuePolicy: (name) => this.#wake(`policy:${name}`, 0),
    });
    this.#wake(`policy:${NO_POLICY}`, 0);
    for (const { metadata } of this.cluster.policyList) this.#wake(`policy:${metadata.name}`, 0);
  }

  addWorkload(workload: WorkloadRecord, pods: readonly PodRecord[]): void {
    this.cluster.workloadList = [...this.cluster.workloadList, workload];
    this.cluster.podList = [
      ...this.cluster.podList,
      ...pods.map((pod) => ({ ...pod, labels: { ...pod.labels, workload: workload.name } })),
    ];
  }

  setPolicy(name: string, spec: PodResizePolicySpec, annotations: Readonly<Record<string, string>> = {}): void {
    const before = this.cluster.policyList.find(({ metadata }) => metadata.name === name);
    const same = JSON.stringify(before?.spec) === JSON.stringify(spec);
    const policy: PodResizePolicy = {
      apiVersion: 'evenkeel.io/v1alpha1',
      kind: 'PodResizePolicy',
      metadata: {
        name,
        uid: `uid-${name}`,
        generation: (before?.metadata.generation ?? 0) + (same ? 0 : 1),
        creationTimestamp: before?.metadata.creationTimestamp ?? new Date(this.clock.now()).toISOString(),
        annotations,
      },
      spec,
      ...(before?.status === undefined ? {} : { status: before.status }),
    };
    this.cluster.policyList = [...this.cluster.policyList.filter((other) => other !== before), policy];
    this.#wake(`policy:${name}`, 0);
  }

  setAutoscalerLease(lease: AutoscalerLease): void {
    this.autoscalerLease = lease;
    for (const { metadata } of this.cluster.policyList) this.#wake(`policy:${metadata.name}`, 0);
  }

  removePolicy(name: string): void {
    this.cluster.policyList = this.cluster.policyList.filter(({ metadata }) => metadata.name !== name);
    this.#wake(`policy:${name}`, 0);
  }

  policy(name: string): PodResizePolicy {
    return this.cluster.policyList.find(({ metadata }) => metadata.name === name)!;
  }

  recommendation(key: WorkloadKey = WEB): Recommendation | undefined {
    return this.cluster.findRecommendation(key);
  }

  status(key: WorkloadKey = WEB): RecommendationStatus {
    return this.recommendation(key)?.status ?? {};
  }

  /** Sets the spec of a Recommendation, as a user request does. */
  requestByUser(spec: Partial<RecommendationSpec>, key: WorkloadKey = WEB): void {
    this.cluster.recommendationList = this.cluster.recommendationList.map((record) =>
      record === this.recommendation(key)
        ? {
            ...record,
            metadata: {
              ...record.metadata,
              generation: (record.metadata.generation ?? 0) + 1,
              resourceVersion: String((this.#version += 1)),
            },
            spec: { ...record.spec, ...spec },
          }
        : record,
    );
    this.#wake(key, 0);
  }

  /** CPU requests of the pods, in millicores, in their order. */
  cpus(): readonly (number | null)[] {
    return this.cluster.podList.map((pod) => pod.containers[0]!.requests.cpuMillicores);
  }

  /** Changes an HPA as any writer would. */
  setHpa(name: string, change: (hpa: HpaRecord) => HpaRecord): void {
    this.cluster.hpaList = this.cluster.hpaList.map((hpa) =>
      hpa.name === name ? { ...change(hpa), resourceVersion: String(Number(hpa.resourceVersion) + 1) } : hpa,
    );
  }

  /** Utilization targets, in percent. */
  targetsOf(name: string): readonly number[] {
    const metrics = this.cluster.hpaList.find((hpa) => hpa.name === name)?.resourceMetrics ?? [];
    return metrics.map(({ targetUtilizationRatio }) => Math.round((targetUtilizationRatio ?? 0) * 100));
  }

  setPods(change: (pod: PodRecord) => PodRecord): void {
    this.cluster.podList = this.cluster.podList.map(change);
  }

  setClockBack(byMs: number): void {
    this.clock.setBack(byMs);
    for (const [key, at] of this.#due) this.#due.set(key, at - byMs);
  }

  /** Runs due tasks in order of time for `forMs`. A crash ends it early; `start()` continues from there. */
  async run(forMs: number): Promise<'lived' | 'died'> {
    const end = this.clock.now() + forMs;
    for (let budget = 100_000; budget > 0; budget -= 1) {
      const next = [...this.#due].filter(([, at]) => at <= end).sort((a, b) => a[1] - b[1])[0];
      if (next === undefined) break;
      const [key, at] = next;
      this.#due.delete(key);
      if (at > this.clock.now()) this.clock.advance(at - this.clock.now());
      try {
        const result = await this.reconcile(key);
        if ('requeueAfterMs' in result) this.#wake(key, result.requeueAfterMs);
      } catch (error) {
        if (error instanceof ProcessDied) return 'died';
        throw error;
      }
    }
    this.clock.advance(end - this.clock.now());
    return 'lived';
  }

  reconcile(key: string): Promise<ReconcileResult> {
    const signal = new AbortController().signal;
    return key.startsWith('policy:')
      ? this.policies.reconcile(key.slice('policy:'.length), signal)
      : this.recommendations.reconcile(key, signal);
  }

  #wake(key: string, afterMs: number): void {
    const at = this.clock.now() + afterMs;
    this.#due.set(key, Math.min(at, this.#due.get(key) ?? Number.POSITIVE_INFINITY));
  }

  #countWrite(write: Parameters<ResizeWorld['onWrite']>[0]): void {
    this.writes += 1;
    this.onWrite(write);
    this.diesAfterWrites -= 1;
    if (this.diesAfterWrites < 0) throw new ProcessDied();
  }

  #effects(dryRun: boolean): EffectWriter {
    return {
      write: async (effect) => {
        this.#countWrite('effect');
        switch (effect.kind) {
          case 'resize':
            return this.#resize(effect, dryRun);
          case 'evict':
            return this.#evict(effect);
          case 'patchHpa':
            return this.#patchHpa(effect, dryRun);
          case 'scale':
            return this.#scale(effect, dryRun);
          case 'restart':
            return this.#restart(effect, dryRun);
        }
      },
    };
  }

  #resize(resize: PodResize, dryRun: boolean): WriteOutcome {
    const pod = this.cluster.findPodByUid(resize.uid);
    if (pod === undefined) return { kind: 'gone', message: 'not found' };
    const refusal = this.refuse(resize);
    if (refusal !== null) return refusal;
    if (dryRun) return { kind: 'dry-run' };
    this.setPods((candidate) =>
      candidate === pod
        ? {
            ...pod,
            containers: pod.containers.map((container) => {
              const to = resize.containers.find(({ name }) => name === container.name)?.to;
              return to === undefined ? container : { ...container, ...to, actual: to, allocated: to.requests };
            }),
          }
        : candidate,
    );
    return { kind: 'done' };
  }

  #scale({ target, from, to }: WorkloadScale, dryRun: boolean): WriteOutcome {
    const workload = this.cluster.workloadList.find((candidate) => workloadKey(candidate) === workloadKey(target));
    if (workload?.replicas.desired !== from) return { kind: 'conflict', message: 'other replicas' };
    if (dryRun) return { kind: 'dry-run' };
    this.cluster.workloadList = this.cluster.workloadList.map((candidate) =>
      candidate === workload ? { ...candidate, replicas: { desired: to, current: to, ready: to } } : candidate,
    );
    return { kind: 'done' };
  }

  #evict({ uid }: PodEviction): WriteOutcome {
    if (this.budget !== null) return { kind: 'refused', status: 429, message: this.budget };
    this.evicted.push(this.cluster.findPodByUid(uid)?.name ?? uid);
    this.onEvicted(uid);
    return { kind: 'done' };
  }

  #restart({ target, restartedAt, annotations }: WorkloadRestart, dryRun: boolean): WriteOutcome {
    const path = workloadPath(target);
    this.restarted.push(path);
    if (dryRun) return { kind: 'dry-run' };
    this.#annotateWorkload(path, annotations);
    this.cluster.workloadList = this.cluster.workloadList.map((workload) =>
      workloadPath(workload) === path ? { ...workload, restartedAt: Date.parse(restartedAt) } : workload,
    );
    return { kind: 'done' };
  }

  #patchHpa({ target, resourceVersion, patch }: HpaPatch, dryRun: boolean): WriteOutcome {
    const refusal = this.refuseHpa();
    if (refusal !== null) return refusal;
    const live = this.cluster.hpaList.find(({ name }) => name === target.name);
    if (live === undefined) return { kind: 'gone', message: 'not found' };
    if (live.resourceVersion !== resourceVersion) return { kind: 'conflict', message: 'the object has been modified' };
    if (dryRun) return { kind: 'dry-run' };
    this.setHpa(live.name, (before) => patchedHpa(before, patch));
    return { kind: 'done' };
  }

  get records(): RecordWriter {
    return {
      apply: async (object, body, { resourceVersion }) => {
        this.#countWrite('apply');
        if (this.#isOutdated(object, resourceVersion)) return CONFLICT;
        const applied = this.#putRecommendation(object, (before) => ({
          ...before,
          ...body,
          metadata: { ...before.metadata, ...(body as Recommendation).metadata, name: object.name, namespace: object.namespace ?? '' },
          spec: { ...before.spec, ...(body as Recommendation).spec },
        }));
        return { kind: 'done', object: applied };
      },
      applyStatus: async (object, status, { resourceVersion }) => {
        this.#countWrite('status');
        if (object.plural === 'podresizepolicies') {
          this.cluster.policyList = this.cluster.policyList.map((policy) =>
            policy.metadata.name === object.name ? { ...policy, status: wire(status) } : policy,
          );
        } else {
          if (!this.cluster.recommendationList.some(({ metadata }) => metadata.name === object.name))
            return { kind: 'gone', message: 'not found' };
          if (this.#isOutdated(object, resourceVersion)) return CONFLICT;
          this.statusWrites += 1;
          return { kind: 'done', object: this.#putRecommendation(object, (before) => ({ ...before, status: wire(status) })) };
        }
        return { kind: 'done' };
      },
      patchIntent: async () => ({ kind: 'done' }),
      delete: async (object, _signal, { resourceVersion } = {}) => {
        this.#countWrite('delete');
        if (this.#isOutdated(object, resourceVersion)) return CONFLICT;
        this.cluster.recommendationList = this.cluster.recommendationList.filter(({ metadata }) => metadata.name !== object.name);
        return { kind: 'done' };
      },
      annotate: async (path, annotations) => {
        this.#countWrite('annotate');
        this.annotations.set(path, annotations);
        this.#annotateWorkload(path, annotations);
        return { kind: 'done' };
      },
    };
  }

  #annotateWorkload(path: string, changes: Readonly<Record<string, string | null>>): void {
    this.cluster.workloadList = this.cluster.workloadList.map((workload) => {
      if (workloadPath(workload) !== path) return workload;
      const merged = Object.entries({ ...workload.annotations, ...changes }).filter(([, value]) => value !== null);
      return { ...workload, annotations: Object.fromEntries(merged) as Record<string, string> };
    });
  }

  /** Whether the Recommendation on the API server has another version than a precondition says. */
  #isOutdated(object: OwnObject, resourceVersion: string | undefined): boolean {
    return resourceVersion !== undefined && resourceVersion !== this.#findRecommendation(object)?.metadata.resourceVersion;
  }

  #findRecommendation({ namespace, name }: OwnObject): Recommendation | undefined {
    return this.cluster.recommendationList.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  }

  #putRecommendation(object: OwnObject, change: (before: Recommendation) => Recommendation): Recommendation {
    const before = this.#findRecommendation(object);
    const base: Recommendation = before ?? {
      apiVersion: 'evenkeel.io/v1alpha1',
      kind: 'Recommendation',
      metadata: {
        name: object.name,
        namespace: object.namespace ?? '',
        uid: `uid-${(this.#made += 1)}`,
        generation: 1,
        creationTimestamp: new Date(this.clock.now()).toISOString(),
      },
      spec: { targetRef: { apiVersion: '', kind: '', name: '' } },
    };
    const after = change(base);
    const put = { ...after, metadata: { ...after.metadata, resourceVersion: String((this.#version += 1)) } };
    this.cluster.recommendationList = [...this.cluster.recommendationList.filter((record) => record !== before), put];
    return put;
  }
}

/** The workload with which every world starts. */
export const WEB: WorkloadKey = workloadKey({ namespace: 'shop', kind: 'Deployment', name: 'web' });

const CONFLICT: WriteOutcome = { kind: 'conflict', message: 'the object has been modified' };

class ProcessDied extends Error {}

/** The value after a round trip through JSON. */
function wire(value: object): object {
  return JSON.parse(JSON.stringify(value)) as object;
}
