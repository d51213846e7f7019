// What is due of a workload, from its figures, and what people have said of it: read by the decision, which says when.

import type { ResizeMode } from '../../../apis/conditions.ts';
import { containerMode } from '../policy/policy-rules.ts';
import { changeSummary } from './change-summary.ts';
import type { Values } from '../model/container-values.ts';
import { outcome, type Outcome } from '../model/decision.ts';
import { dueChanges, type DueChange } from './due-changes.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import { approvalState, rejectedUntil, type ApprovalState } from './user-requests.ts';
import { partOfTarget } from './plan-containers.ts';
import type { ContainerPlan } from '../model/container-plan.ts';

/** What is due is found from this. */
export interface PlanContext {
  readonly situation: WorkloadSituation;
  readonly mode: ResizeMode;
  readonly plans: readonly ContainerPlan[];
}

/** @param values approved ones in place of the recommended */
export function whatIsDue({ situation, mode, plans: all }: PlanContext, values?: Values): readonly DueChange[] {
  return all.flatMap((plans) => {
    const { target, advice, policy, name } = plans;
    if (target === null || advice === null) return [];
    const own = containerMode(policy, mode);
    if (own !== mode && (own === 'Off' || own === 'Observe' || own === 'Recommend')) return [];
    const wanted = values === undefined ? target : values.get(name);
    if (wanted === undefined) return [];
    const current = mode === 'Auto' || mode === 'Approve' ? plans.inForce : plans.current;
    const cpuBeforeIncrease = situation.memory.cpuBeforeIncrease.get(name) ?? null;
    const isCpuHeldBack = plans.targetInputs?.cpuLimitStep?.isReturn === true;
    return dueChanges({ now: situation.now, container: name, current, target: wanted, advice, policy, cpuBeforeIncrease, isCpuHeldBack });
  });
}

export function valuesFor(all: readonly ContainerPlan[], changes: readonly DueChange[]): Values {
  return new Map(
    all.map((plans) => {
      const own = changes.filter((change) => change.container === plans.name);
      return [plans.name, partOfTarget(plans, own)];
    }),
  );
}

/** Containers that the values do not name stay as they are. */
export function merged(plans: readonly ContainerPlan[], values: Values): Values {
  return new Map(plans.map(({ name, inForce }) => [name, values.get(name) ?? inForce]));
}

export function inForceOf(plans: readonly ContainerPlan[]): Values {
  return new Map(plans.map(({ name, inForce }) => [name, inForce]));
}

export function recommendedOf(plans: readonly ContainerPlan[]): Values {
  return new Map(plans.flatMap(({ name, target }) => (target === null ? [] : [[name, target] as const])));
}

export function currentApproval({ situation: { userRequests, memory, now }, plans }: PlanContext): ApprovalState {
  const { approved } = userRequests;
  // Else what was taken back would come again by itself when the hold ends.
  if (approved !== null && approved.at <= (memory.rolledBack?.at ?? Number.NEGATIVE_INFINITY)) {
    return { kind: 'lapsed', message: 'what was approved has been rolled back since' };
  }
  return approvalState(approved, recommendedOf(plans), inForceOf(plans), toleranceOf(plans), now);
}

export function currentRejection({ situation: { userRequests, now }, plans }: PlanContext): Outcome | null {
  const until = rejectedUntil(userRequests.rejected, recommendedOf(plans), toleranceOf(plans), now);
  return until === null ? null : outcome('optimal', 'rejected', 'these values were rejected and are not offered again for now', until);
}

/** Of a change against what is in force, or was before the one under way. */
export function summaryOf({ situation: { memory }, plans }: PlanContext, values: Values = recommendedOf(plans)): string {
  const before = memory.apply === null ? null : memory.previous;
  return changeSummary(before?.values ?? inForceOf(plans), values);
}

export function reasonOf(changes: readonly DueChange[]): string {
  if (changes.some((change) => change.oom)) return 'an OOM kill';
  if (changes.some((change) => change.urgent)) return 'too small';
  if (changes.every((change) => change.endsIncrease === true)) return 'temporary increase over';
  return changes.some((change) => change.direction === 'raise') ? 'more is needed' : 'less is enough';
}

function toleranceOf(plans: readonly ContainerPlan[]) {
  return (container: string, resource: 'cpu' | 'memory'): number =>
    plans.find(({ name }) => name === container)?.policy[resource].minChangeRatio ?? 0;
}
