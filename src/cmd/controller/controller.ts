// Builds and starts the components of the controller in the order of their dependencies. The binary uses it on a real cluster, the demo
// on the embedded one.

import { join } from 'node:path';
import { PAUSE_CONFIG_MAP } from '../../apis/annotations.ts';
import { readCrds } from '../../adapters/kubernetes/write/crd-installer.ts';
import { KubernetesEventRecorder } from '../../adapters/kubernetes/write/event-recorder.ts';
import { ALL_KINDS } from '../../adapters/kubernetes/watch/informers.ts';
import { KubernetesLeaseStore } from '../../adapters/kubernetes/write/lease-store.ts';
import { RecordKey } from '../../adapters/kubernetes/write/record-key.ts';
import { KubernetesRecordWriter } from '../../adapters/kubernetes/write/record-writer.ts';
import { openRecommender } from '../../adapters/workers/open-recommender.ts';
import { RecommendedSizesAtCreation } from '../../controllers/creation/sizes-at-creation.ts';
import { LeaderFeed } from '../../controllers/replicas/leader-feed.ts';
import { Checkpoints } from '../../controllers/usage/checkpoints.ts';
import { JobRunRecommender } from '../../controllers/usage/job-run-recommender.ts';
import { RecommenderFeed } from '../../controllers/usage/recommender-feed.ts';
import type { Instant } from '#kube/units';
import { AUTOSCALER_LEASE } from '../../core/resize/policy/autoscaler-lease.ts';
import type { CheckpointStore } from '../../ports/usage/checkpoint-store.ts';
import type { UsageRecommender } from '../../ports/usage/usage-recommender.ts';
import type { SharedState } from '../../ports/cluster/shared-state.ts';
import type { UsageSourceStatus } from '../../ports/usage/usage-source.ts';
import { HmacSigner } from '../../runtime/hmac-signer.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';
import type { PolicyResolver } from '../../state/policy-resolver.ts';
import { UsageModel } from '../../state/usage/usage-model.ts';
import { evenkeelVersion, PACKAGE_ROOT } from '../version.ts';
import { ProcessHost } from '../process/process-host.ts';
import { startAccess } from './access.ts';
import { startIdentityProvider } from './identity-provider.ts';
import { Admission } from './cluster/admission.ts';
import { AutoscalerLeaseReader } from './cluster/autoscaler-lease-reader.ts';
import { laneBudgets } from './lane-budget-settings.ts';
import { createHistoryRecorder } from './history/controller-history.ts';
import { CrdInstaller } from './cluster/crd-installer.ts';
import { startDashboard } from './start-dashboard.ts';
import {
  accessEventHealth,
  admissionHealth,
  healthSource,
  informerHealth,
  leaderHealth,
  permissionHealth,
  pressureHealth,
  priceHealth,
  prometheusHealth,
  recordKeyHealth,
  storeHealth,
  throttlingHealth,
  usageHealth,
} from './health-sources.ts';
import { leadTerm } from './lead-term.ts';
import { openHistory } from './history/open-history.ts';
import { openPrices } from './open-prices.ts';
import { PauseReporter } from '../../runtime/effects/pause-reporter.ts';
import { raceWithAbort } from '../../runtime/or-aborted.ts';
import { StatusRegistry } from './status-registry.ts';
import { credentialsHealth, plaintextCredentials } from './usage/plaintext-credentials.ts';
import { ControllerPrometheus, PAST_MS } from './usage/prometheus.ts';
import { Reconcilers } from './reconcilers.ts';
import { chooseUsageSources, createLiveUsage } from './usage/usage-sources.ts';
import type { ControllerDependencies } from './controller-environment.ts';
import { workloadKindsHealth } from './cluster/workload-kinds.ts';
import type { ControllerEnvironment } from './controller-environment.ts';

/** Lease of the leader election. */
const LEASE_NAME = 'evenkeel-controller';

export interface RunningController {
  readonly dashboardPort: number;
  readonly metricsPort: number;
  readonly probePort: number;
  isLeader(): boolean;
  /** Stops accepting requests, waits for running reconciles, releases the lease and closes the store, within 10 s. */
  stop(): Promise<void>;
}

