// The demo's controller: the same components as in the binary, on the embedded cluster in process.

import { createWriteStream } from 'node:fs';
import { HOUR_MS } from '#kube/units';
import type { MachineTimer } from '../ports/clock.ts';
import { REFLECTOR_TIMES } from '../adapters/kubernetes/watch/reflector-spec.ts';
import { type RunningController, startController } from '../cmd/controller/controller.ts';
import type { ControllerDependencies } from '../cmd/controller/controller-environment.ts';
import type { ControllerEnvironment } from '../cmd/controller/controller-environment.ts';
import { createLogger } from '../runtime/logging.ts';
import { PrometheusMetrics } from '../runtime/metrics.ts';
import { loadSettings } from '../runtime/options/load-settings.ts';
import { EVENKEEL_SETTINGS } from '../runtime/options/settings-schema.ts';
import { SeededRandom } from '../runtime/random.ts';
import type { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { OWN_NAMESPACE } from './demo-cluster.ts';
import type { DemoOptions } from './options.ts';
import { isPortFree } from './ports.ts';

/** The controller's default ports, by the option that chooses another. */
const USUAL_PORTS = { 'dashboard-port': 9090, 'metrics-port': 8080, 'probe-port': 8081 } as const;

const YEAR_SECONDS = 365 * 24 * 3600;

export interface DemoController {
  readonly controller: RunningController;
  /** For the user: each port that is not the usual one, with the reason. */
  readonly notes: readonly string[];
  stop(): Promise<void>;
}

/** Starts the controller with default settings except loopback addresses and a separate store. Rejects when interrupted. */
export async function startDemoController(
  cluster: EmbeddedCluster,
  options: DemoOptions,
  dependencies: { readonly folder: string; readonly logFile: string; readonly timer: MachineTimer; readonly interrupted: AbortSignal },
): Promise<DemoController> {
  const isFullSpeed = options.speed === 'max';
  const taken: (keyof typeof USUAL_PORTS)[] = [];
  const address = async (option: keyof typeof USUAL_PORTS): Promise<string> => {
    const isUsualFree = isFullSpeed || options[option] !== null || (await isPortFree(USUAL_PORTS[option]));
    if (!isUsualFree) taken.push(option);
    return `127.0.0.1:${options[option] ?? (isFullSpeed || !isUsualFree ? 0 : USUAL_PORTS[option])}`;
  };
  const flags = {
    'cluster.name': 'evenkeel-demo',
    'dashboard.addr': await address('dashboard-port'),
    'controller.metricsAddr': await address('metrics-port'),
    'controller.probeAddr': await address('probe-port'),
    // In the main thread, so that the same seed gives the same result.
    'controller.recommenderThreads': '0',
    // At full speed nothing may depend on machine time, including leases; no other replica competes.
    'controller.leaderElect': String(!isFullSpeed),
    'history.url': isFullSpeed ? 'sqlite::memory:' : `sqlite:${dependencies.folder}/history.sqlite`,
  };
  const loaded = loadSettings(EVENKEEL_SETTINGS, {
    environment: {},
    flags: Object.entries(flags).map(([name, value]) => ({ name, value })),
  });
  if (!loaded.ok) throw new Error(loaded.message);
  const log = createWriteStream(dependencies.logFile, { flags: 'a' });
  const logger = createLogger({ level: loaded.settings['controller.logLevel'], stream: log, now: () => new Date(cluster.clock.now()) });
  const controllerDependencies: ControllerDependencies = {
    environment: {
      transport: cluster.transport('evenkeel-controller'),
      leaseTransport: cluster.transport('evenkeel-controller'),
      kubelets: cluster.nodes.direct,
      pastUsage: cluster.nodes.history,
      clock: cluster.clock,
      timer: dependencies.timer,
      ...(isFullSpeed && { watches: watchesOf(cluster, dependencies.timer) }),
      activity: cluster.activity.labelled('controller'),
      random: new SeededRandom(options.seed),
      namespace: OWN_NAMESPACE,
      clusterName: loaded.settings['cluster.name'],
      identity: 'evenkeel-controller-demo',
    },
    settings: loaded.settings,
    logger,
    metrics: new PrometheusMetrics(),
  };
  const controller = await startController(controllerDependencies, dependencies.interrupted);
  const ports = {
    'dashboard-port': { what: 'the dashboard is', port: controller.dashboardPort },
    'metrics-port': { what: '/metrics is', port: controller.metricsPort },
    'probe-port': { what: '/healthz and /readyz are', port: controller.probePort },
  };
  return {
    controller,
    notes: taken.map(
      (option) =>
        `port ${USUAL_PORTS[option]} is taken, so ${ports[option].what} on port ${ports[option].port} (--${option} chooses another)`,
    ),
    stop: async () => {
      await controller.stop();
      await new Promise<void>((resolve) => log.end(resolve));
    },
  };
}

/**
 * Watches in virtual time: timeouts and retries follow the cluster's clock, so that machine speed has no effect. They last a year, and a
 * kind that is not served is retried once an hour, since shorter intervals cost requests every few virtual minutes.
 */
function watchesOf({ clock }: EmbeddedCluster, machine: MachineTimer): NonNullable<ControllerEnvironment['watches']> {
  const timer: MachineTimer = {
    nowMs: () => clock.now(),
    // A delay of 0 is a turn of the event loop, which must also occur while the clock is stopped.
    setTimer: (afterMs, task) => (afterMs === 0 ? machine.setTimer(0, task) : clock.schedule(clock.now() + afterMs, task)),
  };
  return { timer, times: { ...REFLECTOR_TIMES, watchSeconds: [YEAR_SECONDS, YEAR_SECONDS], foreignRetryMs: HOUR_MS } };
}
