import type { ResourceName } from '#kube/records/resources';

/** Kinds of steps: those of the recommender, then those of the container plan. */
export type StepName =
  | 'usage'
  | 'margin'
  | 'hold'
  | 'bursts'
  | 'increase'
  | 'oom'
  | 'leak'
  | 'floor'
  | 'ceiling'
  | 'rounding'
  | 'limit'
  | 'limit-range'
  | 'autoscaler'
  | 'node'
  | 'replica'
  | 'runtime';

/** One step of the arithmetic from usage to a request. The total of the last step of a resource is the request. */
export interface ExplanationStep {
  readonly resource: ResourceName;
  readonly step: StepName;
  /** Explanation with the numbers. */
  readonly detail: string;
  /** The value after this step, in whole millicores or bytes. */
  readonly total: number;
}

/** Difference that each step of one resource makes. They add up to the last total. */
export function stepDifferences(steps: readonly Pick<ExplanationStep, 'total'>[]): readonly number[] {
  return steps.map(({ total }, index) => total - (steps[index - 1]?.total ?? 0));
}
