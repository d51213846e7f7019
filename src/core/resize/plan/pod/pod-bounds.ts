// Bounds of the total requests of a pod's containers: by an autoscaler, a LimitRange of type Pod, or the largest node.

import type { ResourceName } from '#kube/records/resources';
import { MiB } from '#kube/units';
import type { ContainerTarget } from '../../model/container-plan.ts';
import { limitsFor } from '../container/container-target.ts';
import { FIELD, withAmount } from '../../model/container-values.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';

/** Bounds of a pod's request for one resource, in millicores or bytes. */
export interface PodBounds {
  readonly resource: ResourceName;
  /** The bounded container; null: the sum of all containers. */
  readonly container: string | null;
  readonly least: number;
  readonly greatest: number;
  /** Name of the step in the explanation. */
  readonly step: 'autoscaler' | 'limit-range' | 'node';
  /** Reason, as a message. */
  readonly reason: string;
}

/**
 * The plans with targets inside the bounds. Containers that change away from the bounds give up the same share of their change; where
 * that is not enough, all are scaled in proportion.
 */
export function withinPodBounds(plans: readonly ContainerPlan[], bounds: PodBounds): readonly ContainerPlan[] {
  const { resource, least, greatest } = bounds;
  const field = FIELD[resource];
  const counted = plans.filter(({ name }) => bounds.container === null || name === bounds.container);
  const wantedOf = ({ target, inForce }: ContainerPlan): number => (target ?? inForce).requests[field] ?? 0;
  const presentOf = ({ inForce }: ContainerPlan): number => inForce.requests[field] ?? 0;
  const sum = total(counted.map(wantedOf));
  const isRaised = sum < least;
  if (!isRaised && sum <= greatest) return plans;
  const present = total(counted.map(presentOf));
  // A bound beyond the present sum: containers are scaled in proportion to their present or wanted requests.
  if (isRaised && least > present) {
    return present === 0 ? plans : shiftPlans(plans, counted, bounds, (each) => (presentOf(each) * least) / present, true);
  }
  if (!isRaised && greatest < present) return shiftPlans(plans, counted, bounds, (each) => (wantedOf(each) * greatest) / sum, false);
  const moving = counted.filter((each) => (isRaised ? wantedOf(each) < presentOf(each) : wantedOf(each) > presentOf(each)));
  const way = total(moving.map((each) => Math.abs(presentOf(each) - wantedOf(each))));
  if (way === 0) return plans;
  const share = Math.min(1, (isRaised ? least - sum : sum - greatest) / way);
  return shiftPlans(plans, moving, bounds, (each) => wantedOf(each) + (presentOf(each) - wantedOf(each)) * share, isRaised);
}

function shiftPlans(
  plans: readonly ContainerPlan[],
  selected: readonly ContainerPlan[],
  bounds: PodBounds,
  amountOf: (plan: ContainerPlan) => number,
  up: boolean,
): readonly ContainerPlan[] {
  const unit = bounds.resource === 'cpu' ? 1 : MiB;
  // Rounded so that the sum stays inside the bound.
  const rounded = (amount: number): number => (up ? Math.ceil(amount / unit) : Math.floor(amount / unit)) * unit;
  return plans.map((each) => (selected.includes(each) ? boundPlan(each, bounds, rounded(amountOf(each))) : each));
}

function boundPlan(plan: ContainerPlan, { resource, step, reason }: PodBounds, amount: number): ContainerPlan {
  const { target, targetInputs } = plan;
  if (target === null || targetInputs === null) return plan;
  const steps = [...target.steps, { resource, step, detail: reason, total: amount }];
  const made: ContainerTarget = limitsFor(targetInputs, withAmount(target.requests, resource, amount), steps);
  if (step !== 'autoscaler') return { ...plan, target: made };
  return { ...plan, target: made, withoutAutoscaler: plan.withoutAutoscaler ?? { target, reason } };
}

function total(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}
