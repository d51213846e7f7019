#!/usr/bin/env node
// evenkeel-controller: right-sizes workloads, and serves the dashboard and its API.

import { EVENKEEL_SETTINGS } from '../runtime/options/settings-schema.ts';
import { startController } from './controller/controller.ts';
import { reachCluster } from './controller/reach-cluster.ts';
import { runAsProcess } from './process/run-binary.ts';

await runAsProcess({
  name: 'evenkeel-controller',
  schema: EVENKEEL_SETTINGS,
  logLevel: (settings) => settings['controller.logLevel'],
  reach: reachCluster,
  start: (settings, environment, { logger, metrics }, signal) => startController({ environment, settings, logger, metrics }, signal),
});
