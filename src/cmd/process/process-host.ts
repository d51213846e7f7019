// What every binary of Evenkeel stands on, wired once: watched transports, metrics, probes, informers, the model of the
// cluster, the effect gate, leader election, and a stop in reverse order of the start.

import { dryRunEffectWriter } from '../../adapters/kubernetes/dry-run-effect-writer.ts';
import { kubernetesEffectWriter } from '../../adapters/kubernetes/effect-writer.ts';
import { fencedTransport } from '../../adapters/kubernetes/fenced-transport.ts';
import { type KubernetesInformers, startKubernetesInformers } from '../../adapters/kubernetes/informers.ts';
import { KubernetesLeaseStore } from '../../adapters/kubernetes/lease-store.ts';
import { PermissionWatch } from '../../adapters/kubernetes/permission-watch.ts';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';
import type { ClusterKind } from '../../ports/cluster-feed.ts';
import type { Logger } from '../../ports/logger.ts';
import { EffectGate, type EffectGateDependencies } from '../../runtime/effect-gate.ts';
import { LeaderElection } from '../../runtime/leader-election.ts';
import type { PrometheusMetrics } from '../../runtime/metrics.ts';
import { Supervisor } from '../../runtime/supervisor.ts';
import { ClusterState } from '../../state/cluster-state.ts';
import { evenkeelVersion } from '../version.ts';
import { ApiServerHealth } from './api-server-health.ts';
import { type EndpointAddresses, type OperationalEndpoints, startOperationalEndpoints } from './operational-endpoints.ts';
import type { ProcessEnvironment } from './process-world.ts';

/** Informers that were silent for this long no longer confirm what they hold: a bookmark is due each minute. */
const INFORMER_PERIOD_MS: DurationMs = MINUTE_MS;

/** A world whose transports all are there. */
export type HostedEnvironment<Environment extends ProcessEnvironment> = Environment &
  Required<Pick<ProcessEnvironment, 'commandTransport' | 'effectTransport'>>;

export interface ProcessHostDependencies<Environment extends ProcessEnvironment> {
  readonly world: Environment;
  readonly logger: Logger;
  /** All of the process: what the world counts, too. */
  readonly metrics: PrometheusMetrics;
  /** Name of the Lease that replicas compete for. null: this replica leads without asking. */
  readonly lease: string | null;
}

/** What differs between gates of binaries; the rest is the host's. */
export type HostGateOptions = Pick<EffectGateDependencies, 'dryRun' | 'warmUpMs' | 'reductionsPerMinute' | 'timeline'> & {
  /** Beside the informers. */
  readonly sources: EffectGateDependencies['sources'];
};

/** Stops when asked, or when the signal that it was made with aborts the start. */
export class ProcessHost<Environment extends ProcessEnvironment = ProcessEnvironment> {
  /** Its transports record what the API server forbids. */
  readonly world: HostedEnvironment<Environment>;
  readonly logger: Logger;
  readonly metrics: PrometheusMetrics;
  readonly permissions: PermissionWatch;
  readonly apiServer: ApiServerHealth;
  readonly state = new ClusterState();
  /** null: this replica leads without asking. */
  readonly election: LeaderElection | null;
  /** What is sent by it leaves only while this replica leads, to the last moment. */
  readonly leaderTransport: ApiTransport;
  readonly #supervisor: Supervisor;
  readonly #stop = new AbortController();
  #informers: KubernetesInformers | null = null;

