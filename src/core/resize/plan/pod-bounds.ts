// Bounds on what the containers of a pod ask for together: an autoscaler's, a LimitRange's of pods, the largest node's.

import type { ResourceName } from '#kube/records/resources';
import { MiB } from '#kube/units';
import type { ContainerTarget } from '../model/container-figures.ts';
import { limitsFor } from './container-target.ts';
import { FIELD, withAmount } from '../model/container-values.ts';
import type { ContainerFigures } from '../model/container-figures.ts';

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
export function withinPodBounds(figures: readonly ContainerFigures[], bounds: PodBounds): readonly ContainerFigures[] {
  const { resource, least, greatest } = bounds;
  const field = FIELD[resource];
  const counted = figures.filter(({ name }) => bounds.container === null || name === bounds.container);
  const wantedOf = ({ target, inForce }: ContainerFigures): number => (target ?? inForce).requests[field] ?? 0;
  const presentOf = ({ inForce }: ContainerFigures): number => inForce.requests[field] ?? 0;
  const sum = total(counted.map(wantedOf));
  const lifts = sum < least;
  if (!lifts && sum <= greatest) return figures;
  const present = total(counted.map(presentOf));
  // Past what there is now: each container its share of that, or of what is wanted.
  if (lifts && least > present) {
    return present === 0 ? figures : moved(figures, counted, bounds, (each) => (presentOf(each) * least) / present, true);
  }
  if (!lifts && greatest < present) return moved(figures, counted, bounds, (each) => (wantedOf(each) * greatest) / sum, false);
  const moving = counted.filter((each) => (lifts ? wantedOf(each) < presentOf(each) : wantedOf(each) > presentOf(each)));
  const way = total(moving.map((each) => Math.abs(presentOf(each) - wantedOf(each))));
  if (way === 0) return figures;
  const share = Math.min(1, (lifts ? least - sum : sum - greatest) / way);
  return moved(figures, moving, bounds, (each) => wantedOf(each) + (presentOf(each) - wantedOf(each)) * share, lifts);
}

function moved(
  figures: readonly ContainerFigures[],
  which: readonly ContainerFigures[],
  bounds: PodBounds,
  amountOf: (figures: ContainerFigures) => number,
  up: boolean,
): readonly ContainerFigures[] {
  const unit = bounds.resource === 'cpu' ? 1 : MiB;
  // To the side on which the bound still holds.
  const rounded = (amount: number): number => (up ? Math.ceil(amount / unit) : Math.floor(amount / unit)) * unit;
  return figures.map((each) => (which.includes(each) ? bounded(each, bounds, rounded(amountOf(each))) : each));
}

function bounded(figures: ContainerFigures, { resource, step, because }: PodBounds, amount: number): ContainerFigures {
  const { target, targetInputs } = figures;
  if (target === null || targetInputs === null) return figures;
  const steps = [...target.steps, { resource, step, detail: because, total: amount }];
  const made: ContainerTarget = limitsFor(targetInputs, withAmount(target.requests, resource, amount), steps);
  if (step !== 'autoscaler') return { ...figures, target: made };
  return { ...figures, target: made, beyondAutoscaler: figures.beyondAutoscaler ?? { target, because } };
}

function total(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}
