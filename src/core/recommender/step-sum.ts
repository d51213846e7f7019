// From a decision to a number with its arithmetic: steps that lead to the target.

import type { ExplanationStep } from '../model/explanation-step.ts';
import type { ResourceName } from '#kube/records/resources';
import { MiB } from '#kube/units';
import type { ResourceRules } from './advice.ts';

/** Keeps the running value whole, so that every step, and what it adds, is whole. */
export class StepSum {
  readonly steps: ExplanationStep[] = [];
  readonly #resource: ResourceName;
  #value = 0;

  constructor(resource: ResourceName) {
    this.#resource = resource;
  }

  get value(): number {
    return this.#value;
  }

  /** Moves the running value; a move by nothing is no step, but the first always is. */
  to(step: ExplanationStep['step'], value: number, detail: string): void {
    const next = Math.round(value);
    if (next === this.#value && this.steps.length > 0) return;
    this.steps.push({ resource: this.#resource, step, detail, total: next });
    this.#value = next;
  }

  /** Adds a policy's own margin where it has one. */
  addMargin({ margin }: ResourceRules): void {
    if (margin === null) return;
    this.to('margin', this.#value * (1 + margin), `${Number((margin * 100).toFixed(1))} % on top, fixed by the policy`);
  }

  round(): void {
    this.to('rounding', roundUp(this.#value, this.#resource), 'rounded up to a readable quantity');
  }

  /** Applies floor and ceiling. */
  bound({ min, max }: ResourceRules): void {
    if (this.#value < min) this.to('floor', min, 'never less than the floor');
    if (max !== null && this.#value > max) this.to('ceiling', max, 'never more than the ceiling');
  }
}

/** Whole steps that a person reads at a glance and that are small against the noise of usage. */
export function roundUp(value: number, resource: ResourceName): number {
  const step = resource === 'memory' ? MiB : value < 100 ? 1 : value < 1000 ? 5 : 10;
  return Math.ceil(value / step) * step;
}

/** The value as the steps would make it: rounded up, within floor and ceiling. */
export function bounded(value: number, resource: ResourceName, { min, max }: ResourceRules): number {
  return Math.min(Math.max(roundUp(Math.round(value), resource), min), max ?? Infinity);
}
