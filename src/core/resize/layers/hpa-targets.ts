// Adjusts the utilization targets of HorizontalPodAutoscalers to the pods' requests, so that the number of replicas stays stable.

import { findUsageBlocker } from '../plan/blockers/blockers.ts';
import { preserveReplicas } from '../plan/autoscalers/preserve-replicas.ts';
import type { ResizeLayer } from './layer.ts';

export const hpaTargets: ResizeLayer = {
  name: 'hpa-targets',
  apply(context, next) {
    const decision = next(context);
    if (context.hpas.length === 0 && context.memory.autoscalers.length === 0) return decision;
    const { gateState, policy } = context;
    const decided = { ...context, memory: { ...decision.memory, autoscalers: context.memory.autoscalers } };
    const { followed, memory, events } = preserveReplicas(decided, decision.mode, decision.steps);
    const dryRun = gateState.dryRun || policy.dryRun;
    return {
      ...decision,
      // A dry run stores nothing.
      memory: dryRun ? decision.memory : { ...decision.memory, autoscalers: memory },
      autoscalers: findUsageBlocker(context) === null ? followed : [],
      events: [...decision.events, ...events],
    };
  },
};
