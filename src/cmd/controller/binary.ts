import { EVENKEEL_SETTINGS } from '../../runtime/options/settings-schema.ts';
import { type OpenClock, openSystemClock } from '../process/cluster-clock.ts';
import type { Binary } from '../process/run-binary.ts';
import { startController } from './controller.ts';
import { reachCluster, type ReachedCluster } from './cluster/reach-cluster.ts';

/** evenkeel-controller: right-sizes workloads, and serves the dashboard and its API. */
export function controllerBinary(openClock: OpenClock = openSystemClock): Binary<typeof EVENKEEL_SETTINGS.settings, ReachedCluster> {
  return {
    name: 'evenkeel-controller',
    schema: EVENKEEL_SETTINGS,
    logLevel: (settings) => settings['controller.logLevel'],
    reach: (settings, dependencies, signal) => reachCluster(settings, dependencies, signal, openClock),
    start: (settings, environment, { logger, metrics }, signal) => startController({ environment, settings, logger, metrics }, signal),
  };
}
