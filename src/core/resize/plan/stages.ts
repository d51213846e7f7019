// How a change spreads over the pods of a workload: one pod first, then a tenth, half, all; each stage verified before
// the next. Increases go to all at once: too small hurts now, and more never broke a container.

import { MINUTE_MS, type DurationMs } from '#kube/units';
import type { PolicyRules } from '../policy/policy-rules.ts';
import { lowersAnything, type Values } from '../model/container-values.ts';
import type { ApplyStage, ChangeUnderWay } from '../model/situation.ts';

/** Each stage but the last proves itself for so long before the next begins. */
const STAGE_MS: DurationMs = 10 * MINUTE_MS;

const STAGES: readonly ApplyStage[] = ['Canary', 'Tenth', 'Half', 'All'];

/** Pods that may have the new values in a stage. */
export function podsInStage(stage: ApplyStage, pods: number): number {
  switch (stage) {
    case 'Canary':
      return Math.min(1, pods);
    case 'Tenth':
      return Math.ceil(pods * 0.1);
    case 'Half':
      return Math.ceil(pods * 0.5);
    case 'All':
      return pods;
  }
}

/** The next stage that lets more pods have the values; null after the last. */
export function nextStage(stage: ApplyStage, pods: number): ApplyStage | null {
  const now = podsInStage(stage, pods);
  return STAGES.slice(STAGES.indexOf(stage) + 1).find((later) => podsInStage(later, pods) > now) ?? null;
}

export function stageMs({ rollback }: Pick<PolicyRules, 'rollback'>): DurationMs {
  return Math.min(STAGE_MS, rollback.withinMs);
}

/** Whether a change has to prove itself: it lowers something that was in force for long. */
export function mustProveItself(change: ChangeUnderWay, previous: Values | null): boolean {
  return change.endsIncrease !== true && lowersAny(change, previous);
}

/** Whether a change lowers anything against what it replaces. What it replaces is not known: it may. */
export function lowersAny({ values }: Pick<ChangeUnderWay, 'values'>, previous: Values | null): boolean {
  if (previous === null) return true;
  return [...values].some(([name, to]) => {
    const from = previous.get(name);
    return from !== undefined && lowersAnything(from, to);
  });
}
