// The reconcilers of user requests that the leader carries out, each with its own queue.

import { AccessPolicyReconciler, watchAccessPolicy } from '../../controllers/accesspolicy/reconciler.ts';
import { PolicyOverrideReconciler, watchPolicyOverrides } from '../../controllers/policyoverrides/reconciler.ts';
import { ResetReconciler, watchResets } from '../../controllers/resets/reconciler.ts';
import type { WorkloadKey } from '#kube/records/workload';
import type { EventRecorder } from '../../ports/cluster/event-recorder.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { RecordSigner } from '../../ports/record-signer.ts';
import type { RecordWriter } from '../../ports/cluster/writers.ts';
import type { EffectGate } from '../../runtime/effects/effect-gate.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';
import { ReconcilerHost } from '../../runtime/reconciler-host.ts';
import { WorkQueue } from '../../runtime/work-queue.ts';
import type { ClusterState } from '../../state/cluster-state.ts';
import type { DecisionCache } from '../../state/decision-cache.ts';
import type { PolicyResolver } from '../../state/policy-resolver.ts';
import type { ControllerEnvironment } from './controller-environment.ts';

/** Concurrent reconciles of resets, which mostly wait for the API server. */
const RESET_WORKERS = 4;

export interface UserRequestDependencies {
  readonly environment: ControllerEnvironment;
  readonly settings: Settings;
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

/** Reconciles until the signal aborts; resolves once running reconciles have ended. */
export async function reconcileUserRequests(dependencies: UserRequestDependencies, signal: AbortSignal): Promise<void> {
  const { environment, settings, state, logger, metrics } = dependencies;
  const { clock, timer: machine, activity, random } = environment;
  const overrides = new WorkQueue({ clock, machine, activity, random });
  const resets = new WorkQueue<WorkloadKey>({ clock, machine, activity, random });
  const accessPolicies = new WorkQueue({ clock, machine, activity, random });
  const ports = { ...dependencies, clock, cluster: state };
  const policyOverrides = new PolicyOverrideReconciler(ports);
  const reset = new ResetReconciler(ports);
  const accessPolicy = new AccessPolicyReconciler(ports);
  const stops = [
    watchPolicyOverrides(state, (key) => overrides.add(key, 'low')),
    watchResets(state, (key) => resets.add(key)),
    forgetDeletedRecommendations(dependencies),
    // The permission to write its status belongs to auth.enabled.
    ...(settings['auth.enabled'] ? [watchAccessPolicy(state, (name) => accessPolicies.add(name))] : []),
  ];
  const host = { machine, logger, metrics };
  try {
    await Promise.all([
      new ReconcilerHost({ ...host, name: 'policyoverrides', queue: overrides, reconciler: policyOverrides, workers: 1 }).run(signal),
      new ReconcilerHost({ ...host, name: 'resets', queue: resets, reconciler: reset, workers: RESET_WORKERS }).run(signal),
      new ReconcilerHost({ ...host, name: 'accesspolicy', queue: accessPolicies, reconciler: accessPolicy, workers: 1 }).run(signal),
    ]);
  } finally {
    for (const stop of stops) stop();
    policyOverrides.close();
  }
}

/** Drops the cached decision of a Recommendation that a user deletes, so that its memory is not written again. */
function forgetDeletedRecommendations({ state, decisions }: UserRequestDependencies): () => void {
  return state.subscribe((change) => {
    if (change.kind !== 'recommendation' || state.findRecommendation(change.workload) !== undefined) return;
    // A Recommendation that Evenkeel has deleted, because the mode publishes none, is cached as not published.
    if (decisions.find(change.workload)?.published === true) decisions.forget(change.workload);
  });
}
