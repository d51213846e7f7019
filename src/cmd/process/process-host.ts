// The common components of every binary: watched transports, metrics, probes, informers, the model of the cluster, the effect gate, leader
// election, and a stop in reverse order of the start.

import { dryRunEffectWriter } from '../../adapters/kubernetes/write/dry-run-effect-writer.ts';
import { kubernetesEffectWriter } from '../../adapters/kubernetes/write/effect-writer.ts';
import { fencedTransport } from '../../adapters/kubernetes/transport/fenced-transport.ts';
import { type KubernetesInformers, startKubernetesInformers } from '../../adapters/kubernetes/watch/informers.ts';
import { KubernetesLeaseStore } from '../../adapters/kubernetes/write/lease-store.ts';
import { ThreadElection } from '../../adapters/lease-thread/thread-election.ts';
import { PermissionWatch } from '../../adapters/kubernetes/access/permission-watch.ts';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';
import type { Election } from '../../ports/cluster/election.ts';
import type { ClusterKind } from '../../ports/cluster/cluster-feed.ts';
import type { Logger } from '../../ports/logger.ts';
import { EffectGate, type EffectGateDependencies } from '../../runtime/effects/effect-gate.ts';
import { LeaderElection } from '../../runtime/leader-election.ts';
import type { PrometheusMetrics } from '../../runtime/metrics.ts';
import { Supervisor } from '../../runtime/supervisor.ts';
import { ClusterState } from '../../state/cluster-state.ts';
import { evenkeelVersion } from '../version.ts';
import { ApiServerHealth } from './api-server-health.ts';
import { type EndpointAddresses, type OperationalEndpoints, startOperationalEndpoints } from './operational-endpoints.ts';
import type { ProcessEnvironment } from './process-environment.ts';

/** Without an event or bookmark for this long, informers no longer confirm their state: a bookmark is due each minute. */
const INFORMER_PERIOD_MS: DurationMs = MINUTE_MS;

/** An environment with all optional transports. */
export type HostedEnvironment<Environment extends ProcessEnvironment> = Environment &
  Required<Pick<ProcessEnvironment, 'commandTransport' | 'effectTransport'>>;

export interface ProcessHostDependencies<Environment extends ProcessEnvironment> {
  readonly environment: Environment;
  readonly logger: Logger;
  /** The registry of the whole process. */
  readonly metrics: PrometheusMetrics;
  /** Name of the Lease of the leader election; null where this replica always leads. */
  readonly lease: string | null;
}

/** The options of the effect gate that differ between binaries. */
export type HostGateOptions = Pick<EffectGateDependencies, 'dryRun' | 'warmUpMs' | 'reductionsPerMinute' | 'timeline'> & {
  /** Sources besides the informers. */
  readonly sources: EffectGateDependencies['sources'];
};

/** Starts and stops the components of a binary. The constructor's signal aborts the start. */
export class ProcessHost<Environment extends ProcessEnvironment = ProcessEnvironment> {
  /** With transports that record forbidden requests. */
  readonly environment: HostedEnvironment<Environment>;
  readonly logger: Logger;
  readonly metrics: PrometheusMetrics;
  readonly permissions: PermissionWatch;
  readonly apiServer: ApiServerHealth;
  readonly state = new ClusterState();
  /** null where this replica always leads. */
  readonly election: Election | null;
  /** Sends requests only while this replica leads. */
  readonly leaderTransport: ApiTransport;
  readonly #supervisor: Supervisor;
  readonly #stop = new AbortController();
  #informers: KubernetesInformers | null = null;

