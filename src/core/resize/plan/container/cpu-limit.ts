// Bounds raises of a CPU limit: up to the configured limit, and beyond it in steps where throttling was measured.

import { DAY_MS, HOUR_MS, MINUTE_MS, type DurationMs, type Instant, type Millicores } from '#kube/units';
import type { ContainerPlan, CpuLimitStep, TargetInputs } from '../../model/container-plan.ts';
import type { Values } from '../../model/container-values.ts';
import type { ResizeMemory, WorkloadSituation } from '../../model/situation.ts';
import { isThrottledFor } from '../../model/evidence/throttled-pods.ts';

/** Each step multiplies the limit by this. */
const STEP_RATIO = 1.5;
const MIN_STEP_INTERVAL_MS: DurationMs = DAY_MS;
const MAX_STEPS = 3;
const STEPS_COUNT_FOR_MS: DurationMs = 7 * DAY_MS;
/** Duration of throttling, in at least half of the replicas, before a step: one hot replica must not raise the limit of all. */
const THROTTLED_FOR_MS: DurationMs = HOUR_MS;
const MIN_THROTTLED_SHARE = 0.5;
/** Duration of throttling before the deployed limit is restored: two readings. */
const THROTTLED_BELOW_TEMPLATE_FOR_MS: DurationMs = 5 * MINUTE_MS;
/** Throttling is unknown after two hours without a reading; counters are read at least hourly. */
const MEASURED_WITHIN_MS: DurationMs = 2 * HOUR_MS;

export const NO_CPU_LIMIT_STEP: CpuLimitStep = { raisedTo: null, isPossible: false, isReturn: false };

/**
 * The raise of a container's CPU limit that measured throttling allows.
 * @param limit limit in force; null: none, so the container is not throttled
 * @param bound upper bound of all steps; null: none
 */
export function cpuLimitStep(
  { now, pods, demand, memory, workload }: WorkloadSituation,
  container: string,
  limit: Millicores | null,
  bound: Millicores | null,
): CpuLimitStep {
  const { throttled = [] } = demand.find((each) => each.container === container) ?? {};
  if (limit === null || !isThrottlingMeasured({ now, demand }, container)) return NO_CPU_LIMIT_STEP;
  const running = new Set(pods.filter(({ phase }) => phase === 'Running').map(({ name }) => name));
  const isThrottled = (forMs: DurationMs): boolean => {
    const count = throttled.filter((each) => running.has(each.pod) && isThrottledFor(each, forMs, now)).length;
    return count > 0 && count >= running.size * MIN_THROTTLED_SHARE;
  };
  const template = workload.containers.find(({ name }) => name === container)?.limits.cpuMillicores ?? 0;
  // Restoring the deployed limit needs less evidence, because a user chose it.
  if (template > limit && isThrottled(THROTTLED_BELOW_TEMPLATE_FOR_MS)) return { raisedTo: template, isPossible: true, isReturn: true };
  const raisedTo = Math.min(Math.ceil(limit * STEP_RATIO), bound ?? Number.POSITIVE_INFINITY);
  const steps = recentSteps(memory, container, now);
  if (raisedTo <= limit || steps.length >= MAX_STEPS) return NO_CPU_LIMIT_STEP;
  const isDue = isThrottled(THROTTLED_FOR_MS) && now - (steps.at(-1) ?? 0) >= MIN_STEP_INTERVAL_MS;
  return { raisedTo: isDue ? raisedTo : null, isPossible: true, isReturn: false };
}

/** Whether throttling of a container was measured in the last two hours. */
export function isThrottlingMeasured({ now, demand }: Pick<WorkloadSituation, 'now' | 'demand'>, container: string): boolean {
  const { throttlingMeasuredAt = null } = demand.find((each) => each.container === container) ?? {};
  return throttlingMeasuredAt !== null && now - throttlingMeasuredAt <= MEASURED_WITHIN_MS;
}

/**
 * Upper bound of the CPU limit: the greatest of the deployed limit, the approved one, the one in force and the step that throttling
 * allows. Without it, a container that uses all CPU that it gets would grow without end. null: the container has no limit.
 */
export function maxCpuLimit({ current, templateCpuLimit = null, minLimits, cpuLimitStep: step }: TargetInputs): Millicores | null {
  const limit = current.limits.cpuMillicores;
  return limit === null ? null : Math.max(limit, templateCpuLimit ?? 0, minLimits?.cpuMillicores ?? 0, step?.raisedTo ?? 0);
}

/** Records the steps of CPU limits that these values take. */
export function recordCpuLimitSteps(
  memory: ResizeMemory,
  plans: readonly ContainerPlan[],
  values: Values,
  now: Instant,
): Pick<ResizeMemory, 'cpuLimitRaises'> {
  const raises = new Map<string, readonly Instant[]>();
  for (const { name, inForce, targetInputs } of plans) {
    const steps = recentSteps(memory, name, now);
    const { raisedTo, isReturn } = targetInputs?.cpuLimitStep ?? NO_CPU_LIMIT_STEP;
    const isStep = raisedTo !== null && !isReturn && (values.get(name)?.limits.cpuMillicores ?? 0) > (inForce.limits.cpuMillicores ?? 0);
    if (isStep || steps.length > 0) raises.set(name, isStep ? [...steps, now] : steps);
  }
  return { cpuLimitRaises: raises };
}

function recentSteps({ cpuLimitRaises }: ResizeMemory, container: string, now: Instant): readonly Instant[] {
  return (cpuLimitRaises.get(container) ?? []).filter((at) => now - at < STEPS_COUNT_FOR_MS);
}
