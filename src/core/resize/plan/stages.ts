// How a change spreads over the pods of a workload: one pod first, then a tenth, half, all; each stage verified before
// the next. Increases go to all at once: too small hurts now, and more never broke a container.

import { lowersAnything, type Values } from '../model/container-values.ts';
import type { ApplyStage, ChangeUnderWay } from '../model/situation.ts';

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

/** Whether a change lowers anything against what it replaces: only then it has to prove itself. */
export function mustProveItself(change: ChangeUnderWay, previous: Values | null): boolean {
  if (change.endsIncrease === true) return false;
  if (previous === null) return true;
  return [...change.values].some(([name, to]) => {
    const from = previous.get(name);
    return from !== undefined && lowersAnything(from, to);
  });
}
