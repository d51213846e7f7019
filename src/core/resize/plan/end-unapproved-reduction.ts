// Mode Approve: ends a reduction that no approval covers, or no longer.

import { revertChange } from './advance-change.ts';
import { Draft } from './draft.ts';
import { isAboveDeadBand } from './due/due-changes.ts';
import { withoutReductions } from './due/once-a-day.ts';
import { valuesBeforeChange } from './due/remembered-change.ts';
import { isReducingChange } from './due/stages.ts';
import type { ApprovalState } from './due/user-requests.ts';
import { currentApproval, isInModeOfWorkload } from './plan-due-changes.ts';
import { FIELD, isLess, RESOURCES, type Values } from '../model/container-values.ts';
import type { ContainerPlan } from '../model/container-plan.ts';

/**
 * Ends and reverts a reduction whose approval was withdrawn, replaced by greater values or has lapsed, or that mode Auto began. An approval
 * that lapsed stays ended: otherwise a recommendation near the tolerance would start and end the change for ever.
 */
export function endUnapprovedReduction(draft: Draft): void {
  const { apply } = draft.memory;
  const before = valuesBeforeChange(draft.memory);
  if (apply === null || draft.mode !== 'Approve' || !isReducingChange(apply, before)) return;
  const approval = approvalWithoutChange(draft, before);
  if (approval.kind === 'valid' && isReductionApproved(draft, before, apply.values, approval.values)) return;
  revertChange(draft);
  const { approved } = draft.context.userRequests;
  // An approval that lies ahead, after the clock was set back, counts from then on.
  if (approval.kind === 'lapsed' && approved !== null && approved.at <= draft.context.now) draft.remember({ endedApprovalAt: approved.at });
}

/** The approval as if the change had not begun: the recommendation also depends on the values in force, so a change could end its approval. */
function approvalWithoutChange({ context, memory }: Draft, values: Values): ApprovalState {
  const { apply, lastApplied } = memory;
  const inForce = { ...(lastApplied ?? { at: context.now, by: '', reason: '', pods: 0 }), values };
  const reductions = withoutReductions(memory.reductions, apply);
  return currentApproval(new Draft({ ...context, memory: { ...memory, apply: null, lastApplied: inForce, reductions } }).plan);
}

/** Whether no amount that a change lowers falls below its approved value, apart from the dead band. */
function isReductionApproved({ containers, mode }: Draft, before: Values, after: Values, approved: Values): boolean {
  return containers.every((plan) => {
    const [from, to] = [before.get(plan.name), after.get(plan.name)];
    if (from === undefined || to === undefined || !isInModeOfWorkload(plan, mode)) return true;
    return (['requests', 'limits'] as const).every((part) =>
      RESOURCES.every((resource) => {
        const field = FIELD[resource];
        if (!isLess(to[part][field], from[part][field])) return true;
        return isAtLeast(to[part][field], approved.get(plan.name)?.[part][field] ?? null, resource, plan);
      }),
    );
  });
}

function isAtLeast(to: number | null, approved: number | null, resource: 'cpu' | 'memory', { policy }: ContainerPlan): boolean {
  if (to === null || approved === null) return false;
  return approved <= to || !isAboveDeadBand(to, approved, policy[resource].minChangeRatio, resource);
}
