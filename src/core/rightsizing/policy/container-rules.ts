// Joins policy, container exception, floor, ceiling and the largest node into what the recommender is asked for.

import type { ContainerRuntime } from '../../model/container-runtime.ts';
import type { Resources, ResourceName } from '../../model/resources.ts';
import { formatDuration } from '../../model/duration.ts';
import { formatCpu, formatMemory } from '../../model/quantity.ts';
import { MIN_CPU_MILLICORES, MIN_MEMORY_BYTES, type RecommenderRules, type ResourceRules } from '../advice.ts';
import { containerMode, containerPolicyOf, type PolicyRules, type ResourcePolicy } from './policy-rules.ts';
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
 */
export function containerRules(
  policy: PolicyRules,
  overrides: WorkloadOverrides,
  container: string,
  largestNode: Resources | null,
  runtime: ContainerRuntime | null = null,
): RecommenderRules {
  const own = containerPolicyOf(policy, container);
  const rulesOf = (resource: ResourceName): ResourceRules => {
    const { goal, percentile, margin } = own[resource];
    const { min, max } = bounds(resource, own[resource], overrides, container, largestNode);
    return { goal, percentile, margin, min: min.value, max: max?.value ?? null };
  };
  return {
    cpu: rulesOf('cpu'),
    memory: rulesOf('memory'),
    // What waits for a restart has to be right for long.
    calm: policy.apply === 'OnRestart',
    runtime,
    historyWindowMs: policy.historyWindowMs,
    minSamplesMs: policy.minSamplesMs,
    oom: policy.oom,
  };
}

/** The same, told to people: every rule of a container with where it came from. */
export function sourcedRules(
  policy: PolicyRules,
  overrides: WorkloadOverrides,
  container: string,
  largestNode: Resources | null,
): readonly SourcedRule[] {
  const own = containerPolicyOf(policy, container);
  const given = policy.name === null ? 'default' : 'policy';
  const rules: SourcedRule[] = [{ name: `${container}.mode`, value: containerMode(own, overrides.mode ?? policy.mode), source: given }];
  for (const resource of ['cpu', 'memory'] as const) {
    const format = resource === 'cpu' ? formatCpu : formatMemory;
    const { goal, percentile, margin, minChangeRatio, limit } = own[resource];
    const { min, max } = bounds(resource, own[resource], overrides, container, largestNode);
    const named = (name: string, value: SourcedRule['value'], source: SourcedRule['source']): void => {
      rules.push({ name: `${container}.${resource}.${name}`, value, source });
    };
    named('goal', goal, given);
    named('percentile', percentile, percentile === null ? 'default' : 'policy');
    named('margin', margin, margin === null ? 'default' : 'policy');
    named('min', format(min.value), min.source);
    named('max', max === null ? null : format(max.value), max?.source ?? 'default');
    named('minChangeRatio', minChangeRatio, given);
    named('limit', limit.ratio === null ? limit.rule : `${limit.rule} ${limit.ratio}`, given);
    named('minConfidence', policy.minConfidence[resource], given);
  }
  rules.push({ name: 'history.window', value: formatDuration(policy.historyWindowMs), source: given });
  rules.push({ name: 'history.minSamples', value: formatDuration(policy.minSamplesMs), source: given });
  rules.push({ name: 'cooldown', value: formatDuration(policy.cooldownMs), source: given });
  return rules;
}

// The workload's own annotations know more than a policy for many: where they contradict it, they win.
function bounds(
  resource: ResourceName,
  policy: ResourcePolicy,
  overrides: WorkloadOverrides,
  container: string,
  largestNode: Resources | null,
): { readonly min: Bound; readonly max: Bound | null } {
  const field = resource === 'cpu' ? 'cpuMillicores' : 'memoryBytes';
  const floor = boundsOf(overrides.floor, container)[field];
  const ceiling = boundsOf(overrides.ceiling, container)[field];
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
