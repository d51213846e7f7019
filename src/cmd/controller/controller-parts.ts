// What a controller is started with.

import type { Logger } from '../../ports/logger.ts';
import type { PrometheusMetrics } from '../../runtime/metrics.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';
import type { ControllerEnvironment } from './world.ts';

export interface ControllerDependencies {
  readonly world: ControllerEnvironment;
  readonly settings: Settings;
  readonly logger: Logger;
  /** All of the process: what the world counts, too. */
  readonly metrics: PrometheusMetrics;
}
