// More CPU while a container starts, and back. Pods are planned without it; it is given and taken back beside what is decided
// about them. What a pod has otherwise is remembered before the first step: a crash at any moment leaves no pod with more for ever.

import type { ResizeStep } from '../../model/resize-step.ts';
import type { Values } from '../../model/container-values.ts';
import { livePod } from '../../model/planned-pod.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { holdsEverything } from '../../plan/interlocks.ts';
import { otherManager } from '../../plan/other-manager.ts';
import type { ResizeLayer } from '../layer.ts';
import { Boosting } from './boosting.ts';
import { boostsOf, usualValues, withoutBoosts } from './boosts.ts';

export const startupBoost: ResizeLayer = {
  name: 'startup-boost',
  apply(context, next) {
    const boosts = boostsOf(context.pods, context.memory.boosts);
    const known = { ...context, memory: { ...context.memory, boosts } };
    const usual = new Map(known.pods.map((pod) => [pod.uid, usualValues(pod, known)]));
    const untouched = boosts.length === 0 && [...usual.values()].every(({ size }) => size === 0);
    if (untouched && known.policy.startup === null) return next(known);
    const planned = next({ ...known, pods: withoutBoosts(known.pods, known) });
    const decision = { ...planned, evict: planned.evict && livePod(planned.evict) };
    if (!mayBoostPods(known)) return { ...decision, steps: onUnboostedPods(decision.steps, usual) };
    return new Boosting(known, decision, usual).decide();
  },
};

/** A dry run validates one pod as it is. */
function onUnboostedPods(steps: readonly ResizeStep[], usual: ReadonlyMap<string, Values>): readonly ResizeStep[] {
  return steps.filter(({ pod }) => (usual.get(pod.uid)?.size ?? 0) === 0);
}

function mayBoostPods(context: WorkloadSituation): boolean {
  const { gateState, policy } = context;
  if (gateState.dryRun || policy.dryRun || !gateState.inPlace) return false;
  return holdsEverything(context) === null && otherManager(context) === null;
}
