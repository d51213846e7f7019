// Joins policy, container exception, floor, ceiling and the largest node into what the recommender is asked for.

import type { ContainerRuntime } from '../../model/container-runtime.ts';
import type { Resources, ResourceName } from '../../model/resources.ts';
import { formatDuration } from '../../model/duration.ts';
import { formatCpu, formatMemory } from '../../model/quantity.ts';
import { MIN_CPU_MILLICORES, MIN_MEMORY_BYTES, type RecommenderRules, type ResourceRules } from '../../recommender/advice.ts';
import { containerMode, containerPolicyOf, modeInForce, paceInForce, type PolicyRules, type ResourcePolicy } from './policy-rules.ts';
import { boundsOf, type WorkloadOverrides } from './workload-overrides.ts';

/** A value in force and where it came from. */
export interface SourcedRule {
  readonly name: string;
  readonly value: string | number | null;
  readonly source: 'policy' | 'floor' | 'ceiling' | 'node' | 'default';
}

interface Bound {
  readonly value: number;
  readonly source: SourcedRule['source'];
}

/**
 * @param largestNode allocatable of the largest node: no pod can have more; null where no node is known
 * @param runtime what the container's template tells of it; null: nothing
 * @param nodesFollow evenkeel-autoscaler holds its lease
 */
export function containerRules(
  policy: PolicyRules,
  overrides: WorkloadOverrides,
  container: string,
  largestNode: Resources | null,
  runtime: ContainerRuntime | null = null,
  nodesFollow = false,
): RecommenderRules {
  const own = containerPolicyOf(policy, container);
  const rulesOf = (resource: ResourceName): ResourceRules => {
    const { goal, percentile, margin } = own[resource];
    const { min, max } = requestBounds(resource, policy, overrides, container, largestNode);
    return { goal, percentile, margin, min: min.value, max: max?.value ?? null };
  };
  return {
    cpu: rulesOf('cpu'),
    memory: rulesOf('memory'),
    pace: paceInForce(policy, modeInForce(policy, overrides), nodesFollow),
    runtime,
    historyWindowMs: policy.historyWindowMs,
    oom: policy.oom,
  };
}

/** The same, told to people: every rule of a container with where it came from. */
export function sourcedRules(
  policy: PolicyRules,
  overrides: WorkloadOverrides,
  container: string,
  largestNode: Resources | null,
  nodesFollow = false,
): readonly SourcedRule[] {
  const own = containerPolicyOf(policy, container);
  const given = policy.name === null ? 'default' : 'policy';
  const rules: SourcedRule[] = [{ name: `${container}.mode`, value: containerMode(own, modeInForce(policy, overrides)), source: given }];
  for (const resource of ['cpu', 'memory'] as const) {
    const format = resource === 'cpu' ? formatCpu : formatMemory;
    const { goal, percentile, margin, minChangeRatio, limit } = own[resource];
    const { min, max } = requestBounds(resource, policy, overrides, container, largestNode);
    const named = (name: string, value: SourcedRule['value'], source: SourcedRule['source']): void => {
      rules.push({ name: `${container}.${resource}.${name}`, value, source });
    };
    named('goal', goal, given);
    named('percentile', percentile, percentile === null ? 'default' : 'policy');
    named('margin', margin, margin === null ? 'default' : 'policy');
    named('min', format(min.value), min.source);
    named('max', max === null ? null : format(max.value), max?.source ?? 'default');
    named('minChangeRatio', minChangeRatio, given);
    named('limit', limit.rule === 'Ratio' && limit.ratio !== null ? `${limit.rule} ${limit.ratio}` : limit.rule, given);
    named('minConfidence', policy.minConfidence[resource], given);
  }
  rules.push({ name: 'pace', value: paceInForce(policy, modeInForce(policy, overrides), nodesFollow), source: given });
  rules.push({ name: 'history.window', value: formatDuration(policy.historyWindowMs), source: given });
  rules.push({ name: 'cooldown', value: formatDuration(policy.cooldownMs), source: given });
  return rules;
}

/**
 * The workload's own annotations win over a policy for many workloads: they are more specific. Where the policy lets them only
 * narrow it (`workloadOverrides: Stricter`), they count inside its bounds.
 */
export function requestBounds(
  resource: ResourceName,
  rules: PolicyRules,
  overrides: WorkloadOverrides,
  container: string,
  largestNode: Resources | null,
): { readonly min: Bound; readonly max: Bound | null } {
  const policy = containerPolicyOf(rules, container)[resource];
  const field = resource === 'cpu' ? 'cpuMillicores' : 'memoryBytes';
  const { floor, ceiling } = annotatedBounds(field, rules, overrides, container, policy);
  const least: Bound = { value: resource === 'cpu' ? MIN_CPU_MILLICORES : MIN_MEMORY_BYTES, source: 'default' };
  let min: Bound =
    floor !== null ? { value: floor, source: 'floor' } : policy.min !== null ? { value: policy.min, source: 'policy' } : least;
  let max: Bound | null =
    ceiling !== null ? { value: ceiling, source: 'ceiling' } : policy.max !== null ? { value: policy.max, source: 'policy' } : null;
  if (max !== null && min.value > max.value) {
    if (min.source === 'floor') max = min;
    else min = max;
  }
  if (largestNode !== null && (max === null || max.value > largestNode[field])) max = { value: largestNode[field], source: 'node' };
  return { min, max };
}

/** Floor and ceiling of the workload's annotations; null where there is none, or where it would widen a policy that forbids it. */
function annotatedBounds(
  field: 'cpuMillicores' | 'memoryBytes',
  { workloadOverrides }: PolicyRules,
  overrides: WorkloadOverrides,
  container: string,
  policy: ResourcePolicy,
): { readonly floor: number | null; readonly ceiling: number | null } {
  const floor = boundsOf(overrides.floor, container)[field];
  const ceiling = boundsOf(overrides.ceiling, container)[field];
  if (workloadOverrides === 'All') return { floor, ceiling };
  return { floor: isInside(floor, policy) ? floor : null, ceiling: isInside(ceiling, policy) ? ceiling : null };
}

function isInside(bound: number | null, { min, max }: ResourcePolicy): boolean {
  return bound === null || (bound >= (min ?? 0) && bound <= (max ?? bound));
}

/** What annotations of a workload ask for that its policy ignores, as it takes only stricter overrides; none under `All`. */
export function wideningOverrides(rules: PolicyRules, overrides: WorkloadOverrides): readonly string[] {
  if (rules.workloadOverrides === 'All') return [];
  const { mode } = overrides;
  const inForce = modeInForce(rules, overrides);
  const modes = mode === null || mode === inForce ? [] : [`mode ${mode}, where it has ${rules.mode}`];
  const bounds = (['floor', 'ceiling'] as const).flatMap((kind) =>
    [...overrides[kind]].flatMap(([container, { cpuMillicores, memoryBytes }]) => {
      const own = containerPolicyOf(rules, container);
      return [
        ...(isInside(cpuMillicores, own.cpu) ? [] : [`${kind} of ${formatCpu(cpuMillicores ?? 0)} CPU for ${container}`]),
        ...(isInside(memoryBytes, own.memory) ? [] : [`${kind} of ${formatMemory(memoryBytes ?? 0)} memory for ${container}`]),
      ];
    }),
  );
  return [...modes, ...bounds];
}
