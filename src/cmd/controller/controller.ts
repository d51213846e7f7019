// The controller: every part built and joined, in the order in which they need each other. Used by the binary on a real
// cluster and by the demo on the embedded one.

import { join } from 'node:path';
import { readCrds } from '../../adapters/kubernetes/crd-installer.ts';
import { dryRunEffectWriter } from '../../adapters/kubernetes/dry-run-effect-writer.ts';
import { KubernetesEffectWriter } from '../../adapters/kubernetes/effect-writer.ts';
import { fencedTransport } from '../../adapters/kubernetes/fenced-transport.ts';
import { KubernetesEventRecorder } from '../../adapters/kubernetes/event-recorder.ts';
import { ALL_KINDS, type KubernetesInformers, startKubernetesInformers } from '../../adapters/kubernetes/informers.ts';
import { PermissionWatch } from '../../adapters/kubernetes/permission-watch.ts';
import { RecordKey } from '../../adapters/kubernetes/record-key.ts';
import { KubernetesRecordWriter } from '../../adapters/kubernetes/record-writer.ts';
import { openLearner } from '../../adapters/workers/open-learner.ts';
import { RecommendedSizesAtCreation } from '../../controllers/creation/sizes-at-creation.ts';
import { LeaderFeed } from '../../controllers/replicas/leader-feed.ts';
import { Checkpoints } from '../../controllers/usage/checkpoints.ts';
import { RunsApart } from '../../controllers/usage/runs-apart.ts';
import { RecommenderFeed } from '../../controllers/usage/recommender-feed.ts';
import { reductionsPerMinute } from '../../core/effects/gate.ts';
import { type DurationMs, type Instant, MINUTE_MS } from '../../core/model/units.ts';
import type { ApiTransport } from '../../ports/api-transport.ts';
import type { CheckpointStore } from '../../ports/checkpoint-store.ts';
import type { FeedStatus } from '../../ports/cluster-feed.ts';
import type { Learner } from '../../ports/learner.ts';
import type { SharedState } from '../../ports/shared-state.ts';
import { HmacSigner } from '../../runtime/hmac-signer.ts';
import { EffectGate } from '../../runtime/effect-gate.ts';
import type { LeaderElection } from '../../runtime/leader-election.ts';
import { type Component, Supervisor } from '../../runtime/supervisor.ts';
import { ClusterState } from '../../state/cluster-state.ts';
import type { PolicyBook } from '../../state/policy-book.ts';
import { UsageModel } from '../../state/usage-model.ts';
import { evenkeelVersion, PACKAGE_ROOT } from '../version.ts';
import { Admission } from './admission.ts';
import { ApiServerHealth } from './api-server-health.ts';
import { controllerHistory } from './controller-history.ts';
import { CrdKeeper } from './crds.ts';
import { startDashboard } from './dashboard.ts';
import { autoscalerLeaseReader, controllerElection } from './election.ts';
import { leadTerm } from './leading.ts';
import { openHistory } from './open-history.ts';
import { openPrices } from './open-prices.ts';
import { startOperationalEndpoints } from './operational-endpoints.ts';
import { orAborted } from '../../runtime/or-aborted.ts';
import { plaintextCredentials } from './plaintext-credentials.ts';
import { ControllerPrometheus, PAST_MS } from './prometheus.ts';
import { Reconcilers } from './reconcilers.ts';
import { chooseUsageSources, liveUsage, type LiveUsage } from './usage-sources.ts';
import type { ControllerParts } from './controller-parts.ts';

/** Informers that say nothing for this long no longer confirm what they hold: they are to hear a bookmark each minute. */
const INFORMER_PERIOD_MS: DurationMs = MINUTE_MS;

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
export async function startController(parts: ControllerParts, signal?: AbortSignal): Promise<RunningController> {
  const starting = new Starting(parts, signal);
  try {
    return await starting.run();
  } catch (err) {
    await starting.stop();
    throw err;
  }
}

class Starting {
  readonly #supervisor: Supervisor;
  readonly #parts: ControllerParts;
  readonly #permissions: PermissionWatch;
  readonly #stop = new AbortController();

