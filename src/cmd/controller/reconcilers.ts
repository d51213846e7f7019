// The reconcilers with their queues and triggers.

import { PodResizePolicyReconciler, NO_POLICY } from '../../controllers/podresizepolicy/reconciler.ts';
import type { KubernetesInformers } from '../../adapters/kubernetes/watch/informers.ts';
import { type PermissionWatch, wordsOf } from '../../adapters/kubernetes/access/permission-watch.ts';
import { watchPolicies, watchSelections } from '../../controllers/podresizepolicy/triggers.ts';
import { IdleWatch } from '../../controllers/recommendation/observe/idle-watch.ts';
import { WorkloadEvents } from '../../controllers/recommendation/publish/workload-events.ts';
import { RecommendationReconciler } from '../../controllers/recommendation/reconciler.ts';
import { watchWorkloads } from '../../controllers/recommendation/observe/triggers.ts';
import type { Resources } from '#kube/records/resources';
import { parseCpuMillicores, parseMemoryBytes } from '#kube/quantity';
import type { Parsed } from '#kube/parsed';
import { type WorkloadKey, workloadKey } from '#kube/records/workload';
import type { ErrorRates } from '../../ports/usage/error-rates.ts';
import type { EventRecorder } from '../../ports/cluster/event-recorder.ts';
import type { UsageRecommender } from '../../ports/usage/usage-recommender.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { PriceSource } from '../../ports/price-source.ts';
import type { ResizeCycleWriter } from '../../ports/store/resize-cycle-log.ts';
import type { TimelineWriter } from '../../ports/store/timeline.ts';
import type { UsageRollupReader } from '../../ports/usage/usage-rollups.ts';
import type { UsageSource } from '../../ports/usage/usage-source.ts';
import type { RecordSigner } from '../../ports/record-signer.ts';
import type { RecordWriter } from '../../ports/cluster/writers.ts';
import type { EffectGate } from '../../runtime/effects/effect-gate.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';
import type { PauseReporter } from '../../runtime/effects/pause-reporter.ts';
import { ReconcilerHost } from '../../runtime/reconciler-host.ts';
import { WorkQueue } from '../../runtime/work-queue.ts';
import type { ClusterState } from '../../state/cluster-state.ts';
import { DecisionCache } from '../../state/decision-cache.ts';
import { DemandWatch } from '../../state/usage/demand-watch.ts';
import { PolicyResolver } from '../../state/policy-resolver.ts';
import { ResizeCycles } from '../../state/resize-cycles.ts';
import type { UsageModel } from '../../state/usage/usage-model.ts';
import type { AutoscalerLeaseReader } from './cluster/autoscaler-lease-reader.ts';
import { probeInPlaceResize } from './cluster/in-place-resize.ts';
import { reconcileUserRequests } from './user-requests.ts';
import { unpermittedKinds } from './cluster/workload-kinds.ts';
import type { ControllerEnvironment } from './controller-environment.ts';

/** Concurrent reconciles of workloads, which mostly wait for the API server. */
export const WORKLOAD_WORKERS = 8;
export const POLICY_WORKERS = 2;

export interface ReconcilersDependencies {
  readonly environment: ControllerEnvironment;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly state: ClusterState;
  readonly usage: UsageModel;
  readonly usageSource: UsageSource;
  readonly recommender: UsageRecommender;
  readonly errorRates: ErrorRates | null;
  readonly cycleLog: ResizeCycleWriter;
  readonly rollups: UsageRollupReader;
  readonly timeline: TimelineWriter;
  readonly prices: PriceSource;
  readonly gate: EffectGate;
  readonly records: RecordWriter;
  readonly signer: RecordSigner;
  readonly events: EventRecorder;
  readonly pauseReporter: Pick<PauseReporter, 'onChange' | 'recordInForce'>;
  readonly permissions: PermissionWatch;
  readonly informers: Pick<KubernetesInformers, 'scalableKinds'>;
  readonly autoscalerLease: Pick<AutoscalerLeaseReader, 'lease' | 'onChange'>;
}

export class Reconcilers {
  readonly decisions: DecisionCache;
  readonly policies: PolicyResolver;
  readonly #dependencies: ReconcilersDependencies;
  #inPlace = true;

  constructor(dependencies: ReconcilersDependencies) {
    this.#dependencies = dependencies;
    this.policies = new PolicyResolver({
      cluster: dependencies.state,
      capabilities: {
        admission: dependencies.settings['controller.admission.enabled'],
        prometheus: dependencies.settings['prometheus.url'] !== '',
      },
      ownNamespace: dependencies.environment.namespace,
      now: () => dependencies.environment.clock.now(),
      autoscalerLease: () => dependencies.autoscalerLease.lease,
    });
    this.decisions = new DecisionCache(this.policies);
  }

