// A layer around the decision proper: whatever it, or a layer of it, does to the pods, the targets of autoscalers follow.

import { holdsEverything } from './interlocks.ts';
import type { WorkloadDecision } from './decision.ts';
import { preserveReplicas } from './preserve-replicas.ts';
import type { WorkloadSituation } from './situation.ts';

export function withAutoscalers(
  situation: WorkloadSituation,
  decide: (situation: WorkloadSituation) => WorkloadDecision,
): WorkloadDecision {
  const decision = decide(situation);
  if (situation.hpas.length === 0 && situation.memory.autoscalers.length === 0) return decision;
  const { standing, policy } = situation;
  const decided = { ...situation, memory: { ...decision.memory, autoscalers: situation.memory.autoscalers } };
  const { followed, memory, notes } = preserveReplicas(decided, decision.mode, decision.steps);
  const dryRun = standing.dryRun || policy.dryRun;
  return {
    ...decision,
    // A dry run leaves no traces.
    memory: dryRun ? decision.memory : { ...decision.memory, autoscalers: memory },
    autoscalers: holdsEverything(situation) === null ? followed : [],
    notes: [...decision.notes, ...notes],
  };
}