  constructor({ environment, logger, metrics, lease }: ProcessHostDependencies<Environment>, signal?: AbortSignal) {
    this.logger = logger;
    this.metrics = metrics;
    const { timer, transport } = environment;
    this.permissions = new PermissionWatch({ timer, logger, metrics, transport, signal: this.#stop.signal });
    this.environment = watchTransports(environment, this.permissions);
    this.apiServer = new ApiServerHealth(this.environment.transport, environment.timer, environment.clock);
    this.election = lease === null ? null : this.#electionFor(lease);
    this.leaderTransport = fencedTransport(this.environment.transport, () => this.isLeader(), environment.timer);
    this.#supervisor = new Supervisor(logger, environment.timer);
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

  /** Runs the start of a binary's components. Where it throws, the started ones are stopped first. */
  async startWith<Running>(start: () => Promise<Running>): Promise<Running> {
    try {
      return await start();
    } catch (err) {
      await this.stop();
      throw err;
    }
  }

  /** Stops all components in reverse order of their start, within 10 s. */
  stop(): Promise<void> {
    this.#stop.abort(new Error('Evenkeel is stopping'));
    return this.#supervisor.stop();
  }

  /** Starts a component that is stopped with the host. `start` resolves once it runs. */
  async addComponent(name: string, stop: () => void | Promise<void>, start: () => void | Promise<void> = () => undefined): Promise<void> {
    await this.#supervisor.start({ name, start: async () => start(), stop: async () => stop() });
  }

  /** Starts a component that runs until its signal aborts; a stop waits for its end. */
  async runComponent(name: string, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const stop = new AbortController();
    let running: Promise<void> = Promise.resolve();
    const end = async (): Promise<void> => {
      stop.abort(new Error(`${name}: stopping`));
      await running;
    };
    await this.addComponent(name, end, () => {
      running = run(stop.signal);
    });
  }

  /** Exports process metrics and starts to check the API server. */
  async begin(): Promise<void> {
    this.metrics.collectProcessMetrics();
    this.metrics
      .gauge({ name: 'evenkeel_build_info', help: 'Always 1, with the running version as its label.', labels: ['version'] })
      .set(1, { version: evenkeelVersion() });
    await this.addComponent(
      'API server health',
      () => this.apiServer.stop(),
      () => this.apiServer.start(),
    );
  }

  /** Serves probes and metrics. Called before components that may have to wait, so that readiness reports what is missing. */
  async serveEndpoints(addresses: EndpointAddresses): Promise<OperationalEndpoints> {
    const { apiServer, metrics } = this;
    const feed = (): KubernetesInformers | null => this.#informers;
    const endpoints = await startOperationalEndpoints(addresses, { apiServer, feed, metrics, timer: this.environment.timer });
    await this.addComponent('probes and metrics', () => endpoints.close());
    return endpoints;
  }

  /** Watches these kinds into `state`, and the pause in any case, which the gate needs. */
  async startInformers(kinds: readonly ClusterKind[]): Promise<KubernetesInformers> {
    const { logger, metrics } = this;
    const { transport, clock, activity, random, namespace, timer, watches = { timer } } = this.environment;
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
    await this.addComponent('informers', () => informers.stop());
    return informers;
  }

  /** Opens the effect gate: only the leader writes, with fresh informers, and not during a pause. */
  async openGate({ sources, ...options }: HostGateOptions): Promise<EffectGate> {
    const { logger, metrics, state, environment } = this;
    const isLeader = (): boolean => this.isLeader();
    const gate = new EffectGate({
      ...options,
      effects: kubernetesEffectWriter(fencedTransport(environment.effectTransport, isLeader, environment.timer)),
      dryRunEffects: dryRunEffectWriter(environment.transport),
      clock: environment.clock,
      logger,
      metrics,
      isLeader,
      activePause: (now) => state.activePause(now),
      sources: [
        {
          name: 'informers',
          periodMs: INFORMER_PERIOD_MS,
          confirmedAt: () => this.#informers?.confirmedAt() ?? 0,
          problem: () => this.#informers?.describeStaleness() ?? null,
        },
        ...sources,
      ],
    });
    let unwatch: () => void = () => undefined;
    await this.addComponent(
      'effect gate',
      () => unwatch(),
      () => {
        unwatch = gate.watch();
      },
    );
    return gate;
  }

  /** Runs `term` while this replica leads. A stop waits for its end before the lease is released. */
  async lead(term: (signal: AbortSignal) => Promise<void>): Promise<void> {
    await this.runComponent('reconcilers', (signal) => (this.election === null ? term(signal) : this.election.run(term, signal)));
  }

  #electionFor(lease: string): Election {
    const { leaseTransport, electionThread, namespace, identity, timer, random } = this.environment;
    if (electionThread !== undefined) {
      return new ThreadElection({
        ...electionThread,
        namespace,
        lease,
        identity,
        timer,
        random,
        logger: this.logger,
        metrics: this.metrics,
        onResponse: (request, response) => this.permissions.observe(request, response),
      });
    }
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

function watchTransports<Environment extends ProcessEnvironment>(
  environment: Environment,
  permissions: PermissionWatch,
): HostedEnvironment<Environment> {
  const transport = permissions.over(environment.transport);
  return {
    ...environment,
    transport,
    commandTransport: environment.commandTransport === undefined ? transport : permissions.over(environment.commandTransport),
    effectTransport: environment.effectTransport === undefined ? transport : permissions.over(environment.effectTransport),
    leaseTransport: permissions.over(environment.leaseTransport),
  };
}