  constructor({ world, logger, metrics, lease }: ProcessHostDependencies<Environment>, signal?: AbortSignal) {
    this.logger = logger;
    this.metrics = metrics;
    const { timer, transport } = world;
    this.permissions = new PermissionWatch({ timer, logger, metrics, transport, signal: this.#stop.signal });
    this.world = watchedWorld(world, this.permissions);
    this.apiServer = new ApiServerHealth(this.world.transport, world.timer, world.clock);
    this.election = lease === null ? null : this.#electionFor(lease);
    this.leaderTransport = fencedTransport(this.world.transport, () => this.isLeader());
    this.#supervisor = new Supervisor(logger, world.timer);
    const stop = (): void => this.#stop.abort(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) stop();
  }

  /** Aborts when the process stops. */
  get stopping(): AbortSignal {
    return this.#stop.signal;
  }

  isLeader(): boolean {
    return this.election?.isLeader() ?? true;
  }

  /** Runs the start of the parts of a binary. Where it throws, those already started are stopped before. */
  async startWith<Running>(start: () => Promise<Running>): Promise<Running> {
    try {
      return await start();
    } catch (err) {
      await this.stop();
      throw err;
    }
  }

  /** Stops every part, the last started first. Under 10 s. */
  stop(): Promise<void> {
    this.#stop.abort(new Error('Evenkeel is stopping'));
    return this.#supervisor.stop();
  }

  /** A part that is stopped with the host. `start` resolves when it is up. */
  async addPart(name: string, stop: () => void | Promise<void>, start: () => void | Promise<void> = () => undefined): Promise<void> {
    await this.#supervisor.start({ name, start: async () => start(), stop: async () => stop() });
  }

  /** A part that runs until its signal aborts. Stopping waits for its end. */
  async runPart(name: string, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const stop = new AbortController();
    let running: Promise<void> = Promise.resolve();
    const end = async (): Promise<void> => {
      stop.abort(new Error(`${name}: stopping`));
      await running;
    };
    await this.addPart(name, end, () => {
      running = run(stop.signal);
    });
  }

  /** Exports what every process does, and begins to ask the API server whether it is there. */
  async begin(): Promise<void> {
    this.metrics.collectProcessMetrics();
    this.metrics
      .gauge({ name: 'evenkeel_build_info', help: 'Always 1; the labels say which version runs.', labels: ['version'] })
      .set(1, { version: evenkeelVersion() });
    await this.addPart(
      'API server health',
      () => this.apiServer.stop(),
      () => this.apiServer.start(),
    );
  }

  /** Probes and metrics. To be started before what may have to wait: readiness says meanwhile what is missing. */
  async serveEndpoints(addresses: EndpointAddresses): Promise<OperationalEndpoints> {
    const { apiServer, metrics } = this;
    const feed = (): KubernetesInformers | null => this.#informers;
    const endpoints = await startOperationalEndpoints(addresses, { apiServer, feed, metrics, timer: this.world.timer });
    await this.addPart('probes and metrics', () => endpoints.close());
    return endpoints;
  }

  /** Watches these kinds into `state`. The kill switch is watched, whatever they are: without it the gate would miss a pause. */
  async startInformers(kinds: readonly ClusterKind[]): Promise<KubernetesInformers> {
    const { logger, metrics } = this;
    const { transport, clock, activity, random, namespace, timer, watches = { timer } } = this.world;
    const informers = startKubernetesInformers({
      transport,
      clock,
      ...watches,
      activity,
      random,
      logger,
      metrics,
      sink: this.state,
      namespace,
      kinds: [...new Set<ClusterKind>([...kinds, 'pause'])],
    });
    this.#informers = informers;
    await this.addPart('informers', () => informers.stop());
    return informers;
  }

  /** The one gate that effects pass: by the leader alone, on fresh informers, and in no pause. */
  async openGate({ sources, ...options }: HostGateOptions): Promise<EffectGate> {
    const { logger, metrics, state, world } = this;
    const isLeader = (): boolean => this.isLeader();
    const gate = new EffectGate({
      ...options,
      effects: kubernetesEffectWriter(fencedTransport(world.effectTransport, isLeader)),
      dryRunEffects: dryRunEffectWriter(world.transport),
      clock: world.clock,
      logger,
      metrics,
      isLeader,
      activePause: (now) => state.activePause(now),
      sources: [
        {
          name: 'informers',
          periodMs: INFORMER_PERIOD_MS,
          confirmedAt: () => this.#informers?.confirmedAt() ?? 0,
          problem: () => this.#informers?.holdUp() ?? null,
        },
        ...sources,
      ],
    });
    let unwatch: () => void = () => undefined;
    await this.addPart(
      'effect gate',
      () => unwatch(),
      () => {
        unwatch = gate.watch();
      },
    );
    return gate;
  }

  /** `term` runs while this replica leads. Stopping waits for it before the lease is released. */
  async lead(term: (signal: AbortSignal) => Promise<void>): Promise<void> {
    await this.runPart('reconcilers', (signal) => (this.election === null ? term(signal) : this.election.run(term, signal)));
  }

  #electionFor(lease: string): LeaderElection {
    const { leaseTransport, namespace, identity, timer, random } = this.world;
    return new LeaderElection({
      store: new KubernetesLeaseStore(leaseTransport, { namespace, name: lease }),
      identity,
      machine: timer,
      random,
      logger: this.logger,
      metrics: this.metrics,
      timestamp: () => new Date().toISOString(),
    });
  }
}

function watchedWorld<Environment extends ProcessEnvironment>(
  world: Environment,
  permissions: PermissionWatch,
): HostedEnvironment<Environment> {
  const transport = permissions.over(world.transport);
  return {
    ...world,
    transport,
    commandTransport: world.commandTransport === undefined ? transport : permissions.over(world.commandTransport),
    effectTransport: world.effectTransport === undefined ? transport : permissions.over(world.effectTransport),
    leaseTransport: permissions.over(world.leaseTransport),
  };
}
