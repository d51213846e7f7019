// Workloads whose pods are sized when they are created, not in place: says which pods are still to be created anew, and takes
// the size back where new pods fail with it.

import { fitPod } from '../../plan/pod-change.ts';
import { isShortLived, mayChangePods } from '../../plan/interlocks.ts';
import { rolledBack } from '../../plan/remembered-change.ts';
import { resizesLeftAlone } from '../../plan/other-manager.ts';
import { isSizedAtCreationOnly } from '../../plan/creation-only.ts';
import { outcome, type Outcome, type WorkloadDecision } from '../../model/decision.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import type { Decide, ResizeLayer } from '../layer.ts';
import { regressionAfterCreation } from './regression-after-creation.ts';

export const sizeAtCreation: ResizeLayer = {
  name: 'size-at-creation',
  apply(context, next) {
    if (!mayChangePods(context) || resizesLeftAlone(context) !== null) return next(context);
    return awaitNewPods(context, rollBackOnRegression(context, next));
  },
};

function rollBackOnRegression(context: WorkloadSituation, next: Decide): WorkloadDecision {
  const regression = regressionAfterCreation(context);
  if (regression === null) return next(context);
  const { memory, now } = context;
  const { reason, message, asDeployed } = regression;
  const before = { ...memory, previous: { at: now, values: asDeployed } };
  const decision = next({ ...context, memory: { ...before, ...rolledBack(before, now, { reason, message, requestedAt: null }) } });
  const note = { type: 'Warning', reason: 'RolledBack', message: `back to the values before: ${message}` } as const;
  return { ...decision, notes: [note, ...decision.notes] };
}

/** What else the workload waits for is more to the point. */
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
    ...whatIsAwaited(context, sized, everSized),
    memory: everSized === lastApplied.pods ? memory : { ...memory, lastApplied: { ...lastApplied, pods: everSized } },
  };
}

/** null: every pod has the size, and at least one ever had. */
function whatIsAwaited({ pods, workload }: WorkloadSituation, sized: number, everSized: number): Outcome | null {
  if (sized < pods.length) {
    const older = `${pods.length - sized} of ${pods.length} pods were created before this came in force`;
    return outcome('awaiting', 'restart', `${older}; they get it when they are created anew`);
  }
  if (everSized > 0) return null;
  const next = isShortLived(workload.kind) ? `the next run of this ${workload.kind}` : 'the next pod';
  return outcome('awaiting', 'restart', `in force, and ${next} is created with it`);
}
