// What people ask for beside right-sizing and the leader carries out, each with its own queue.

import { PolicyOverrideReconciler, watchPolicyOverrides } from '../../controllers/policyoverrides/reconciler.ts';
import { ResetReconciler, watchResets } from '../../controllers/resets/reconciler.ts';
import type { WorkloadKey } from '#kube/records/workload';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { RecordSigner } from '../../ports/record-signer.ts';
import type { RecordWriter } from '../../ports/writers.ts';
import type { EffectGate } from '../../runtime/effect-gate.ts';
import { ReconcilerHost } from '../../runtime/reconciler-host.ts';
import { WorkQueue } from '../../runtime/work-queue.ts';
import type { ClusterState } from '../../state/cluster-state.ts';
import type { DecisionCache } from '../../state/decision-cache.ts';
import type { PolicyResolver } from '../../state/policy-resolver.ts';
import type { ControllerEnvironment } from './world.ts';

/** Their writes wait for the API server. */
const RESET_WORKERS = 4;

export interface RequestParts {
  readonly world: ControllerEnvironment;
  readonly state: ClusterState;
  readonly policies: PolicyResolver;
  readonly decisions: DecisionCache;
  readonly gate: EffectGate;
  readonly records: RecordWriter;
  readonly signer: RecordSigner;
  readonly events: EventRecorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Reconciles until the signal aborts; resolves when everything under way has ended. */
export async function carryOutRequests(parts: RequestParts, signal: AbortSignal): Promise<void> {
  const { world, state, logger, metrics } = parts;
  const { clock, timer: machine, activity, random } = world;
  const overrides = new WorkQueue({ clock, machine, activity, random });
  const resets = new WorkQueue<WorkloadKey>({ clock, machine, activity, random });
  const ports = { ...parts, clock, cluster: state };
  const policyOverrides = new PolicyOverrideReconciler(ports);
  const reset = new ResetReconciler(ports);
  const stops = [
    watchPolicyOverrides(state, (key) => overrides.add(key, 'low')),
    watchResets(state, (key) => resets.add(key)),
    forgetDeletedRecommendations(parts),
  ];
  const host = { machine, logger, metrics };
  try {
    await Promise.all([
      new ReconcilerHost({ ...host, name: 'policyoverrides', queue: overrides, reconciler: policyOverrides, workers: 1 }).run(signal),
      new ReconcilerHost({ ...host, name: 'resets', queue: resets, reconciler: reset, workers: RESET_WORKERS }).run(signal),
    ]);
  } finally {
    for (const stop of stops) stop();
    policyOverrides.close();
  }
}

/** Who deletes a Recommendation wants what it remembers forgotten: our memory of it must not write it all down again. */
function forgetDeletedRecommendations({ state, decisions }: RequestParts): () => void {
  return state.subscribe((change) => {
    if (change.kind !== 'recommendation' || state.findRecommendation(change.workload) !== undefined) return;
    // One that we took back ourselves, because a mode publishes none, is remembered as not published.
    if (decisions.find(change.workload)?.published === true) decisions.forget(change.workload);
  });
}
