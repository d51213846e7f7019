// Merges policy, container override, floor, ceiling and the largest node into the recommender's rules for one container.

import type { ResizeMode } from '../../../apis/conditions.ts';
import type { ContainerRuntime } from '#kube/records/container-runtime';
import type { Resources, ResourceName } from '#kube/records/resources';
import { formatDuration } from '../../model/duration.ts';
import { formatCpu, formatMemory } from '#kube/quantity';
import { MIN_CPU_MILLICORES, MIN_MEMORY_BYTES, type Pace, type RecommenderRules, type ResourceRules } from '../../recommender/advice.ts';
import {
  containerMode,
  containerPolicyOf,
  isLasting,
  modeInForce,
  paceInForce,
  type PolicyRules,
  type ResourcePolicy,
} from './policy-rules.ts';
import { boundsOf, type WorkloadOverrides } from './workload-overrides.ts';

/** A value in force with its source. */
export interface SourcedRule {
  readonly name: string;
  readonly value: string | number | null;
  /** `annotation`: evenkeel.io/mode or evenkeel.io/exclude of the workload; the annotations of bounds are `floor` and `ceiling`. */
  readonly source: FieldSource | 'annotation' | 'floor' | 'ceiling' | 'node';
}

/** Source of the value of a policy's field. */
export type FieldSource = 'policy' | 'override' | 'setting' | 'default';

/** Sources of the policy's values for a container. */
export interface RuleSources {
  /** Source of the first of `fields` that is set, in the container's entry of `spec.containers` or else in the spec. */
  of(container: string, ...fields: readonly string[]): FieldSource;
}

interface Bound {
  readonly value: number;
  readonly source: 'policy' | 'floor' | 'ceiling' | 'node' | 'default';
}

/**
 * Rules for the recommendation of one container.
 * @param largestNode allocatable of the largest node, which bounds every pod; null: no node is known
 * @param runtime the language runtime by the container's template; null: unknown
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
  const containerPolicy = containerPolicyOf(policy, container);
  const rulesOf = (resource: ResourceName): ResourceRules => {
    const { goal, percentile, margin } = containerPolicy[resource];
    const { min, max } = requestBounds(resource, policy, overrides, container, largestNode);
    return { goal, percentile, margin, min: min.value, max: max?.value ?? null };
  };
  return {
    cpu: rulesOf('cpu'),
    memory: rulesOf('memory'),
    pace: containerPace(policy, overrides, container, nodesFollow),
    lasting: isLasting(policy, modeOfContainer(policy, overrides, container)),
    runtime,
    historyWindowMs: policy.historyWindowMs,
    oom: policy.oom,
  };
}

/** Pace of one container: what a person copies or approves must hold for weeks, also where only one container of the workload waits for it. */
function containerPace(policy: PolicyRules, overrides: WorkloadOverrides, container: string, nodesFollow: boolean): Pace {
  return paceInForce(policy, modeOfContainer(policy, overrides, container), nodesFollow);
}

function modeOfContainer(policy: PolicyRules, overrides: WorkloadOverrides, container: string): ResizeMode {
  return containerMode(containerPolicyOf(policy, container), modeInForce(policy, overrides));
}

/** Whether a container is resized as its workload is: one whose own mode is more restrictive is left as it is. */
export function isResizedWithWorkload(policy: PolicyRules, overrides: WorkloadOverrides, container: string): boolean {
  return modeOfContainer(policy, overrides, container) === modeInForce(policy, overrides);
}

