// The controller inside the demo: the same parts as the binary's, on the embedded cluster in process.

import { createWriteStream } from 'node:fs';
import { HOUR_MS } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import { REFLECTOR_TIMES } from '../../adapters/kubernetes/reflector-spec.ts';
import { type RunningController, startController } from '../../cmd/controller/controller.ts';
import type { ControllerDependencies } from '../../cmd/controller/controller-environment.ts';
import type { ControllerEnvironment } from '../../cmd/controller/controller-environment.ts';
import { createLogger } from '../../runtime/logging.ts';
import { PrometheusMetrics } from '../../runtime/metrics.ts';
import { loadSettings } from '../../runtime/options/load-settings.ts';
import { EVENKEEL_SETTINGS } from '../../runtime/options/settings-schema.ts';
import { SeededRandom } from '../../runtime/random.ts';
import type { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { OWN_NAMESPACE } from './demo-cluster.ts';
import type { DemoOptions } from './options.ts';
import { freePort } from './ports.ts';

const YEAR_SECONDS = 365 * 24 * 3600;

export interface DemoController {
  readonly controller: RunningController;
  stop(): Promise<void>;
}

/** Everything as shipped but what a demo must choose: loopback addresses, and a store of its own. Throws when interrupted on the way. */
export async function startDemoController(
  cluster: EmbeddedCluster,
  options: DemoOptions,
  dependencies: { readonly folder: string; readonly logFile: string; readonly timer: MachineTimer; readonly interrupted: AbortSignal },
): Promise<DemoController> {
  const quick = options.speed === 'max';
  const port = async (wanted: number | null, usual: number): Promise<number> => wanted ?? (quick ? 0 : await freePort(usual));
  const flags = {
    'cluster.name': 'evenkeel-demo',
    'dashboard.addr': `127.0.0.1:${await port(options['dashboard-port'], 9090)}`,
    'controller.metricsAddr': `127.0.0.1:${await port(options['metrics-port'], 8080)}`,
    'controller.probeAddr': `127.0.0.1:${await port(options['probe-port'], 8081)}`,
    // In the demo's own thread, so that the same seed gives the same end.
    'controller.recommenderThreads': '0',
    // At full speed nothing may end by the machine's time, a lease included; no other replica competes for it.
    'controller.leaderElect': String(!quick),
    'history.url': quick ? 'sqlite::memory:' : `sqlite:${dependencies.folder}/history.sqlite`,
  };
  const loaded = loadSettings(EVENKEEL_SETTINGS, {
    environment: {},
    flags: Object.entries(flags).map(([name, value]) => ({ name, value })),
  });
  if (!loaded.ok) throw new Error(loaded.message);
  const log = createWriteStream(dependencies.logFile, { flags: 'a' });
  const logger = createLogger({ level: loaded.settings['controller.logLevel'], stream: log });
  const controllerDependencies: ControllerDependencies = {
    environment: {
      transport: cluster.transport('evenkeel-controller'),
      leaseTransport: cluster.transport('evenkeel-controller'),
      kubelets: cluster.nodes.direct,
      pastUsage: cluster.nodes.history,
      clock: cluster.clock,
      timer: dependencies.timer,
      ...(quick && { watches: watchesOf(cluster, dependencies.timer) }),
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
  return {
    controller,
    stop: async () => {
      await controller.stop();
      await new Promise<void>((resolve) => log.end(resolve));
    },
  };
}

/**
 * Watches in virtual time: their time-outs and retries follow the cluster's clock, so that a slow machine changes nothing. They
 * last for a year, and a kind that is not served is asked for once an hour: shorter times cost requests every few virtual minutes.
 */
function watchesOf({ clock }: EmbeddedCluster, machine: MachineTimer): NonNullable<ControllerEnvironment['watches']> {
  const timer: MachineTimer = {
    nowMs: () => clock.now(),
    // No delay is a turn of the event loop: it must also come while the clock is stopped.
    setTimer: (afterMs, task) => (afterMs === 0 ? machine.setTimer(0, task) : clock.schedule(clock.now() + afterMs, task)),
  };
  return { timer, times: { ...REFLECTOR_TIMES, watchSeconds: [YEAR_SECONDS, YEAR_SECONDS], foreignRetryMs: HOUR_MS } };
}