  /** Reconciles until the signal aborts, starting with every object; resolves once running reconciles have ended. */
  async run(signal: AbortSignal): Promise<void> {
    const { environment, state, logger, metrics } = this.#dependencies;
    const { clock, timer: machine, activity, random } = environment;
    this.#inPlace = await probeInPlaceResize(environment.transport, logger, signal);
    const workloads = new WorkQueue<WorkloadKey>({ clock, machine, activity, random });
    const policies = new WorkQueue({ clock, machine, activity, random });
    const cycles = new ResizeCycles();
    const shared = { ...this.#dependencies, clock, cluster: state, policies: this.policies, decisions: this.decisions, cycles };
    const idleWatch = new IdleWatch({ ...shared, onInUse: (key) => this.#wakeIfIdle(key, workloads) });
    const demand = new DemandWatch({ ...shared, onPressure: (key) => workloads.add(key, 'high') });
    const recommendation = new RecommendationReconciler({
      ...shared,
      events: new WorkloadEvents(this.#dependencies.events, state),
      advice: this.#dependencies.recommender,
      errorRates: this.#dependencies.errorRates,
      usageSource: () => (this.#dependencies.usage.confirmedAt() === 0 ? null : this.#dependencies.usageSource.name),
      isUnread: (pod) => this.#dependencies.usage.isUnread(pod),
      isPressureMeasured: (node) => this.#dependencies.usage.evidence.isPressureKnown(node, clock.now()),
      cpuUsedByNode: (node) => this.#dependencies.usage.usedByNode(node)?.cpuMillicores ?? null,
      idle: {
        enabled: this.#dependencies.settings['features.idleWorkloads'],
        watch: (workload, rules, now) => idleWatch.watch(workload, rules, now),
        activityOf: (key) => idleWatch.activityOf(key),
        forget: (key) => idleWatch.forget(key),
      },
      demandOf: (key) => demand.of(key),
      countedKillsOf: (pod) => this.#dependencies.usage.countedKillsOf(pod),
      failuresOf: (pod) => this.#dependencies.usage.failuresOf(pod),
      readingsOf: ({ namespace, name }) => this.#dependencies.usage.evidence.readingsOf(namespace, name),
      admission: this.#dependencies.settings['controller.admission.enabled'],
      canResizeInPlace: () => this.#inPlace,
      enqueue: (key) => workloads.add(key, 'low'),
      maxWorkloadMetrics: this.#dependencies.settings['metrics.maxWorkloads'],
    });
    const policy = new PodResizePolicyReconciler({
      ...shared,
      dryRun: this.#dependencies.settings['controller.dryRun'],
      activePause: (now) => state.activePause(now),
      missingPermissions: () => this.#dependencies.permissions.missing().map(wordsOf),
      unpermittedKinds: () => unpermittedKinds(this.#dependencies.informers.scalableKinds(), state.countPodsOfUnreadKinds()),
      enqueueWorkload: (key) => workloads.add(key),
      enqueuePolicy: (name) => policies.add(name),
    });
    const enqueuePolicies = (): void => {
      for (const { metadata } of state.podResizePolicies()) policies.add(metadata.name);
    };
    const stops = [
      watchPolicies(state, (name) => policies.add(name)),
      watchSelections(state, (name, afterMs) => policies.addAfter(name, afterMs)),
      this.#dependencies.pauseReporter.onChange(enqueuePolicies),
      watchWorkloads(state, (key, afterMs) => workloads.addAfter(key, afterMs, 'normal')),
      this.#dependencies.autoscalerLease.onChange(enqueuePolicies),
      // An OOM kill is handled at once, without waiting for the policy's interval.
      this.#dependencies.usage.onOomKill((kill) => workloads.add(kill.workload, 'high')),
    ];
    this.#dependencies.pauseReporter.recordInForce();
    policies.add(NO_POLICY, 'low');
    for (const { metadata } of state.podResizePolicies()) policies.add(metadata.name, 'low');
    for (const workload of state.workloads()) workloads.add(workloadKey(workload), 'low');
    try {
      await Promise.all([
        new ReconcilerHost({
          name: 'podresizepolicy',
          queue: policies,
          reconciler: policy,
          machine,
          logger,
          metrics,
          workers: POLICY_WORKERS,
        }).run(signal),
        new ReconcilerHost({
          name: 'recommendation',
          queue: workloads,
          reconciler: recommendation,
          machine,
          logger,
          metrics,
          workers: WORKLOAD_WORKERS,
        }).run(signal),
        reconcileUserRequests({ ...this.#dependencies, policies: this.policies, decisions: this.decisions }, signal),
      ]);
    } finally {
      for (const stop of stops) stop();
      demand.close();
      idleWatch.close();
      recommendation.close();
      policy.close();
    }
  }

  /** Enqueues an idled workload that is in use, because its pods have their idle size until the next reconcile. */
  #wakeIfIdle(key: WorkloadKey, workloads: WorkQueue<WorkloadKey>): void {
    const idle = this.decisions.find(key)?.status.idle;
    if (idle !== undefined && idle.wakeStartedAt === undefined) workloads.add(key, 'high');
  }

  /** The recommended requests of all replicas, container by container. */
  *recommendedRequests(): Iterable<Resources> {
    for (const recommendation of this.#dependencies.state.recommendations()) {
      const { containers = [], replicas = 0 } = recommendation.status ?? {};
      for (const container of containers) {
        const requests = container.recommended?.requests;
        if (requests === undefined) continue;
        yield {
          cpuMillicores: amount(requests.cpu, parseCpuMillicores) * replicas,
          memoryBytes: amount(requests.memory, parseMemoryBytes) * replicas,
        };
      }
    }
  }
}

function amount(text: string | undefined, parse: (text: string) => Parsed<number>): number {
  const parsed = text === undefined ? undefined : parse(text);
  return parsed?.ok === true ? parsed.value : 0;
}