  constructor({ world, ...rest }: ControllerParts, signal: AbortSignal | undefined) {
    const { timer } = world;
    this.#permissions = new PermissionWatch({ timer, logger: rest.logger, metrics: rest.metrics });
    const [transport, leaseTransport] = [this.#permissions.over(world.transport), this.#permissions.over(world.leaseTransport)];
    const commandTransport = world.commandTransport === undefined ? transport : this.#permissions.over(world.commandTransport);
    const effectTransport = world.effectTransport === undefined ? transport : this.#permissions.over(world.effectTransport);
    const parts = { ...rest, world: { ...world, transport, commandTransport, effectTransport, leaseTransport } };
    this.#parts = parts;
    this.#supervisor = new Supervisor(parts.logger, parts.world.timer);
    const stop = (): void => this.#stop.abort(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) stop();
  }

  stop(): Promise<void> {
    this.#stop.abort(new Error('Evenkeel is stopping'));
    return this.#supervisor.stop();
  }

  async run(): Promise<RunningController> {
    const { world, settings, logger, metrics } = this.#parts;
    const { clock, timer, transport } = world;
    metrics.collectProcessMetrics();
    metrics
      .gauge({ name: 'evenkeel_build_info', help: 'Always 1; the labels say which version runs.', labels: ['version'] })
      .set(1, { version: evenkeelVersion() });

    const apiServer = new ApiServerHealth(transport, timer, clock);
    await this.#component(
      'API server health',
      () => apiServer.start(),
      () => apiServer.stop(),
    );
    const history = await openHistory(this.#parts);
    await this.#component('history', undefined, () => history.close());
    const plaintext = plaintextCredentials(settings, world.apiServer);
    for (const warning of plaintext) logger.warn('A credential is sent without encryption', { warning });
    const prices = openPrices(settings);
    // Before anything that may have to wait: whoever asks meanwhile is told what is missing.
    let feed: FeedStatus | null = null;
    const endpoints = await startOperationalEndpoints(settings, { apiServer, feed: () => feed, metrics, timer });
    await this.#component('probes and metrics', undefined, () => endpoints.close());
    const crds = settings['crds.install'] ? await this.#installCrds() : null;

    const state = new ClusterState();
    const informers = this.#startInformers(state);
    feed = informers;
    await this.#component('informers', undefined, () => informers.stop());
    const intervalMs = settings['kubelet.interval'];
    const usage = new UsageModel({ clock, reader: state, logger, metrics, intervalMs });
    const usageSources = await chooseUsageSources(world, { settings, reader: state, metrics, logger }, this.#stop.signal);
    // Made before what restores it, since a thread may be lost at any time.
    let restoreLost = (): Promise<unknown> => Promise.resolve();
    const threads = openLearner(settings['controller.recommenderThreads'], {
      timer,
      logger,
      metrics,
      restoreLost: () => restoreLost().then(() => undefined),
    });
    await this.#component('recommender', undefined, () => threads.stop());
    const learner = new RunsApart(threads);

    const prometheus = new ControllerPrometheus(world, settings, state, logger);
    await this.#component('prometheus', undefined, () => prometheus.stop());
    const election = controllerElection(this.#parts);
    const events = new KubernetesEventRecorder({
      transport,
      clock,
      random: world.random,
      logger,
      metrics,
      controller: 'evenkeel.io/controller',
      instance: world.identity,
    });
    const isLeader = (): boolean => election?.isLeader() ?? true;
    // What the leader writes leaves while it leads, to the last moment; what people ask for, any replica writes.
    const leaders = fencedTransport(transport, isLeader);
    const records = new KubernetesRecordWriter(world.commandTransport ?? transport);
    const recordKey = await this.#recordKey(leaders, isLeader);
    const signer = new HmacSigner(() => recordKey.key);
    const gate = new EffectGate({
      effects: new KubernetesEffectWriter(fencedTransport(world.effectTransport ?? transport, isLeader)),
      dryRunEffects: dryRunEffectWriter(transport),
      timeline: history,
      clock,
      logger,
      metrics,
      dryRun: settings['controller.dryRun'],
      isLeader,
      activePause: (now) => state.activePause(now),
      sources: [
        {
          name: 'informers',
          periodMs: INFORMER_PERIOD_MS,
          confirmedAt: () => informers.confirmedAt(),
          problem: () => informers.holdUp(),
        },
        { name: 'usage', periodMs: intervalMs, confirmedAt: () => usage.confirmedAt(), problem: () => usage.problem() },
      ],
      warmUpMs: settings['controller.warmUp'],
      reductionsPerMinute: () => reductionsPerMinute(settings['controller.reductionsPerMinute'], [...state.nodes()].length),
    });
    let unwatch: () => void = () => undefined;
    await this.#component(
      'effect gate',
      async () => {
        unwatch = gate.watch();
      },
      () => unwatch(),
    );
    const autoscalerLease = autoscalerLeaseReader(this.#parts);
    const reconcilers = new Reconcilers({
      world,
      settings,
      logger,
      metrics,
      state,
      usage,
      usageSource: usageSources.usage,
      learner,
      errorRates: prometheus.errorRates,
      cycleLog: history,
      rollups: history,
      timeline: history,
      prices,
      gate,
      records: new KubernetesRecordWriter(leaders),
      signer,
      events,
      permissions: this.#permissions,
      autoscalerLease,
    });
    const admission = this.#admission(state, reconcilers.policies, leaders, isLeader);
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
    const leaderFeed = this.#leaderFeed(history.shared, usage, reconcilers, election);
    const joined = {
      permissions: this.#permissions,
      plaintext,
      apiServer,
      admission,
      crds,
      state,
      informers,
      usage,
      usageSource,
      prometheus,
      leaderFeed,
      history,
      prices,
      election,
      reconcilers,
      records,
      recordKey,
      signer,
      events,
    };
    const dashboard = await startDashboard(this.#parts, joined);
    await this.#component('dashboard', undefined, () => dashboard.close());

    await orAborted(informers.whenSynced, this.#stop.signal);
    await this.#component(
      'lease of evenkeel-autoscaler',
      () => autoscalerLease.start(),
      () => autoscalerLease.stop(),
    );
    await this.#component(
      'admission',
      async () => admission.start(),
      () => admission.stop(),
    );
    const checkpoints = await this.#startLearning(learner, state, usage, history, prometheus, isLeader);
    restoreLost = () => checkpoints.restore();
    const recorder = controllerHistory({ state, usage, rollups: history, prices, reconcilers, clock });
    // Records of an earlier term are known from the first decision on.
    const decide = (term: AbortSignal): Promise<void> => recordKey.look(term).then(() => reconcilers.run(term));
    if (leaderFeed === null) {
      checkpoints.start(0);
      await this.#readUsage(usageSource, usage, intervalMs);
      await this.#component(
        'history recorder',
        async () => recorder.start(),
        () => recorder.stop(),
      );
      await this.#lead(election, decide);
    } else {
      await this.#component(
        'what the leader shares',
        () => leaderFeed.start(),
        async () => {
          await leaderFeed.stop();
          usage.close();
        },
      );
      const { shared } = history;
      if (shared === null) throw new Error('a store that is not shared has no leader to follow');
      const parts = { shared, feed: leaderFeed, source: usageSource, usage, intervalMs, recorder, checkpoints, decisions };
      const follow = (): void => void (this.#stop.signal.aborted || leaderFeed.start());
      const lead = { ...parts, cluster: state, clock, isLeader, leaseTransitions: () => election?.transitions() ?? 0 };
      await this.#lead(election, (term) => leadTerm(lead, decide, term).finally(follow));
    }
    const ports = { dashboardPort: dashboard.port, metricsPort: endpoints.metricsPort, probePort: endpoints.probePort };
    logger.info('Evenkeel is up', { version: evenkeelVersion(), ...ports, dryRun: settings['controller.dryRun'] });
    return { ...ports, isLeader, stop: () => this.stop() };
  }

  async #component(name: string, start: (() => Promise<void>) | undefined, stop: () => void | Promise<void>): Promise<void> {
    const component: Component = { name, start: start ?? (() => Promise.resolve()), stop: async () => stop() };
    await this.#supervisor.start(component);
  }

  async #installCrds(): Promise<CrdKeeper> {
    const { world, logger } = this.#parts;
    const manifests = await readCrds(join(PACKAGE_ROOT, 'crds'));
    const crds = new CrdKeeper({ manifests, transport: world.transport, timer: world.timer, logger, version: evenkeelVersion() });
    await crds.install(this.#stop.signal);
    let keeping: Promise<void> = Promise.resolve();
    await this.#component(
      'custom resources',
      async () => {
        keeping = crds.keep(this.#stop.signal);
      },
      () => keeping,
    );
    return crds;
  }

  async #recordKey(leaders: ApiTransport, isLeader: () => boolean): Promise<RecordKey> {
    const { world, settings, logger } = this.#parts;
    const { transport, timer, namespace } = world;
    const key = new RecordKey({ transport, leaders, timer, logger, namespace, isLeader, dryRun: settings['controller.dryRun'] });
    const stop = new AbortController();
    let keeping: Promise<void> = Promise.resolve();
    await this.#component(
      'key of records',
      async () => {
        keeping = key.keep(stop.signal);
      },
      () => {
        stop.abort(new Error('the key of records is kept no longer'));
        return keeping;
      },
    );
    return key;
  }

  #startInformers(state: ClusterState): KubernetesInformers {
    const { world, logger, metrics } = this.#parts;
    const { transport, clock, activity, random, namespace, watches = { timer: world.timer } } = world;
    return startKubernetesInformers({
      transport,
      clock,
      ...watches,
      activity,
      random,
      logger,
      metrics,
      sink: state,
      namespace,
      kinds: ALL_KINDS,
    });
  }

  #admission(state: ClusterState, policies: PolicyBook, leaders: ApiTransport, isLeader: () => boolean): Admission {
    const { world, settings, logger, metrics } = this.#parts;
    const { transport, timer, clock, namespace } = world;
    const activePause = (now: Instant): unknown => state.activePause(now);
    const sizes = new RecommendedSizesAtCreation({ cluster: state, policies, clock, dryRun: settings['controller.dryRun'], activePause });
    return new Admission({ settings, transport, leaders, timer, logger, metrics, namespace, sizes, isLeader });
  }

  /** Only where replicas share a store and take turns in leading. */
  #leaderFeed(
    shared: SharedState | null,
    usage: UsageModel,
    { decisions }: Reconcilers,
    election: LeaderElection | null,
  ): LeaderFeed | null {
    if (shared === null || election === null) return null;
    const { world, settings, logger, metrics } = this.#parts;
    const intervalMs = settings['kubelet.interval'];
    return new LeaderFeed({ shared, usage, decisions, intervalMs, clock: world.clock, machine: world.timer, logger, metrics });
  }

  async #startLearning(
    learner: Learner,
    state: ClusterState,
    usage: UsageModel,
    store: CheckpointStore,
    prometheus: ControllerPrometheus,
    isLeader: () => boolean,
  ): Promise<Checkpoints> {
    const { world, logger } = this.#parts;
    const { clock, activity, pastUsage } = world;
    const checkpoints = new Checkpoints({ learner, store, isLeader, clock, activity, logger });
    await checkpoints.restore();
    const onForgotten = (keys: readonly string[]): void => void checkpoints.delete(keys);
    const feed = new RecommenderFeed({ cluster: state, usage, learner, clock, logger, onForgotten });
    if (pastUsage !== null) await feed.backfill(pastUsage, PAST_MS, this.#stop.signal);
    await this.#component(
      'what the recommender is fed',
      () => feed.start(),
      () => feed.stop(),
    );
    await this.#component('checkpoints', undefined, () => checkpoints.stop());
    prometheus.startPast(feed);
    return checkpoints;
  }

  async #readUsage(source: LiveUsage, usage: UsageModel, intervalMs: DurationMs): Promise<void> {
    const stop = new AbortController();
    let running: Promise<void> = Promise.resolve();
    await this.#component(
      'usage source',
      async () => {
        running = source.run(usage, intervalMs, stop.signal);
      },
      async () => {
        stop.abort(new Error('usage source is stopping'));
        await running;
        usage.close();
      },
    );
  }

  /** `term` runs while this replica leads. Stopping waits for it before the lease is released. */
  async #lead(election: LeaderElection | null, term: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const stop = new AbortController();
    let running: Promise<void> = Promise.resolve();
    await this.#component(
      'reconcilers',
      async () => {
        running = election === null ? term(stop.signal) : election.run(term, stop.signal);
      },
      async () => {
        stop.abort(new Error('reconcilers are stopping'));
        await running;
      },
    );
  }
}