/** The rules of `containerRules` and the policy's other values for a container, each with its source, for display. */
export function sourcedRules(
  policy: PolicyRules,
  overrides: WorkloadOverrides,
  container: string,
  { largestNode, nodesFollow, sources }: RuleContext,
): readonly SourcedRule[] {
  const containerPolicy = containerPolicyOf(policy, container);
  const from = (...fields: readonly string[]): FieldSource => sources.of(container, ...fields);
  const rules: SourcedRule[] = [{ name: `${container}.mode`, ...sourcedMode(policy, overrides, container, from) }];
  for (const resource of ['cpu', 'memory'] as const) {
    const format = resource === 'cpu' ? formatCpu : formatMemory;
    const { goal, percentile, margin, minChangeRatio, limit } = containerPolicy[resource];
    const { min, max } = requestBounds(resource, policy, overrides, container, largestNode);
    const named = (name: string, value: SourcedRule['value'], source: SourcedRule['source']): void => {
      rules.push({ name: `${container}.${resource}.${name}`, value, source });
    };
    // A minimum above the maximum is replaced by it, so the source of either field may apply.
    const ofBound = ({ source }: Bound, ...fields: readonly string[]): SourcedRule['source'] =>
      source === 'policy' ? from(...fields.map((field) => `${resource}.${field}`)) : source;
    named('goal', goal, from(`${resource}.goal`, 'goal'));
    named('percentile', percentile, from(`${resource}.percentile`));
    named('margin', margin, from(`${resource}.margin`));
    named('min', format(min.value), ofBound(min, 'min', 'max'));
    named('max', max === null ? null : format(max.value), max === null ? 'default' : ofBound(max, 'max', 'min'));
    named('minChangeRatio', minChangeRatio, from(`${resource}.minChangeRatio`));
    const rule = limit.rule === 'Ratio' && limit.ratio !== null ? `${limit.rule} ${limit.ratio}` : limit.rule;
    named('limit', rule, from(`${resource}.limit.rule`, `${resource}.limit.ratio`));
    named('minConfidence', policy.minConfidence[resource], from('minConfidence'));
  }
  const pace = containerPace(policy, overrides, container, nodesFollow);
  rules.push({ name: 'pace', value: pace, source: pace === policy.pace ? from('pace') : 'default' });
  rules.push({ name: 'history.window', value: formatDuration(policy.historyWindowMs), source: from('history.window') });
  rules.push({ name: 'cooldown', value: formatDuration(policy.cooldownMs), source: from('cooldown') });
  return rules;
}

/** Inputs of the rules besides the policy and the workload. */
export interface RuleContext {
  readonly largestNode: Resources | null;
  /** evenkeel-autoscaler holds its lease. */
  readonly nodesFollow: boolean;
  readonly sources: RuleSources;
}

/** Mode of a container: that of its entry where that is more restrictive, else of the workload's annotation, else of the policy. */
function sourcedMode(
  policy: PolicyRules,
  overrides: WorkloadOverrides,
  container: string,
  from: (field: string) => FieldSource,
): Pick<SourcedRule, 'value' | 'source'> {
  if (overrides.excluded) return { value: 'Off', source: 'annotation' };
  const ofWorkload = modeInForce(policy, overrides);
  const value = containerMode(containerPolicyOf(policy, container), ofWorkload);
  if (value === ofWorkload && overrides.mode === ofWorkload) return { value, source: 'annotation' };
  return { value, source: from('mode') };
}

/**
 * Bounds of a request in millicores or bytes. Annotations of the workload take precedence over the policy, which applies to many
 * workloads; with `workloadOverrides: Stricter` they apply only within the policy's bounds.
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

/** Floor and ceiling of the workload's annotations; null where there is none, or where it would widen a policy with `Stricter`. */
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

/** Values of a workload's annotations that its policy ignores because it accepts only stricter overrides; empty under `All`. */
export function wideningOverrides(rules: PolicyRules, overrides: WorkloadOverrides): readonly string[] {
  if (rules.workloadOverrides === 'All') return [];
  const { mode } = overrides;
  const inForce = modeInForce(rules, overrides);
  const modes = mode === null || mode === inForce ? [] : [`mode ${mode}, where it has ${rules.mode}`];
  const bounds = (['floor', 'ceiling'] as const).flatMap((kind) =>
    [...overrides[kind]].flatMap(([container, { cpuMillicores, memoryBytes }]) => {
      const containerPolicy = containerPolicyOf(rules, container);
      return [
        ...(isInside(cpuMillicores, containerPolicy.cpu) ? [] : [`${kind} of ${formatCpu(cpuMillicores ?? 0)} CPU for ${container}`]),
        ...(isInside(memoryBytes, containerPolicy.memory) ? [] : [`${kind} of ${formatMemory(memoryBytes ?? 0)} memory for ${container}`]),
      ];
    }),
  );
  return [...modes, ...bounds];
}
