// Explained arithmetic: the steps that lead to a target.

import type { ExplanationStep } from '../model/explanation-step.ts';
import type { ResourceName } from '#kube/records/resources';
import { MiB } from '#kube/units';
import type { ResourceRules } from './advice.ts';

/** A running value with the steps that led to it. Each step is rounded, so that totals and differences are whole numbers. */
export class ExplainedValue {
  readonly steps: ExplanationStep[] = [];
  readonly #resource: ResourceName;
  #value = 0;

  constructor(resource: ResourceName) {
    this.#resource = resource;
  }

  get value(): number {
    return this.#value;
  }

  /** Sets the running value. A step without a change is not listed, except the first. */
  moveTo(step: ExplanationStep['step'], value: number, detail: string): void {
    const next = Math.round(value);
    if (next === this.#value && this.steps.length > 0) return;
    this.steps.push({ resource: this.#resource, step, detail, total: next });
    this.#value = next;
  }

  /** Adds the margin of the policy, if it has one. */
  addMargin({ margin }: ResourceRules): void {
    if (margin === null) return;
    this.moveTo('margin', this.#value * (1 + margin), `${marginText(margin)}, set by the policy`);
  }

  round(): void {
    this.moveTo('rounding', roundUp(this.#value, this.#resource), 'rounded up to a readable quantity');
  }

  /** Applies floor and ceiling. */
  bound({ min, max }: ResourceRules): void {
    if (this.#value < min) this.moveTo('floor', min, 'never less than the floor');
    if (max !== null && this.#value > max) this.moveTo('ceiling', max, 'never more than the ceiling');
  }
}

/** Rounds up to a short quantity; the steps are small against the variance of usage. */
export function roundUp(value: number, resource: ResourceName): number {
  const step = resource === 'memory' ? MiB : value < 100 ? 1 : value < 1000 ? 5 : 10;
  return Math.ceil(value / step) * step;
}

/** The value rounded up, within floor and ceiling. */
export function boundValue(value: number, resource: ResourceName, { min, max }: ResourceRules): number {
  return Math.min(Math.max(roundUp(Math.round(value), resource), min), max ?? Infinity);
}

/** `safety margin +5 %`. @param share may be negative */
export function marginText(share: number): string {
  const percent = Number((share * 100).toFixed(1));
  return `safety margin ${percent < 0 ? '−' : '+'}${Math.abs(percent)} %`;
}
