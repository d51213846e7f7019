// Bounds on what the containers of a pod ask for together: an autoscaler's, a LimitRange's of pods, the largest node's.

import type { ResourceName } from '#kube/records/resources';
import { MiB } from '#kube/units';
import type { ContainerTarget } from '../model/container-plan.ts';
import { limitsFor } from './container-target.ts';
import { FIELD, withAmount } from '../model/container-values.ts';
import type { ContainerPlan } from '../model/container-plan.ts';

export interface PodBounds {
  readonly resource: ResourceName;
  /** The one container that counts; null: all together. */
  readonly container: string | null;
  readonly least: number;
  readonly greatest: number;
  /** Name of the step in the explanation. */
  readonly step: 'autoscaler' | 'limit-range' | 'node';
  /** Why, in words. */
  readonly because: string;
}

/** The figures with targets inside the bounds. Those that move away from them give back a part of their way, each the same share. */
export function withinPodBounds(plans: readonly ContainerPlan[], bounds: PodBounds): readonly ContainerPlan[] {
  const { resource, least, greatest } = bounds;
  const field = FIELD[resource];
  const counted = plans.filter(({ name }) => bounds.container === null || name === bounds.container);
  const wantedOf = ({ target, inForce }: ContainerPlan): number => (target ?? inForce).requests[field] ?? 0;
  const presentOf = ({ inForce }: ContainerPlan): number => inForce.requests[field] ?? 0;
  const sum = total(counted.map(wantedOf));
  const lifts = sum < least;
  if (!lifts && sum <= greatest) return plans;
  const present = total(counted.map(presentOf));
  // Past what there is now: each container its share of that, or of what is wanted.
  if (lifts && least > present) {
    return present === 0 ? plans : moved(plans, counted, bounds, (each) => (presentOf(each) * least) / present, true);
  }
  if (!lifts && greatest < present) return moved(plans, counted, bounds, (each) => (wantedOf(each) * greatest) / sum, false);
  const moving = counted.filter((each) => (lifts ? wantedOf(each) < presentOf(each) : wantedOf(each) > presentOf(each)));
  const way = total(moving.map((each) => Math.abs(presentOf(each) - wantedOf(each))));
  if (way === 0) return plans;
  const share = Math.min(1, (lifts ? least - sum : sum - greatest) / way);
  return moved(plans, moving, bounds, (each) => wantedOf(each) + (presentOf(each) - wantedOf(each)) * share, lifts);
}

function moved(
  plans: readonly ContainerPlan[],
  which: readonly ContainerPlan[],
  bounds: PodBounds,
  amountOf: (plans: ContainerPlan) => number,
  up: boolean,
): readonly ContainerPlan[] {
  const unit = bounds.resource === 'cpu' ? 1 : MiB;
  // To the side on which the bound still holds.
  const rounded = (amount: number): number => (up ? Math.ceil(amount / unit) : Math.floor(amount / unit)) * unit;
  return plans.map((each) => (which.includes(each) ? bounded(each, bounds, rounded(amountOf(each))) : each));
}

function bounded(plans: ContainerPlan, { resource, step, because }: PodBounds, amount: number): ContainerPlan {
  const { target, targetInputs } = plans;
  if (target === null || targetInputs === null) return plans;
  const steps = [...target.steps, { resource, step, detail: because, total: amount }];
  const made: ContainerTarget = limitsFor(targetInputs, withAmount(target.requests, resource, amount), steps);
  if (step !== 'autoscaler') return { ...plans, target: made };
  return { ...plans, target: made, beyondAutoscaler: plans.beyondAutoscaler ?? { target, because } };
}

function total(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}
