import type { DurationMs, Instant } from '#kube/units';
import { MINUTE_MS, SECOND_MS } from '#kube/units';
import { parseCpuMillicores, parseMemoryBytes } from '#kube/quantity';
import type { PodMetrics } from '../../api/providers.ts';
import { findCondition } from '../nodes/conditions.ts';
import { fromTimestamp } from '../../api/timestamp.ts';
import { isTerminating } from '../pods/pod-state.ts';
import type { Pod, WireContainer } from '../wire/pod.ts';
import type { PodMeasure } from './metric-replicas.ts';

/** After its start a pod's CPU reflects the start-up rather than the load. */
const CPU_INITIALIZATION_MS: DurationMs = 5 * MINUTE_MS;
/** A pod that has been unready since about its start was never ready. */
const INITIAL_READINESS_MS: DurationMs = 30 * SECOND_MS;

/** The resource of a metric, of one container or of the whole pod. CPU in millicores, memory in bytes. */
export interface MeasuredResource {
  readonly name: string;
  readonly container: string | null;
}

export type Measures =
  { readonly kind: 'measured'; readonly pods: readonly PodMeasure[] } | { readonly kind: 'unmeasurable'; readonly why: string };

/** @param needsRequests the target is a utilization, so each request must be set */
export function measurePods(
  pods: readonly Pod[],
  metrics: readonly PodMetrics[],
  resource: MeasuredResource,
  needsRequests: boolean,
  now: Instant,
): Measures {
  const byName = new Map(metrics.map((each) => [each.name, each]));
  const measures: PodMeasure[] = [];
  for (const pod of pods) {
    const { name } = pod.metadata;
    const metric = byName.get(name);
    const usage = metric === undefined ? undefined : usageIn(metric, resource);
    const state = stateOf(pod, usage === undefined ? undefined : metric, resource.name, now);
    const request = needsRequests ? requestOf(pod, resource) : 0;
    if (request === undefined) {
      const where = resource.container ?? containerWithoutRequest(pod, resource.name);
      return { kind: 'unmeasurable', why: `missing request for ${resource.name} in container ${where} of Pod ${name}` };
    }
    measures.push({ name, state, usage: usage ?? 0, request });
  }
  return { kind: 'measured', pods: measures };
}

function stateOf(pod: Pod, metric: PodMetrics | undefined, resource: string, now: Instant): PodMeasure['state'] {
  if (isTerminating(pod) || pod.status.phase === 'Failed') return 'ignored';
  if (pod.status.phase === 'Pending') return 'unready';
  if (metric === undefined) return 'missing';
  return resource === 'cpu' && isStarting(pod, metric, now) ? 'unready' : 'ready';
}

function isStarting(pod: Pod, metric: PodMetrics, now: Instant): boolean {
  const { startedAt, changedAt, unready } = readinessOf(pod);
  if (Number.isNaN(startedAt)) return true;
  if (startedAt + CPU_INITIALIZATION_MS > now) return unready || metric.at < changedAt + metric.windowSeconds * SECOND_MS;
  return unready && startedAt + INITIAL_READINESS_MS > changedAt;
}

interface Readiness {
  /** NaN when the start is unknown. */
  readonly startedAt: Instant;
  readonly changedAt: Instant;
  readonly unready: boolean;
}

/** Stored objects are replaced, never changed, so an object is parsed once, not every 15 seconds. */
const readinesses = new WeakMap<Pod, Readiness>();

function readinessOf(pod: Pod): Readiness {
  let known = readinesses.get(pod);
  if (known === undefined) readinesses.set(pod, (known = readReadiness(pod)));
  return known;
}

function readReadiness({ status }: Pod): Readiness {
  const condition = findCondition(status.conditions, 'Ready');
  return {
    startedAt: condition === undefined ? Number.NaN : fromTimestamp(status.startTime),
    changedAt: fromTimestamp(condition?.lastTransitionTime),
    unready: condition?.status === 'False',
  };
}

function usageIn({ containers }: PodMetrics, { name, container }: MeasuredResource): number | undefined {
  let sum: number | undefined;
  for (const { name: of, usage } of containers) {
    if (container === null || of === container) sum = (sum ?? 0) + (name === 'cpu' ? usage.cpuNanocores / 1e6 : usage.memoryBytes);
  }
  return sum;
}

/** Requests in the same form, by resource. */
const requests = new WeakMap<Pod, Map<string, number | undefined>>();

function requestOf(pod: Pod, resource: MeasuredResource): number | undefined {
  if (resource.container !== null) return readRequest(pod, resource);
  let known = requests.get(pod);
  if (known === undefined) requests.set(pod, (known = new Map<string, number | undefined>()));
  if (!known.has(resource.name)) known.set(resource.name, readRequest(pod, resource));
  return known.get(resource.name);
}

function readRequest(pod: Pod, { name, container }: MeasuredResource): number | undefined {
  let sum = 0;
  for (const each of measurable(pod)) {
    if (container !== null && each.name !== container) continue;
    const request = each.resources?.requests?.[name];
    const parsed = request === undefined ? undefined : name === 'cpu' ? parseCpuMillicores(request) : parseMemoryBytes(request);
    if (parsed?.ok !== true) return undefined;
    sum += parsed.value;
  }
  return sum;
}

function containerWithoutRequest(pod: Pod, resource: string): string {
  return measurable(pod).find((each) => each.resources?.requests?.[resource] === undefined)?.name ?? '';
}

/** Main containers and sidecars, which keep running. */
function measurable({ spec }: Pod): WireContainer[] {
  return [...spec.containers, ...(spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')];
}