/**
 * Resolves once all components run and the informers have synced; probes and dashboard respond earlier and report what is missing.
 * @throws where a component cannot start, or with the signal's reason where it aborts earlier, after all components were stopped
 */
export function startController(
  { environment, settings, logger, metrics }: ControllerDependencies,
  signal?: AbortSignal,
): Promise<RunningController> {
  const lease = settings['controller.leaderElect'] ? LEASE_NAME : null;
  const host = new ProcessHost({ environment, logger, metrics, lease }, signal);
  return host.startWith(() => new ControllerStart(host, settings).run());
}

class ControllerStart {
  readonly #host: ProcessHost<ControllerEnvironment>;
  /** With the watched transports of the host. */
  readonly #dependencies: ControllerDependencies;
  readonly #registry = new StatusRegistry();

  constructor(host: ProcessHost<ControllerEnvironment>, settings: Settings) {
    this.#host = host;
    this.#dependencies = { environment: host.environment, settings, logger: host.logger, metrics: host.metrics };
  }

  async run(): Promise<RunningController> {
    const host = this.#host;
    const { settings, logger, metrics } = this.#dependencies;
    const { environment, apiServer, state, election } = host;
    const { clock, timer, transport } = environment;
    await host.begin();
    const registry = this.#registry;
    registry.addHealth(apiServer, permissionHealth(host.permissions, clock), leaderHealth(election, environment.identity, clock));
    // The key is read later, with the transport to the API server; until then the ends of chains stay unsigned.
    let findKey = (): Buffer | null => null;
    const signer = new HmacSigner(() => findKey());
    const history = await openHistory({ ...this.#dependencies, signer });
    await host.addComponent('history', () => history.close());
    registry.addHealth(storeHealth(history, clock), accessEventHealth(history, clock));
    const plaintext = plaintextCredentials(settings, environment.apiServer);
    for (const warning of plaintext) logger.warn('Credential is sent without encryption', { warning });
    registry.addHealth(...credentialsHealth(plaintext, clock.now()));
    const prices = openPrices(settings);
    registry.addHealth(priceHealth(prices, state, clock));
    const endpoints = await host.serveEndpoints({ probes: settings['controller.probeAddr'], metrics: settings['controller.metricsAddr'] });
    if (settings['crds.install']) await this.#installCrds();

    const informers = await host.startInformers(ALL_KINDS);
    registry.addHealth(...informerHealth(informers, clock));
    registry.addHealth(workloadKindsHealth(informers, state, clock));
    const access = await startAccess(host, settings, registry);
    const identityProvider = await startIdentityProvider(host, settings, registry);
    const intervalMs = settings['kubelet.interval'];
    const usage = new UsageModel({ clock, reader: state, logger, metrics, intervalMs });
    const usageSources = await chooseUsageSources(environment, { settings, reader: state, metrics, logger }, host.stopping);
    // Assigned later: a thread may end before the checkpoints that restore it exist.
    let restoreLost = (): Promise<unknown> => Promise.resolve();
    const threads = openRecommender(settings['controller.recommenderThreads'], {
      timer,
      logger,
      metrics,
      restoreLost: () => restoreLost().then(() => undefined),
    });
    await host.addComponent('recommender', () => threads.stop());
    const recommender = new JobRunRecommender(threads);

    const prometheus = new ControllerPrometheus(environment, settings, state, logger);
    await host.addComponent('prometheus', () => prometheus.stop());
    registry.addHealth(...prometheusHealth(prometheus, clock));
    const events = new KubernetesEventRecorder({
      transport,
      clock,
      random: environment.random,
      logger,
      metrics,
      controller: 'evenkeel.io/controller',
      instance: environment.identity,
    });
    const isLeader = (): boolean => host.isLeader();
    // The leader's writes are sent only while it leads; every replica writes user requests.
    const records = new KubernetesRecordWriter(environment.commandTransport);
    const recordKey = await this.#recordKey();
    findKey = () => recordKey.key;
    const gate = await host.openGate({
      timeline: history,
      dryRun: settings['controller.dryRun'],
      warmUpMs: settings['controller.warmUp'],
      reductionsPerMinute: laneBudgets(settings, () => [...state.nodes()].length),
      sources: [{ name: 'usage', periodMs: intervalMs, confirmedAt: () => usage.confirmedAt(), problem: () => usage.problem() }],
    });
    const pauseReporter = new PauseReporter({
      clock,
      cluster: state,
      activePause: (now) => state.activePause(now),
      configMap: { namespace: environment.namespace, name: PAUSE_CONFIG_MAP },
      isLeader,
      events,
      logger,
      metrics,
    });
    const autoscalerLease = this.#autoscalerLease();
    const reconcilers = new Reconcilers({
      environment,
      settings,
      logger,
      metrics,
      state,
      usage,
      usageSource: usageSources.usage,
      recommender,
      errorRates: prometheus.errorRates,
      cycleLog: history,
      rollups: history,
      timeline: history,
      prices,
      gate,
      records: new KubernetesRecordWriter(host.leaderTransport),
      signer,
      events,
      pauseReporter,
      permissions: host.permissions,
      informers,
      autoscalerLease,
    });
    registry.addFeature('idleWorkloads', settings['features.idleWorkloads']);
    const admission = this.#admission(reconcilers.policies);
    const { decisions } = reconcilers;
    const usageSource = createLiveUsage({
      sources: usageSources,
      prometheus: prometheus.counters,
      prometheusProblem: () => prometheus.refusal(),
      usage,
      decisions,
      cluster: state,
      environment,
      metrics,
    });
    const leaderFeed = this.#leaderFeed(history.shared, usage, reconcilers);
    const usageStatus = (): UsageSourceStatus => leaderFeed?.source() ?? usageSource.status();
    registry.addHealth(
      usageHealth(usage, usageStatus, leaderFeed, clock),
      throttlingHealth(usage.evidence, usageStatus, clock),
      pressureHealth(usage.evidence, usageStatus, clock),
    );
    const dashboardDependencies = {
      registry,
      permissions: host.permissions,
      apiServer,
      state,
      usage,
      usageStatus,
      prometheus,
      leaderFeed,
      history,
      prices,
      election,
      reconcilers,
      records,
      signer,
      events,
      access,
      identityProvider,
    };
    const dashboard = await startDashboard(this.#dependencies, dashboardDependencies);
    await host.addComponent('dashboard', () => dashboard.close());

    await raceWithAbort(informers.whenSynced, host.stopping);
    await host.addComponent(
      'pause watch',
      () => pauseReporter.stop(),
      () => pauseReporter.start(),
    );
    await host.addComponent(
      'evenkeel-autoscaler lease reader',
      () => autoscalerLease.stop(),
      () => autoscalerLease.start(),
    );
    await host.addComponent(
      'admission',
      () => admission.stop(),
      () => admission.start(),
    );
    const checkpoints = await this.#startLearning(recommender, usage, history, prometheus);
    restoreLost = () => checkpoints.restore();
    // Stopped before the checkpoints are saved: events of thousands of pods would take the time that saving them has.
    await host.addComponent('watches', () => informers.stop());
    const recorder = createHistoryRecorder({ state, usage, rollups: history, prices, reconcilers, clock });
    // The key is read first, so that the first decision can verify records of earlier terms.
    const decide = (term: AbortSignal): Promise<void> => recordKey.checkKey(term).then(() => reconcilers.run(term));
    if (leaderFeed === null) {
      checkpoints.start(0);
      await host.runComponent('usage source', (signal) => usageSource.run(usage, intervalMs, signal).finally(() => usage.close()));
      await host.addComponent(
        'history recorder',
        () => recorder.stop(),
        () => recorder.start(),
      );
      await host.lead(decide);
    } else {
      const stopFollowing = (): Promise<void> => leaderFeed.stop().then(() => usage.close());
      await host.addComponent('leader feed', stopFollowing, () => leaderFeed.start());
      const { shared } = history;
      if (shared === null) throw new Error('a leader feed requires a shared store');
      const dependencies = { shared, feed: leaderFeed, source: usageSource, usage, intervalMs, recorder, checkpoints, decisions };
      const follow = (): void => void (host.stopping.aborted || leaderFeed.start());
      const lead = { ...dependencies, cluster: state, clock, isLeader, leaseTransitions: () => election?.transitions() ?? 0 };
      await host.lead((term) => leadTerm(lead, decide, term).finally(follow));
    }
    const ports = { dashboardPort: dashboard.port, metricsPort: endpoints.metricsPort, probePort: endpoints.probePort };
    logger.info('Evenkeel started', { version: evenkeelVersion(), ...ports, dryRun: settings['controller.dryRun'] });
    return { ...ports, isLeader, stop: () => host.stop() };
  }

  async #installCrds(): Promise<void> {
    const { stopping, environment, logger } = this.#host;
    const manifests = await readCrds(join(PACKAGE_ROOT, 'crds'));
    const crds = new CrdInstaller({
      manifests,
      transport: environment.transport,
      timer: environment.timer,
      logger,
      version: evenkeelVersion(),
    });
    await crds.install(stopping);
    await this.#host.runComponent('CRD installer', (signal) => crds.installRepeatedly(AbortSignal.any([signal, stopping])));
    this.#registry.addHealth(healthSource('custom-resources', environment.clock, () => crds.status()));
  }

  async #recordKey(): Promise<RecordKey> {
    const { environment, logger, leaderTransport: leaders } = this.#host;
    const { transport, timer, namespace } = environment;
    const dryRun = this.#dependencies.settings['controller.dryRun'];
    const key = new RecordKey({ transport, leaders, timer, logger, namespace, isLeader: () => this.#host.isLeader(), dryRun });
    await this.#host.runComponent('record key', (signal) => key.watchKey(signal));
    this.#registry.addHealth(recordKeyHealth(key, environment.clock));
    return key;
  }

  /** The lease shows whether evenkeel-autoscaler has a leader. */
  #autoscalerLease(): AutoscalerLeaseReader {
    const { environment, logger } = this.#host;
    const store = new KubernetesLeaseStore(environment.leaseTransport, { namespace: environment.namespace, name: AUTOSCALER_LEASE });
    return new AutoscalerLeaseReader({ store, timer: environment.timer, logger, wallMs: () => Date.now() });
  }

  #admission(policies: PolicyResolver): Admission {
    const { environment, state, logger, metrics, leaderTransport } = this.#host;
    const { settings } = this.#dependencies;
    const { transport, timer, clock, namespace } = environment;
    const activePause = (now: Instant): unknown => state.activePause(now);
    const sizes = new RecommendedSizesAtCreation({ cluster: state, policies, clock, dryRun: settings['controller.dryRun'], activePause });
    const isLeader = (): boolean => this.#host.isLeader();
    const admission = new Admission({ settings, transport, leaderTransport, timer, logger, metrics, namespace, sizes, isLeader });
    this.#registry.addHealth(...admissionHealth(admission, clock));
    return admission;
  }

  /** null where this replica never follows: the store is not shared, or leader election is disabled. */
  #leaderFeed(shared: SharedState | null, usage: UsageModel, { decisions }: Reconcilers): LeaderFeed | null {
    if (shared === null || this.#host.election === null) return null;
    const { environment, settings, logger, metrics } = this.#dependencies;
    const intervalMs = settings['kubelet.interval'];
    return new LeaderFeed({ shared, usage, decisions, intervalMs, clock: environment.clock, machine: environment.timer, logger, metrics });
  }

  async #startLearning(
    recommender: UsageRecommender,
    usage: UsageModel,
    store: CheckpointStore,
    prometheus: ControllerPrometheus,
  ): Promise<Checkpoints> {
    const host = this.#host;
    const { environment, state, logger } = host;
    const { clock, activity, pastUsage } = environment;
    const checkpoints = new Checkpoints({ recommender, store, isLeader: () => host.isLeader(), clock, activity, logger });
    await checkpoints.restore();
    const onForgotten = (keys: readonly string[]): void => void checkpoints.delete(keys);
    const onKill = (keys: readonly string[]): void => checkpoints.saveSoon(keys);
    const feed = new RecommenderFeed({ cluster: state, usage, recommender, clock, logger, onForgotten, onKill });
    if (pastUsage !== null) await feed.backfill(pastUsage, PAST_MS, host.stopping);
    await host.addComponent(
      'recommender feed',
      () => feed.stop(),
      () => feed.start(),
    );
    await host.addComponent('checkpoints', () => checkpoints.stop());
    prometheus.startPast(feed);
    return checkpoints;
  }
}
