// Decides everything about one workload. Pure: the same context gives the same decision, bit for bit.

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

/** The outermost first: each sees what all before it have changed, and has the last word over all behind it. */
const LAYERS: readonly ResizeLayer[] = [nodeClasses, hpaTargets, startupBoost, idle, limitExceptions, evictions, sizeAtCreation];

/** @returns what to publish, what to do and what to remember; never throws on data that passed its schema */
export function decideWorkload(context: WorkloadSituation): WorkloadDecision {
  return applyLayers(context, LAYERS, decideInPlace);
}
