// The embedded cluster, joined: API server, components, nodes and one virtual clock for all of them.

import type { DurationMs, Instant } from '#kube/units';
import type { MachineTimer } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import type { Random } from './ports/random.ts';
import { embeddedActions, embeddedStrategies } from './admission/index.ts';
import { startControllers } from './controllers/index.ts';
import { EmbeddedApiServer } from './api/embedded-api-server.ts';
import { InProcessTransport } from './api/in-process-transport.ts';
import { CountingActivity } from './clock/activity.ts';
import { type ClockSpeed, VirtualClock } from './clock/virtual-clock.ts';
import type { KubeletConfiguration } from './nodes/kubelet/kubelet-configuration.ts';
import { createNodes } from './nodes/node-pool.ts';
import { NodeSimulation } from './nodes/node-simulation.ts';
import { Scheduler } from './scheduler/scheduler.ts';
import type { RecordingLibrary } from './usage/recording-files.ts';

export interface EmbeddedClusterOptions {
  /** Start of the cluster in domain time. */
  readonly startAt: Instant;
  readonly seed: number;
  /** Creates the independent random sequences of the parts from a seed. */
  readonly random: (seed: number) => Random;
  readonly speed: ClockSpeed;
  readonly nodes: {
    readonly count: number;
    readonly machineTypes: readonly string[];
    /** `v1.33.4`: kubelets before 1.34 measure no pressure. Default: that of the API server. */
    readonly kubeletVersion?: string;
    readonly kubelet?: KubeletConfiguration;
  };
  readonly recordings?: RecordingLibrary;
  readonly timer: MachineTimer;
  readonly logger: Logger;
}

export class EmbeddedCluster {
  readonly activity = new CountingActivity();
  readonly clock: VirtualClock;
  readonly server: EmbeddedApiServer;
  readonly nodes: NodeSimulation;
  readonly #stops: (() => void)[] = [];

  /** Creates everything and registers the nodes. The clock does not run yet. */
  constructor(options: EmbeddedClusterOptions) {
    const { startAt, seed, random, timer, logger } = options;
    const clock = new VirtualClock({
      startAt,
      seed,
      speed: options.speed,
      timer,
      activity: this.activity,
      onFault: (err) => logger.error('A component of the embedded cluster failed', { err }),
    });
    this.clock = clock;
    this.server = new EmbeddedApiServer({
      clock,
      activity: this.activity.labelled('api'),
      machine: timer,
      random: random(seed),
      logger,
      strategies: embeddedStrategies(),
      actions: embeddedActions(),
      providers: {},
      speed: () => clock.speed,
    });
    const { server } = this;
    this.nodes = new NodeSimulation({
      cluster: server.accessAs('system:kubelet'),
      clock,
      seed,
      epoch: startAt,
      ...(options.recordings === undefined ? {} : { recordings: options.recordings }),
    });
    server.useProviders(this.nodes.providers);
    createNodes(server.accessAs('system:cloud-provider'), { ...options.nodes, seed, now: startAt });
    this.#stops.push(
      this.nodes.start(),
      new Scheduler(server.accessAs('system:kube-scheduler'), clock).start(),
      startControllers({
        cluster: server.accessAs('system:kube-controller-manager'),
        clock,
        random: random(seed + 1),
        metrics: this.nodes.metrics,
      }),
    );
  }

  /** Access as administrator, without a network. */
  transport(userAgent: string): InProcessTransport {
    return new InProcessTransport(this.server, { userAgent });
  }

  /** Runs for a span of virtual time as fast as possible, then stops the clock. */
  async live(durationMs: DurationMs): Promise<void> {
    const { speed } = this.clock;
    this.clock.setSpeed('max');
    await this.clock.runFor(durationMs);
    this.clock.setSpeed(speed);
  }

  /** Stops every component and timer. */
  close(): void {
    this.clock.stop();
    for (const stop of this.#stops.splice(0).reverse()) stop();
    this.server.close();
  }
}
