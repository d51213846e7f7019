// Recommended replicas of one metric. Pure. https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#algorithm-details

/** One pod as the autoscaler sees it for one metric. */
export interface PodMeasure {
  readonly name: string;
  /**
   * `ready`: measured and counted. `unready`: still starting, so its usage does not count. `missing`: runs, but was not
   * measured. `ignored`: terminating, or failed.
   */
  readonly state: 'ready' | 'unready' | 'missing' | 'ignored';
  /** Used for `ready` only. */
  readonly usage: number;
  /** Denominator of the utilization: the request. Unused for AverageValue. */
  readonly request: number;
}

export type MetricGoal =
  { readonly kind: 'utilization'; readonly targetPercent: number } | { readonly kind: 'average'; readonly targetValue: number };

/** Tolerated deviation of a metric from its target, as a ratio of the target. */
export interface Tolerance {
  readonly up: number;
  readonly down: number;
}

export type MetricReplicas =
  | {
      readonly kind: 'proposed';
      readonly replicas: number;
      /** Mean per pod in whole units of the metric, and in percent of the request for a utilization target. */
      readonly averageUsage: number;
      readonly utilizationPercent: number | null;
      readonly ratio: number;
    }
  | { readonly kind: 'unknown'; readonly why: string };

/**
 * `ceil(pods × usage ÷ target)`, conservative about missing metrics: pods without a measurement count as fully used when the others
 * recommend fewer replicas and as idle when they recommend more, and starting pods as idle when they recommend more. A result in the
 * opposite direction changes nothing.
 */
export function metricReplicas(pods: readonly PodMeasure[], goal: MetricGoal, current: number, tolerance: Tolerance): MetricReplicas {
  const ready = pods.filter(({ state }) => state === 'ready');
  if (ready.length === 0) return { kind: 'unknown', why: 'did not receive metrics for targeted pods (pods might be unready)' };
  const ratio = ratioOf(ready, goal);
  if (ratio === null) return { kind: 'unknown', why: 'the requests of the measured pods are 0' };
  const assumed = withAssumptions(pods, ready, goal, ratio);
  const proposal =
    assumed === ready
      ? { replicas: isWithin(ratio, tolerance) ? current : roundUp(ratio * ready.length), ratio }
      : cautious(ratio, ratioOf(assumed, goal) ?? ratio, assumed.length, current, tolerance);
  return {
    kind: 'proposed',
    ...proposal,
    averageUsage: Math.floor(sum(ready.map(({ usage }) => usage)) / ready.length),
    utilizationPercent: goal.kind === 'utilization' ? Math.floor(ratio * goal.targetPercent) : null,
  };
}

/** The measured pods plus assumptions about the others; only the measured ones when none is needed. */
function withAssumptions(
  pods: readonly PodMeasure[],
  ready: readonly PodMeasure[],
  goal: MetricGoal,
  ratio: number,
): readonly PodMeasure[] {
  const missing = ratio === 1 ? [] : pods.filter(({ state }) => state === 'missing');
  const unready = ratio > 1 ? pods.filter(({ state }) => state === 'unready') : [];
  if (missing.length + unready.length === 0) return ready;
  return [
    ...ready,
    ...missing.map((pod) => ({ ...pod, usage: ratio < 1 ? fullUsage(pod, goal) : 0 })),
    ...unready.map((pod) => ({ ...pod, usage: 0 })),
  ];
}

/** Assumptions may reduce a change, but not reverse it. */
function cautious(
  measured: number,
  assumed: number,
  pods: number,
  current: number,
  tolerance: Tolerance,
): { readonly replicas: number; readonly ratio: number } {
  const turnsRound = (measured < 1 && assumed > 1) || (measured > 1 && assumed < 1);
  const replicas = roundUp(assumed * pods);
  const contradicts = (assumed < 1 && replicas > current) || (assumed > 1 && replicas < current);
  return { replicas: turnsRound || contradicts || isWithin(assumed, tolerance) ? current : replicas, ratio: assumed };
}

function ratioOf(pods: readonly PodMeasure[], goal: MetricGoal): number | null {
  const usage = sum(pods.map((pod) => pod.usage));
  if (goal.kind === 'average') return goal.targetValue === 0 ? null : usage / pods.length / goal.targetValue;
  const requests = sum(pods.map((pod) => pod.request));
  // Whole percent, as in Kubernetes: 80.9 % counts as 80 %.
  return requests === 0 ? null : Math.floor((usage * 100) / requests) / goal.targetPercent;
}

/** At least its whole request, so that an unmeasured pod never causes a scale-down. */
function fullUsage({ request }: PodMeasure, goal: MetricGoal): number {
  return goal.kind === 'average' ? goal.targetValue : (request * Math.max(100, goal.targetPercent)) / 100;
}

function isWithin(ratio: number, { up, down }: Tolerance): boolean {
  return ratio >= 1 - down && ratio <= 1 + up;
}

/** 3.0000000000000004 pods are three. */
function roundUp(pods: number): number {
  return Math.ceil(pods - 1e-9);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
