// What a controller is started with.

import type { Logger } from '../../ports/logger.ts';
import type { PrometheusMetrics } from '../../runtime/metrics.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';
import type { ControllerWorld } from './world.ts';

export interface ControllerParts {
  readonly world: ControllerWorld;
  readonly settings: Settings;
  readonly logger: Logger;
  /** All of the process: what the world counts, too. */
  readonly metrics: PrometheusMetrics;
}
