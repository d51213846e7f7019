// The due changes of a workload by its plans and user requests. When they are made is decided elsewhere.

import type { ResizeMode } from '../../../apis/conditions.ts';
import { isoTime } from '#kube/time/iso-time';
import { MINUTE_MS } from '#kube/units';
import { containerMode } from '../policy/policy-rules.ts';
import { changeSummary } from './change-summary.ts';
import { boundApproval } from './container/bounded-approval.ts';
import type { Values } from '../model/container-values.ts';
import { outcome, type Outcome } from '../model/decision.ts';
import { dueChanges, type DueChange } from './due/due-changes.ts';
import type { WorkloadSituation } from '../model/situation.ts';
import { approvalState, rejectedUntil, withOmittedAmounts, type ApprovalState } from './due/user-requests.ts';
import { valuesBeforeChange } from './due/remembered-change.ts';
import { partOfTarget } from './plan-containers.ts';
import type { ContainerPlan } from '../model/container-plan.ts';

/** Inputs of the due changes. */
export interface PlanContext {
  readonly situation: WorkloadSituation;
  readonly mode: ResizeMode;
  readonly plans: readonly ContainerPlan[];
}

/** The due changes of all containers. @param values approved values to use instead of the recommended ones */
export function listDueChanges({ situation, mode, plans: all }: PlanContext, values?: Values): readonly DueChange[] {
  return all.flatMap((plan) => {
    const { target, advice, policy, name } = plan;
    if (target === null || advice === null) return [];
    if (!isInModeOfWorkload(plan, mode)) return [];
    const wanted = values === undefined ? target : values.get(name);
    if (wanted === undefined) return [];
    const current = mode === 'Auto' || mode === 'Approve' ? plan.inForce : plan.current;
    const cpuBeforeIncrease = situation.memory.cpuBeforeIncrease.get(name) ?? null;
    const isCpuThrottled = plan.targetInputs?.cpuLimitStep?.isReturn === true;
    return dueChanges({ now: situation.now, container: name, current, target: wanted, advice, policy, cpuBeforeIncrease, isCpuThrottled });
  });
}

/** The values of all containers after the changes. */
export function valuesFor(all: readonly ContainerPlan[], changes: readonly DueChange[]): Values {
  return new Map(
    all.map((plan) => {
      const ofContainer = changes.filter((change) => change.container === plan.name);
      return [plan.name, partOfTarget(plan, ofContainer)];
    }),
  );
}

export function inForceOf(plans: readonly ContainerPlan[]): Values {
  return new Map(plans.map(({ name, inForce }) => [name, inForce]));
}

export function recommendedOf(plans: readonly ContainerPlan[]): Values {
  return new Map(plans.flatMap(({ name, target }) => (target === null ? [] : [[name, target] as const])));
}

/** Approved values of the changes that may be made now, and the values in force of the others, which stay approved. */
export function approvedPart(all: readonly ContainerPlan[], approved: Values, changes: readonly DueChange[]): Values {
  const wanted = all.map((plan) => {
    const values = approved.get(plan.name);
    return values === undefined || plan.target === null ? plan : { ...plan, target: { ...plan.target, ...values } };
  });
  return valuesFor(wanted, changes);
}

/** Whether the user's approval is still valid for the present recommendation. */
export function currentApproval({ situation, mode, plans }: PlanContext): ApprovalState {
  const { userRequests, memory, now } = situation;
  const { approved } = userRequests;
  if (approved === null) return { kind: 'none' };
  // A time ahead of the clock, such as a local time that was written as UTC, would outlive roll-backs and deployments.
  if (approved.at > now + MINUTE_MS) {
    return { kind: 'lapsed', message: `the time of the approval, ${isoTime(approved.at)}, lies ahead: it counts from then on` };
  }
  if (approved.at > now) return { kind: 'none' };
  // Otherwise the values that were rolled back would be applied again when the hold ends.
  if (approved.at <= (memory.rolledBack?.at ?? Number.NEGATIVE_INFINITY)) {
    return { kind: 'lapsed', message: 'the approved values have been rolled back since' };
  }
  const inOtherMode = new Set(plans.filter((plan) => !isInModeOfWorkload(plan, mode)).map(({ name }) => name));
  const inForce = inForceOf(plans);
  const named = new Map([...approved.values].filter(([name]) => !inOtherMode.has(name)));
  if (named.size === 0) return { kind: 'none' };
  const values = withOmittedAmounts(named, memory.apply === null ? inForce : new Map([...inForce, ...valuesBeforeChange(memory)]));
  const state = approvalState({ ...approved, values }, recommendedOf(plans), inForce, toleranceOf(plans), now);
  if (state.kind !== 'valid') return state;
  // Otherwise a later deployment with greater values would be reduced by an approval that was given for an earlier one.
  if (approved.at === memory.endedApprovalAt) {
    return { kind: 'lapsed', message: 'greater values have been deployed or recommended since the approval' };
  }
  return { ...state, values: boundApproval(named, state.values, inForce, plans, situation) };
}

/** Outcome where a user rejected the recommended values; null: they are not rejected. */
export function currentRejection({ situation: { userRequests, now }, mode, plans }: PlanContext): Outcome | null {
  const inMode = plans.filter((plan) => isInModeOfWorkload(plan, mode));
  const until = rejectedUntil(userRequests.rejected, recommendedOf(inMode), toleranceOf(plans), now);
  return until === null ? null : outcome('optimal', 'rejected', 'these values were rejected and are not recommended again for now', until);
}

/** Summary of a change against the values in force, or against those before the change under way. */
export function summaryOf({ situation: { memory }, mode, plans }: PlanContext, values?: Values): string {
  const before = memory.apply === null ? null : memory.previous;
  const shown = values ?? recommendedOf(plans.filter((plan) => isInModeOfWorkload(plan, mode)));
  return changeSummary(before?.values ?? inForceOf(plans), shown);
}

/** The reason of a change, as stored in the status and shown in messages. */
export function reasonOf(changes: readonly DueChange[]): string {
  if (changes.some((change) => change.oom)) return 'an OOM kill';
  if (changes.some((change) => change.urgent)) return 'under-provisioned';
  if (changes.every((change) => change.endsIncrease === true)) return 'temporary increase ended';
  return changes.some((change) => change.direction === 'raise') ? 'higher recommendation' : 'over-provisioned';
}

/** Whether a container is changed as its workload is: one in a more restrictive mode is not. */
export function isInModeOfWorkload({ policy }: ContainerPlan, mode: ResizeMode): boolean {
  return containerMode(policy, mode) === mode;
}

function toleranceOf(plans: readonly ContainerPlan[]) {
  return (container: string, resource: 'cpu' | 'memory'): number =>
    plans.find(({ name }) => name === container)?.policy[resource].minChangeRatio ?? 0;
}
