// The controller: every part built and joined, in the order in which they need each other. Used by the binary on a real
// cluster and by the demo on the embedded one.

import { join } from 'node:path';
import { readCrds } from '../../adapters/kubernetes/crd-installer.ts';
import { KubernetesEventRecorder } from '../../adapters/kubernetes/event-recorder.ts';
import { ALL_KINDS } from '../../adapters/kubernetes/informers.ts';
import { KubernetesLeaseStore } from '../../adapters/kubernetes/lease-store.ts';
import { RecordKey } from '../../adapters/kubernetes/record-key.ts';
import { KubernetesRecordWriter } from '../../adapters/kubernetes/record-writer.ts';
import { openRecommender } from '../../adapters/workers/open-recommender.ts';
import { RecommendedSizesAtCreation } from '../../controllers/creation/sizes-at-creation.ts';
import { LeaderFeed } from '../../controllers/replicas/leader-feed.ts';
import { Checkpoints } from '../../controllers/usage/checkpoints.ts';
import { JobRunRecommender } from '../../controllers/usage/job-run-recommender.ts';
import { RecommenderFeed } from '../../controllers/usage/recommender-feed.ts';
import type { Instant } from '#kube/units';
import { AUTOSCALER_LEASE } from '../../core/resize/policy/autoscaler-lease.ts';
import type { CheckpointStore } from '../../ports/checkpoint-store.ts';
import type { UsageRecommender } from '../../ports/usage-recommender.ts';
import type { SharedState } from '../../ports/shared-state.ts';
import type { UsageSourceStatus } from '../../ports/usage-source.ts';
import { HmacSigner } from '../../runtime/hmac-signer.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';
import type { PolicyResolver } from '../../state/policy-resolver.ts';
import { UsageModel } from '../../state/usage-model.ts';
import { evenkeelVersion, PACKAGE_ROOT } from '../version.ts';
import { ProcessHost } from '../process/process-host.ts';
import { Admission } from './admission.ts';
import { AutoscalerLeaseReader } from './autoscaler-lease-reader.ts';
import { budgetsOfLanes } from './budgets-of-lanes.ts';
import { controllerHistory } from './controller-history.ts';
import { CrdInstaller } from './crds.ts';
import { startDashboard } from './dashboard.ts';
import {
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
import { leadTerm } from './leading.ts';
import { openHistory } from './open-history.ts';
import { openPrices } from './open-prices.ts';
import { orAborted } from '../../runtime/or-aborted.ts';
import { PartRegistry } from './part-registry.ts';
import { credentialsHealth, plaintextCredentials } from './plaintext-credentials.ts';
import { ControllerPrometheus, PAST_MS } from './prometheus.ts';
import { Reconcilers } from './reconcilers.ts';
import { chooseUsageSources, liveUsage } from './usage-sources.ts';
import type { ControllerDependencies } from './controller-parts.ts';
import { workloadKindsHealth } from './workload-kinds.ts';
import type { ControllerEnvironment } from './world.ts';

/** Of leader election. */
const LEASE_NAME = 'evenkeel-controller';

export interface RunningController {
  readonly dashboardPort: number;
  readonly metricsPort: number;
  readonly probePort: number;
  isLeader(): boolean;
  /** Stops accepting, lets reconciles under way end, releases the lease, closes the store. Under 10 s. */
  stop(): Promise<void>;
}

/**
 * Resolves when everything is up and the informers have listed once; probes and dashboard answer earlier and say what is
 * missing. Throws with what could not start, or with the signal's reason when it aborts before; nothing is left running then.
 */
export function startController(
  { world, settings, logger, metrics }: ControllerDependencies,
  signal?: AbortSignal,
): Promise<RunningController> {
  const lease = settings['controller.leaderElect'] ? LEASE_NAME : null;
  const host = new ProcessHost({ world, logger, metrics, lease }, signal);
  return host.startWith(() => new Starting(host, settings).run());
}

class Starting {
  readonly #host: ProcessHost<ControllerEnvironment>;
  /** With the transports of the host. */
  readonly #parts: ControllerDependencies;
  readonly #registry = new PartRegistry();

  constructor(host: ProcessHost<ControllerEnvironment>, settings: Settings) {
    this.#host = host;
    this.#parts = { world: host.world, settings, logger: host.logger, metrics: host.metrics };
  }

  async run(): Promise<RunningController> {
    const host = this.#host;
    const { settings, logger, metrics } = this.#parts;
    const { world, apiServer, state, election } = host;
    const { clock, timer, transport } = world;
    await host.begin();
    const registry = this.#registry;
    registry.addHealth(apiServer, permissionHealth(host.permissions, clock), leaderHealth(election, world.identity, clock));
    const history = await openHistory(this.#parts);
    await host.addPart('history', () => history.close());
    registry.addHealth(storeHealth(history, clock));
    const plaintext = plaintextCredentials(settings, world.apiServer);
    for (const warning of plaintext) logger.warn('A credential is sent without encryption', { warning });
    registry.addHealth(...credentialsHealth(plaintext, clock.now()));
    const prices = openPrices(settings);
    registry.addHealth(priceHealth(prices, state, clock));
    const endpoints = await host.serveEndpoints({ probes: settings['controller.probeAddr'], metrics: settings['controller.metricsAddr'] });
    if (settings['crds.install']) await this.#installCrds();

    const informers = await host.startInformers(ALL_KINDS);
    registry.addHealth(...informerHealth(informers, clock));
    registry.addHealth(workloadKindsHealth(informers, state, clock));
    const intervalMs = settings['kubelet.interval'];
    const usage = new UsageModel({ clock, reader: state, logger, metrics, intervalMs });
    const usageSources = await chooseUsageSources(world, { settings, reader: state, metrics, logger }, host.stopping);
    // Made before what restores it, since a thread may be lost at any time.
    let restoreLost = (): Promise<unknown> => Promise.resolve();
    const threads = openRecommender(settings['controller.recommenderThreads'], {
      timer,
      logger,
      metrics,
      restoreLost: () => restoreLost().then(() => undefined),
    });
    await host.addPart('recommender', () => threads.stop());
    const recommender = new JobRunRecommender(threads);

    const prometheus = new ControllerPrometheus(world, settings, state, logger);
    await host.addPart('prometheus', () => prometheus.stop());
    registry.addHealth(...prometheusHealth(prometheus, clock));
    const events = new KubernetesEventRecorder({
      transport,
      clock,
      random: world.random,
      logger,
      metrics,
      controller: 'evenkeel.io/controller',
      instance: world.identity,
    });
    const isLeader = (): boolean => host.isLeader();
    // What the leader writes leaves while it leads; what people ask for, any replica writes.
    const records = new KubernetesRecordWriter(world.commandTransport);
    const recordKey = await this.#recordKey();
    const signer = new HmacSigner(() => recordKey.key);
    const gate = await host.openGate({
      timeline: history,
      dryRun: settings['controller.dryRun'],
      warmUpMs: settings['controller.warmUp'],
      reductionsPerMinute: budgetsOfLanes(settings, () => [...state.nodes()].length),
      sources: [{ name: 'usage', periodMs: intervalMs, confirmedAt: () => usage.confirmedAt(), problem: () => usage.problem() }],
    });
    const autoscalerLease = this.#autoscalerLease();
    const reconcilers = new Reconcilers({
      world,
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
      permissions: host.permissions,
      informers,
      autoscalerLease,
    });
    registry.addFeature('idleWorkloads', settings['features.idleWorkloads']);
    const admission = this.#admission(reconcilers.policies);
    const { decisions } = reconcilers;
    const usageSource = liveUsage({
      sources: usageSources,
      prometheus: prometheus.counters,
      prometheusProblem: () => prometheus.refusal(),
      usage,
      decisions,
      cluster: state,
      world,
      metrics,
    });
    const leaderFeed = this.#leaderFeed(history.shared, usage, reconcilers);
    const usageStatus = (): UsageSourceStatus => leaderFeed?.source() ?? usageSource.status();
    registry.addHealth(
      usageHealth(usage, usageStatus, leaderFeed, clock),
      throttlingHealth(usage.evidence, usageStatus, clock),
      pressureHealth(usage.evidence, usageStatus, clock),
    );
    const joined = {
      parts: registry,
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
    };
    const dashboard = await startDashboard(this.#parts, joined);
    await host.addPart('dashboard', () => dashboard.close());

    await orAborted(informers.whenSynced, host.stopping);
    await host.addPart(
      'lease of evenkeel-autoscaler',
      () => autoscalerLease.stop(),
      () => autoscalerLease.start(),
    );
    await host.addPart(
      'admission',
      () => admission.stop(),
      () => admission.start(),
    );
    const checkpoints = await this.#startLearning(recommender, usage, history, prometheus);
    restoreLost = () => checkpoints.restore();
    const recorder = controllerHistory({ state, usage, rollups: history, prices, reconcilers, clock });
    // Records of an earlier term are known from the first decision on.
    const decide = (term: AbortSignal): Promise<void> => recordKey.look(term).then(() => reconcilers.run(term));
    if (leaderFeed === null) {
      checkpoints.start(0);
      await host.runPart('usage source', (signal) => usageSource.run(usage, intervalMs, signal).finally(() => usage.close()));
      await host.addPart(
        'history recorder',
        () => recorder.stop(),
        () => recorder.start(),
      );
      await host.lead(decide);
    } else {
      const stopFollowing = (): Promise<void> => leaderFeed.stop().then(() => usage.close());
      await host.addPart('what the leader shares', stopFollowing, () => leaderFeed.start());
      const { shared } = history;
      if (shared === null) throw new Error('a store that is not shared has no leader to follow');
      const parts = { shared, feed: leaderFeed, source: usageSource, usage, intervalMs, recorder, checkpoints, decisions };
      const follow = (): void => void (host.stopping.aborted || leaderFeed.start());
      const lead = { ...parts, cluster: state, clock, isLeader, leaseTransitions: () => election?.transitions() ?? 0 };
      await host.lead((term) => leadTerm(lead, decide, term).finally(follow));
    }
    const ports = { dashboardPort: dashboard.port, metricsPort: endpoints.metricsPort, probePort: endpoints.probePort };
    logger.info('Evenkeel is up', { version: evenkeelVersion(), ...ports, dryRun: settings['controller.dryRun'] });
    return { ...ports, isLeader, stop: () => host.stop() };
  }

  async #installCrds(): Promise<void> {
    const { stopping, world, logger } = this.#host;
    const manifests = await readCrds(join(PACKAGE_ROOT, 'crds'));
    const crds = new CrdInstaller({ manifests, transport: world.transport, timer: world.timer, logger, version: evenkeelVersion() });
    await crds.install(stopping);
    await this.#host.runPart('custom resources', (signal) => crds.keep(AbortSignal.any([signal, stopping])));
    this.#registry.addHealth(healthSource('custom-resources', world.clock, () => crds.status()));
  }

  async #recordKey(): Promise<RecordKey> {
    const { world, logger, leaderTransport: leaders } = this.#host;
    const { transport, timer, namespace } = world;
    const dryRun = this.#parts.settings['controller.dryRun'];
    const key = new RecordKey({ transport, leaders, timer, logger, namespace, isLeader: () => this.#host.isLeader(), dryRun });
    await this.#host.runPart('key of records', (signal) => key.keep(signal));
    this.#registry.addHealth(recordKeyHealth(key, world.clock));
    return key;
  }

  /** Reads the lease by which it is seen whether evenkeel-autoscaler has a leader. */
  #autoscalerLease(): AutoscalerLeaseReader {
    const { world, logger } = this.#host;
    const store = new KubernetesLeaseStore(world.leaseTransport, { namespace: world.namespace, name: AUTOSCALER_LEASE });
    return new AutoscalerLeaseReader({ store, timer: world.timer, logger, wallMs: () => Date.now() });
  }

  #admission(policies: PolicyResolver): Admission {
    const { world, state, logger, metrics, leaderTransport: leaders } = this.#host;
    const { settings } = this.#parts;
    const { transport, timer, clock, namespace } = world;
    const activePause = (now: Instant): unknown => state.activePause(now);
    const sizes = new RecommendedSizesAtCreation({ cluster: state, policies, clock, dryRun: settings['controller.dryRun'], activePause });
    const isLeader = (): boolean => this.#host.isLeader();
    const admission = new Admission({ settings, transport, leaders, timer, logger, metrics, namespace, sizes, isLeader });
    this.#registry.addHealth(...admissionHealth(admission, clock));
    return admission;
  }

  /** Only where replicas share a store and take turns in leading. */
  #leaderFeed(shared: SharedState | null, usage: UsageModel, { decisions }: Reconcilers): LeaderFeed | null {
    if (shared === null || this.#host.election === null) return null;
    const { world, settings, logger, metrics } = this.#parts;
    const intervalMs = settings['kubelet.interval'];
    return new LeaderFeed({ shared, usage, decisions, intervalMs, clock: world.clock, machine: world.timer, logger, metrics });
  }

  async #startLearning(
    recommender: UsageRecommender,
    usage: UsageModel,
    store: CheckpointStore,
    prometheus: ControllerPrometheus,
  ): Promise<Checkpoints> {
    const host = this.#host;
    const { world, state, logger } = host;
    const { clock, activity, pastUsage } = world;
    const checkpoints = new Checkpoints({ recommender, store, isLeader: () => host.isLeader(), clock, activity, logger });
    await checkpoints.restore();
    const onForgotten = (keys: readonly string[]): void => void checkpoints.delete(keys);
    const feed = new RecommenderFeed({ cluster: state, usage, recommender, clock, logger, onForgotten });
    if (pastUsage !== null) await feed.backfill(pastUsage, PAST_MS, host.stopping);
    await host.addPart(
      'what the recommender is fed',
      () => feed.stop(),
      () => feed.start(),
    );
    await host.addPart('checkpoints', () => checkpoints.stop());
    prometheus.startPast(feed);
    return checkpoints;
  }
}
