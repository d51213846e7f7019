// How many replicas one metric asks for. Pure.
// https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#algorithm-details

/** One pod as the autoscaler sees it for one metric. */
export interface PodMeasure {
  readonly name: string;
  /**
   * `ready`: measured and counted. `unready`: still starting, so its usage does not count. `missing`: runs, but was not
   * measured. `ignored`: terminating, or failed.
   */
  readonly state: 'ready' | 'unready' | 'missing' | 'ignored';
  /** Meaningful for `ready` alone. */
  readonly usage: number;
  /** What the usage is held against: its request for Utilization. Unused for AverageValue. */
  readonly request: number;
}

export type MetricGoal =
  { readonly kind: 'utilization'; readonly targetPercent: number } | { readonly kind: 'average'; readonly targetValue: number };

/** How far a metric may be off its target before anything happens, as a share of the target. */
export interface Tolerance {
  readonly up: number;
  readonly down: number;
}

export type MetricReplicas =
  | {
      readonly kind: 'proposed';
      readonly replicas: number;
      /** Mean per pod in whole units of the metric, and in percent of the request where the goal is one. */
      readonly averageUsage: number;
      readonly utilizationPercent: number | null;
      readonly ratio: number;
    }
  | { readonly kind: 'unknown'; readonly why: string };

/**
 * `ceil(pods × usage ÷ target)`, conservative about missing metrics: pods without a measurement count as fully used when the
 * rest asks for fewer and as idle when it asks for more, and starting pods as idle when it asks for more. What then would
 * turn the direction round changes nothing.
 */
export function metricReplicas(pods: readonly PodMeasure[], goal: MetricGoal, current: number, tolerance: Tolerance): MetricReplicas {
  const ready = pods.filter(({ state }) => state === 'ready');
  if (ready.length === 0) return { kind: 'unknown', why: 'did not receive metrics for targeted pods (pods might be unready)' };
  const ratio = ratioOf(ready, goal);
  if (ratio === null) return { kind: 'unknown', why: 'requests of the measured pods come to nothing' };
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

/** The measured pods with what is assumed of the others; the measured ones themselves where nothing needs to be. */
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

/** Assumptions may lessen a change, never turn it round. */
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
  // Whole percents, as Kubernetes reckons: 80.9 % is 80 % to it.
  return requests === 0 ? null : Math.floor((usage * 100) / requests) / goal.targetPercent;
}

/** At least its whole request, so that an unmeasured pod never argues for fewer. */
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
