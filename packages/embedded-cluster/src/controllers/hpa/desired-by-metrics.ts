import type { Instant } from '#kube/units';
import { formatCpu, formatMemory, parseCpuMillicores, parseMemoryBytes } from '#kube/quantity';
import { readAmount } from '../../admission/amounts.ts';
import type { PodMetrics } from '../../api/providers.ts';
import type { Autoscaler, MetricSpec, MetricTarget } from '../wire/autoscaler.ts';
import type { Pod } from '../wire/pod.ts';
import type { MetricGoal, Tolerance } from './metric-replicas.ts';
import { metricReplicas } from './metric-replicas.ts';
import type { MeasuredResource } from './pod-measures.ts';
import { measurePods } from './pod-measures.ts';

const DEFAULT_TOLERANCE = 0.1;

export interface DesiredReplicas {
  /** Highest recommendation of all metrics; null when none is available, or when one is missing and the others recommend fewer replicas. */
  readonly replicas: number | null;
  /** The metric with the highest recommendation, as text. */
  readonly because: string;
  /** `status.currentMetrics`. */
  readonly currentMetrics: readonly object[];
  /** Why metrics are missing. */
  readonly failures: readonly { readonly reason: string; readonly message: string }[];
}

/** Evaluates every metric of an autoscaler; the highest recommendation counts. */
export function desiredByMetrics(
  autoscaler: Autoscaler,
  pods: readonly Pod[],
  metrics: readonly PodMetrics[],
  current: number,
  now: Instant,
): DesiredReplicas {
  const tolerance = toleranceOf(autoscaler);
  let best: { replicas: number; because: string } | undefined;
  const currentMetrics: object[] = [];
  const failures: { reason: string; message: string }[] = [];
  for (const metric of autoscaler.spec.metrics ?? []) {
    const answer = readMetric(metric, pods, metrics, current, tolerance, now);
    if (answer.kind === 'failed') {
      failures.push({ reason: answer.reason, message: answer.message });
      continue;
    }
    currentMetrics.push(answer.status);
    if (best === undefined || answer.replicas > best.replicas) best = answer;
  }
  // A missing metric might recommend more, so a lower recommendation of the others is not used.
  const untrusted = best === undefined || (failures.length > 0 && best.replicas < current);
  return { replicas: untrusted ? null : (best?.replicas ?? null), because: best?.because ?? '', currentMetrics, failures };
}

type Answer =
  | { readonly kind: 'answered'; readonly replicas: number; readonly because: string; readonly status: object }
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string };

function readMetric(
  metric: MetricSpec,
  pods: readonly Pod[],
  metrics: readonly PodMetrics[],
  current: number,
  tolerance: Tolerance,
  now: Instant,
): Answer {
  const source = metric.type === 'ContainerResource' ? metric.containerResource : metric.resource;
  const isMeasured = (metric.type === 'Resource' || metric.type === 'ContainerResource') && source !== undefined;
  const reason = `FailedGet${metric.type === 'ContainerResource' ? 'ContainerResource' : metric.type}Metric`;
  const failed = (why: string): Answer => ({
    kind: 'failed',
    reason,
    message: `failed to get ${source?.name ?? metric.type} metric: ${why}`,
  });
  if (!isMeasured || (source.name !== 'cpu' && source.name !== 'memory')) {
    return failed('the embedded cluster measures only cpu and memory');
  }
  const resource: MeasuredResource = { name: source.name, container: metric.containerResource?.container ?? null };
  const goal = goalOf(source.target, source.name);
  if (goal === undefined) return failed('its target is neither a utilization nor an average value');
  const measures = measurePods(pods, metrics, resource, goal.kind === 'utilization', now);
  if (measures.kind === 'unmeasurable') return failed(measures.why);
  const result = metricReplicas(measures.pods, goal, current, tolerance);
  if (result.kind === 'unknown') return failed(result.why);
  return {
    kind: 'answered',
    replicas: result.replicas,
    because: describeReason(resource, goal, result.ratio),
    status: shownMetric(metric.type, resource, result),
  };
}

function describeReason({ name, container }: MeasuredResource, goal: MetricGoal, ratio: number): string {
  const what = container === null ? 'resource' : `container ${container} resource`;
  const unit = goal.kind === 'utilization' ? 'utilization (percentage of request)' : 'average value';
  return `${name} ${what} ${unit} ${ratio > 1 ? 'above' : 'below'} target`;
}

function shownMetric(
  type: string,
  { name, container }: MeasuredResource,
  { averageUsage, utilizationPercent }: { readonly averageUsage: number; readonly utilizationPercent: number | null },
): object {
  const averageValue = name === 'cpu' ? formatCpu(averageUsage) : formatMemory(averageUsage);
  const current = { averageValue, ...(utilizationPercent === null ? {} : { averageUtilization: utilizationPercent }) };
  return container === null ? { type, resource: { name, current } } : { type, containerResource: { name, container, current } };
}

function goalOf({ averageUtilization, averageValue }: MetricTarget, resource: string): MetricGoal | undefined {
  if (averageUtilization !== undefined) return { kind: 'utilization', targetPercent: averageUtilization };
  if (averageValue === undefined) return undefined;
  const parsed = resource === 'cpu' ? parseCpuMillicores(averageValue) : parseMemoryBytes(averageValue);
  return parsed.ok ? { kind: 'average', targetValue: parsed.value } : undefined;
}

function toleranceOf({ spec }: Autoscaler): Tolerance {
  const read = (text: string | undefined): number => {
    const nano = text === undefined ? undefined : readAmount(text)?.nano;
    return nano === undefined ? DEFAULT_TOLERANCE : Number(nano) / 1e9;
  };
  return { up: read(spec.behavior?.scaleUp?.tolerance), down: read(spec.behavior?.scaleDown?.tolerance) };
}
