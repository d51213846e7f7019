import type { ResourceName } from '#kube/records/resources';

/** What moved a value: the recommender's steps, then those of the plan. */
export type StepName =
  | 'usage'
  | 'margin'
  | 'hold'
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

/** One step of the arithmetic that leads from usage to a request. The last step of a resource has the value itself. */
export interface ExplanationStep {
  readonly resource: ResourceName;
  readonly step: StepName;
  /** In words, with the numbers it came from. */
  readonly detail: string;
  /** The value after this step, in whole millicores or bytes. */
  readonly total: number;
}

/** What each step of one resource adds; negative: takes away. They add up to the last total. */
export function addedBySteps(steps: readonly Pick<ExplanationStep, 'total'>[]): readonly number[] {
  return steps.map(({ total }, index) => total - (steps[index - 1]?.total ?? 0));
}
