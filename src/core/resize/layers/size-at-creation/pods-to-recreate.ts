// Workloads whose pods are sized only at creation: reports how many pods are still to be re-created, and rolls the size back where new
// pods fail with it.

import { withinBounds } from '../../plan/container/within-bounds.ts';
import { boundingNode } from '../../plan/pod/largest-node.ts';
import { fitPod } from '../../plan/pod/pod-change.ts';
import { isShortLived, canChangePodsNow } from '../../plan/blockers/blockers.ts';
import { memoryAfterRollBack } from '../../plan/due/remembered-roll-back.ts';
import { describeKeptResizes } from '../../plan/blockers/other-manager.ts';
import { isSizedAtCreationOnly } from '../../plan/blockers/creation-only.ts';
import { outcome, type Outcome, type WorkloadDecision } from '../../model/decision.ts';
import type { Values } from '../../model/container-values.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import type { Decide, ResizeLayer } from '../layer.ts';
import { regressionAfterCreation } from './regression-after-creation.ts';

export const sizeAtCreation: ResizeLayer = {
  name: 'size-at-creation',
  apply(context, next) {
    if (!canChangePodsNow(context) || describeKeptResizes(context) !== null) return next(context);
    return awaitNewPods(context, rollBackOnRegression(context, next));
  },
};

function rollBackOnRegression(context: WorkloadSituation, next: Decide): WorkloadDecision {
  const regression = regressionAfterCreation(context);
  if (regression === null) return next(context);
  const { memory, now, policy, overrides } = context;
  const { reason, message, asDeployed } = regression;
  const before = { ...memory, previous: { at: now, values: asDeployed } };
  const within = (values: Values): Values => withinBounds(values, { policy, overrides, largestNode: boundingNode(context) }).values;
  const decision = next({
    ...context,
    memory: { ...before, ...memoryAfterRollBack(before, now, { reason, message, requestedAt: null }, within) },
  });
  const event = { type: 'Warning', reason: 'RolledBack', message: `rolled back to the previous values: ${message}` } as const;
  return { ...decision, events: [event, ...decision.events] };
}

/** The decision with the number of pods to re-create, unless it waits for something more specific. */
function awaitNewPods(context: WorkloadSituation, decision: WorkloadDecision): WorkloadDecision {
  const { state, reason, memory } = decision;
  const { lastApplied } = memory;
  const isDone =
    state === 'applied' || state === 'optimal' || (state === 'awaiting' && (reason === 'restart' || reason === 'node-unsupported'));
  if (!isDone || memory.apply !== null || lastApplied === null || !isSizedAtCreationOnly(context)) return decision;
  const { pods, kubeletVersions } = context;
  const sized = pods.filter((pod) => fitPod(pod, lastApplied.values, kubeletVersions.get(pod.node ?? '') ?? '').kind === 'fits').length;
  const everSized = Math.max(lastApplied.pods, sized);
  return {
    ...decision,
    ...findAwaitedPods(context, sized, everSized),
    memory: everSized === lastApplied.pods ? memory : { ...memory, lastApplied: { ...lastApplied, pods: everSized } },
  };
}

/** Outcome while pods are to be re-created; null: every pod has the size, and at least one was created with it. */
function findAwaitedPods({ pods, workload }: WorkloadSituation, sized: number, everSized: number): Outcome | null {
  if (sized < pods.length) {
    const older = `${pods.length - sized} of ${pods.length} pods were created before the values came into force`;
    return outcome('awaiting', 'restart', `${older}; they get the values when they are re-created`);
  }
  if (everSized > 0) return null;
  const next = isShortLived(workload.kind) ? `the next run of this ${workload.kind}` : 'the next pod';
  return outcome('awaiting', 'restart', `in force: ${next} is created with the values`);
}
