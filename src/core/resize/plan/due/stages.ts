// Stages of a change: one canary pod first, then a tenth, half, and all pods, each stage verified before the next. Raises go to all pods
// at once, because a container that is too small suffers now, and a raise has no risk for it.

import { MINUTE_MS, type DurationMs } from '#kube/units';
import type { PolicyRules } from '../../policy/policy-rules.ts';
import { hasReduction, type Values } from '../../model/container-values.ts';
import type { ApplyStage, ChangeUnderWay } from '../../model/situation.ts';

/** Duration of each stage before the next one starts. */
const STAGE_MS: DurationMs = 10 * MINUTE_MS;

const STAGES: readonly ApplyStage[] = ['Canary', 'Tenth', 'Half', 'All'];

/** Number of pods that may have the new values in a stage. */
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

/** The next stage with more pods; null after the last. */
export function nextStage(stage: ApplyStage, pods: number): ApplyStage | null {
  const now = podsInStage(stage, pods);
  return STAGES.slice(STAGES.indexOf(stage) + 1).find((later) => podsInStage(later, pods) > now) ?? null;
}

/** Duration of a stage under a policy. */
export function stageMs({ rollback }: Pick<PolicyRules, 'rollback'>): DurationMs {
  return Math.min(STAGE_MS, rollback.withinMs);
}

/** Whether a change needs verification: it lowers an amount, and does not only end temporary increases. */
export function isVerificationNeeded(change: ChangeUnderWay, previous: Values | null): boolean {
  return change.endsIncrease !== true && isReducingChange(change, previous);
}

/** Whether a change lowers any amount against the previous values; true where those are unknown. */
export function isReducingChange({ values }: Pick<ChangeUnderWay, 'values'>, previous: Values | null): boolean {
  if (previous === null) return true;
  return [...values].some(([name, to]) => {
    const from = previous.get(name);
    return from !== undefined && hasReduction(from, to);
  });
}
