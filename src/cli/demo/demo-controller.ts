// The controller inside the demo: the same parts as the binary's, on the embedded cluster in process.

import { createWriteStream } from 'node:fs';
import type { MachineTimer } from '../../ports/clock.ts';
import { type RunningController, startController } from '../../cmd/controller/controller.ts';
import type { ControllerParts } from '../../cmd/controller/controller-parts.ts';
import { createLogger } from '../../runtime/logging.ts';
import { PrometheusMetrics } from '../../runtime/metrics.ts';
import { loadSettings } from '../../runtime/options/load-settings.ts';
import { SeededRandom } from '../../runtime/random.ts';
import type { EmbeddedCluster } from '../../simulator/embedded-cluster.ts';
import { OWN_NAMESPACE } from './demo-cluster.ts';
import type { DemoOptions } from './options.ts';
import { freePort } from './ports.ts';

export interface DemoController {
  readonly controller: RunningController;
  stop(): Promise<void>;
}

/** Everything as shipped but what a demo must choose: loopback addresses, and a store of its own. Throws when interrupted on the way. */
export async function startDemoController(
  cluster: EmbeddedCluster,
  options: DemoOptions,
  parts: { readonly folder: string; readonly logFile: string; readonly timer: MachineTimer; readonly interrupted: AbortSignal },
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
    'history.url': quick ? 'sqlite::memory:' : `sqlite:${parts.folder}/history.sqlite`,
  };
  const loaded = loadSettings({ environment: {}, flags: Object.entries(flags).map(([name, value]) => ({ name, value })) });
  if (!loaded.ok) throw new Error(loaded.message);
  const log = createWriteStream(parts.logFile, { flags: 'a' });
  const logger = createLogger({ level: loaded.settings['controller.logLevel'], stream: log });
  const controllerParts: ControllerParts = {
    world: {
      transport: cluster.transport('evenkeel-controller'),
      leaseTransport: cluster.transport('evenkeel-controller'),
      kubelets: cluster.nodes.direct,
      pastUsage: cluster.nodes.history,
      clock: cluster.clock,
      timer: parts.timer,
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
  const controller = await startController(controllerParts, parts.interrupted);
  return {
    controller,
    stop: async () => {
      await controller.stop();
      await new Promise<void>((resolve) => log.end(resolve));
    },
  };
}
