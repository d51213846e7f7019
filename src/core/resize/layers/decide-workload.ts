// Decides about one workload. Pure: the same situation gives the same decision.

import type { WorkloadDecision } from '../model/decision.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import { decideInPlace } from '../plan/decide-in-place.ts';
import { evictions } from './evictions/evictions.ts';
import { limitExceptions } from './exceptions/limit-exceptions.ts';
import { hpaTargets } from './hpa-targets.ts';
import { idle } from './idle/idle.ts';
import { applyLayers, type ResizeLayer } from './layer.ts';
import { nodeClasses } from './node-classes/node-classes.ts';
import { sizeAtCreation } from './size-at-creation/pods-to-recreate.ts';
import { startupBoost } from './start-up/startup-boost.ts';

/** The outermost layer first: each one may change the situation for the layers after it, and their decision. */
const LAYERS: readonly ResizeLayer[] = [nodeClasses, hpaTargets, startupBoost, idle, limitExceptions, evictions, sizeAtCreation];

/** Decides what to publish, to write and to store. Never throws for data that its schema accepts. */
export function decideWorkload(context: WorkloadSituation): WorkloadDecision {
  return applyLayers(context, LAYERS, decideInPlace);
}
