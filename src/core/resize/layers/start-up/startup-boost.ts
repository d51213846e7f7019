// Layer for start-up boosts: more CPU while a container starts. The inner layers plan pods without boosts. The usual values of a pod are
// stored before its boost, so that the boost also ends after a crash.

import type { ResizeStep } from '../../model/resize-step.ts';
import type { Values } from '../../model/container-values.ts';
import { livePod } from '../../model/planned-pod.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import { findUsageBlocker } from '../../plan/blockers/blockers.ts';
import { findOtherManager } from '../../plan/blockers/other-manager.ts';
import type { ResizeLayer } from '../layer.ts';
import { Boosting } from './boosting.ts';
import { boostsOf, valuesWithoutBoost, withoutBoosts } from './boosts.ts';

export const startupBoost: ResizeLayer = {
  name: 'startup-boost',
  apply(context, next) {
    const boosts = boostsOf(context.pods, context.memory.boosts);
    const known = { ...context, memory: { ...context.memory, boosts } };
    const usual = new Map(known.pods.map((pod) => [pod.uid, valuesWithoutBoost(pod, known)]));
    const untouched = boosts.length === 0 && [...usual.values()].every(({ size }) => size === 0);
    if (untouched && known.policy.startup === null) return next(known);
    const planned = next({ ...known, pods: withoutBoosts(known.pods, known) });
    const decision = { ...planned, evict: planned.evict && livePod(planned.evict) };
    if (!canBoostPods(known)) return { ...decision, steps: onUnboostedPods(decision.steps, usual) };
    return new Boosting(known, decision, usual).decide();
  },
};

/** Steps of pods without a boost: without permission for boosts, steps that ignore one must not be taken. */
function onUnboostedPods(steps: readonly ResizeStep[], usual: ReadonlyMap<string, Values>): readonly ResizeStep[] {
  return steps.filter(({ pod }) => (usual.get(pod.uid)?.size ?? 0) === 0);
}

function canBoostPods(context: WorkloadSituation): boolean {
  const { gateState, policy } = context;
  if (gateState.dryRun || policy.dryRun || !gateState.inPlace) return false;
  return findUsageBlocker(context) === null && findOtherManager(context) === null;
}
