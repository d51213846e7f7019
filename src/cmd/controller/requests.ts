// What people ask for beside right-sizing and the leader carries out, each with its own queue.

import { PolicyOverrideReconciler, watchPolicyOverrides } from '../../controllers/policyoverrides/reconciler.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { RecordWriter } from '../../ports/writers.ts';
import { ReconcilerHost } from '../../runtime/reconciler-host.ts';
import { WorkQueue } from '../../runtime/work-queue.ts';
import type { ClusterState } from '../../state/cluster-state.ts';
import type { ControllerWorld } from './world.ts';

export interface RequestParts {
  readonly world: ControllerWorld;
  readonly state: ClusterState;
  readonly records: RecordWriter;
  readonly events: EventRecorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Reconciles until the signal aborts; resolves when everything under way has ended. */
export async function carryOutRequests(parts: RequestParts, signal: AbortSignal): Promise<void> {
  const { world, state, logger, metrics } = parts;
  const { clock, timer: machine, activity, random } = world;
  const overrides = new WorkQueue({ clock, machine, activity, random });
  const policyOverrides = new PolicyOverrideReconciler({ ...parts, clock, cluster: state });
  const stops = [watchPolicyOverrides(state, (key) => overrides.add(key, 'low'))];
  try {
    await new ReconcilerHost({
      name: 'policyoverrides',
      queue: overrides,
      reconciler: policyOverrides,
      machine,
      logger,
      metrics,
      workers: 1,
    }).run(signal);
  } finally {
    for (const stop of stops) stop();
    policyOverrides.close();
  }
}
