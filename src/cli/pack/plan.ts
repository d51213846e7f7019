import { type Packing, packingCost } from '../../core/packing/packing.ts';
import type { PackingProblem } from '../../core/packing/packing-problem.ts';
import { verifyPacking } from '../../core/packing/verify-packing.ts';
import { firstFitDecreasing } from '../../core/peers/first-fit-decreasing.ts';

/** A packing with its cost, which `verifyPacking` has confirmed. */
export interface PricedPacking {
  readonly packing: Packing;
  readonly usdPerHour: number;
}

/** @throws Error where the packing breaks a rule of the problem: a fault of this program */
export function verified(problem: PackingProblem, packing: Packing): PricedPacking {
  const usdPerHour = packingCost(problem, packing);
  const violations = verifyPacking(problem, packing, usdPerHour);
  if (violations.length > 0) {
    throw new Error(
      `the packing is wrong, and nothing was written: ${violations
        .slice(0, 3)
        .map(({ message }) => message)
        .join('; ')}`,
    );
  }
  return { packing, usdPerHour };
}

/** Null where some pods get no node because of `max`. */
export function planPacking(problem: PackingProblem): PricedPacking | null {
  const packing = firstFitDecreasing(problem);
  return packing === null ? null : verified(problem, packing);
}
