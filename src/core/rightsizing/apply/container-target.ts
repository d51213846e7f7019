// What one container should have, from advice to numbers that the cluster will take: limits by their rule, LimitRanges,
// request never above limit. Each thing that moves the request is a step, so that the explanation adds up.

import type { LimitRangeRecord } from '../../model/cluster-records.ts';
import type { OptionalResources, RequestsAndLimits, ResourceName } from '../../model/resources.ts';
import { MiB, type Instant } from '../../model/units.ts';
import type { ContainerAdvice, ResourceAdvice } from '../advice.ts';
import { memoryLimitFor } from '../memory-limit.ts';
import type { ContainerPolicy } from '../policy/policy-rules.ts';
import { FIELD, RESOURCES, withAmount } from './container-values.ts';
import { goMaxProcsSteps } from './go-max-procs.ts';
import { leastGuaranteedCpu } from './guaranteed-cpu.ts';
import type { ExplainedStep } from './explained-step.ts';

export interface ContainerTarget extends RequestsAndLimits {
  readonly steps: readonly ExplainedStep[];
  /** Why the memory limit stands where it does, in words; null where there is none. */
  readonly memoryLimitBecause: string | null;
}

export interface TargetInputs {
  readonly now: Instant;
  readonly current: RequestsAndLimits;
  readonly advice: ContainerAdvice;
  readonly policy: ContainerPolicy;
  /** Requests and limits of the pod are equal and must stay so. */
  readonly guaranteed: boolean;
  readonly limitRanges: readonly LimitRangeRecord[];
  /** Memory limits may fall (the kubelets are new enough, and no restart is asked for). */
  readonly memoryLimitMayFall: boolean;
  readonly memoryLimitLoweredAt: Instant | null;
  /** No memory limit is raised past it; one that is above it already stays. null or absent: nothing bounds it. */
  readonly memoryLimitBound?: number | null;
  /** Limits that a person has approved: no rule takes them back. */
  readonly leastLimits?: OptionalResources;
  /** CPUs that a Go program is told to use at once; null or absent: not known. */
  readonly goMaxProcs?: number | null;
}

/** A running container keeps at least this share of free room under its memory limit, whatever else is asked. */
export const WORKING_SET_HEADROOM = 1.25;

/** The whole target of a container. Where nothing is known of a resource it stays as it is. */
export function containerTarget(inputs: TargetInputs): ContainerTarget {
  const { current, advice } = inputs;
  const steps: ExplainedStep[] = [];
  let requests = current.requests;
  for (const resource of RESOURCES) {
    const about = advice[resource];
    if (about === null) continue;
    steps.push(...runningTotals(resource, about));
    requests = withAmount(requests, resource, fitRequest(inputs, resource, wantedOf(inputs, resource, about, steps), steps));
  }
  const target = limitsFor(inputs, requests, steps);
  return advice.cpu === null ? target : { ...target, steps: [...target.steps, ...goMaxProcsSteps(inputs.goMaxProcs ?? null, target)] };
}

/**
 * Limits that go with given requests, by the policy's rule; requests are moved where they would pass a limit that is
 * not ours to move, or where limit and request must be equal.
 */
export function limitsFor(inputs: TargetInputs, requests: OptionalResources, steps: ExplainedStep[] = []): ContainerTarget {
  const { current, policy, guaranteed } = inputs;
  const memory = memoryLimit(inputs, requests.memoryBytes);
  let limits: OptionalResources = { cpuMillicores: cpuLimit(inputs, requests.cpuMillicores), memoryBytes: memory.limit };
  if (policy.controlled === 'requests') limits = current.limits;
  let fitted = requests;
  for (const resource of RESOURCES) {
    const field = FIELD[resource];
    const [limit, request] = [limits[field], requests[field]];
    if (limit === null || request === null || request === limit) continue;
    if (guaranteed || request > limit) {
      fitted = withAmount(fitted, resource, limit);
      steps.push({
        resource,
        step: 'limit',
        detail: guaranteed ? 'Guaranteed: the request equals the limit' : 'the limit is not to be moved',
        value: limit,
      });
    }
  }
  return { requests: fitted, limits, steps, memoryLimitBecause: memory.because };
}

function cpuLimit(inputs: TargetInputs, request: number | null): number | null {
  const limit = inputs.current.limits.cpuMillicores;
  if (limit === null || request === null) return limit;
  const least = leastLimit(inputs, 'cpu');
  if (inputs.guaranteed) return Math.max(request, least);
  const { rule, ratio } = inputs.policy.cpu.limit;
  const before = inputs.current.requests.cpuMillicores;
  const wanted =
    rule === 'Ratio' ? Math.ceil(request * (ratio ?? (before === null || before === 0 ? 1 : limit / before))) : Math.max(limit, request);
  return Math.max(request, least, Math.min(wanted, greatestOf(inputs.limitRanges, 'cpu') ?? wanted));
}

/** What was approved, as far as the cluster takes it. */
function leastLimit({ leastLimits, limitRanges }: TargetInputs, resource: ResourceName): number {
  const approved = leastLimits?.[FIELD[resource]] ?? 0;
  return Math.min(approved, greatestOf(limitRanges, resource) ?? approved);
}

function memoryLimit(inputs: TargetInputs, request: number | null): MemoryLimit {
  const ruled = memoryLimitByRule(inputs, request);
  const least = leastLimit(inputs, 'memory');
  return ruled.limit === null || ruled.limit >= least ? ruled : { limit: least, because: 'a person approved it' };
}

interface MemoryLimit {
  readonly limit: number | null;
  readonly because: string | null;
}

function memoryLimitByRule(inputs: TargetInputs, request: number | null): MemoryLimit {
  const { current, advice, guaranteed } = inputs;
  const limit = current.limits.memoryBytes;
  if (limit === null || request === null) return { limit, because: null };
  const { rule } = inputs.policy.memory.limit;
  const decision = memoryLimitFor({
    now: inputs.now,
    current: limit,
    request,
    ratio: guaranteed || rule !== 'Ratio' ? 1 : memoryRatio(inputs, limit),
    max: mostMemoryLimit(inputs, limit),
    evidence: advice.memoryEvidence,
    lastLoweredAt: inputs.memoryLimitLoweredAt,
  });
  if (decision.limit === null || decision.limit >= limit) return { limit: decision.limit ?? limit, because: decision.because };
  if (!inputs.memoryLimitMayFall || (rule !== 'Ratio' && !guaranteed)) return { limit, because: 'kept: the rule or the kubelet keeps it' };
  const inUse = (advice.memoryEvidence?.latest ?? limit) * WORKING_SET_HEADROOM;
  const lowered = Math.max(decision.limit, Math.ceil(inUse / MiB) * MiB);
  return lowered < limit ? { limit: lowered, because: decision.because } : { limit, because: 'kept: it is in use' };
}

/** By LimitRanges, and by the bound as far as the limit is not above it already. */
function mostMemoryLimit({ limitRanges, memoryLimitBound = null }: TargetInputs, current: number): number | null {
  const bounds = [greatestOf(limitRanges, 'memory'), memoryLimitBound === null ? null : Math.max(memoryLimitBound, current)];
  const known = bounds.filter((bound) => bound !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** The advice, and what a limit that moves along makes of it. */
function wantedOf(inputs: TargetInputs, resource: ResourceName, about: ResourceAdvice, steps: ExplainedStep[]): number {
  if (resource === 'memory' || !inputs.guaranteed || inputs.policy.controlled === 'requests') return about.target;
  const least = leastGuaranteedCpu(about);
  if (least <= about.target) return about.target;
  const detail = 'Guaranteed: the limit moves along, and would hold back the highest usage of the window';
  steps.push({ resource, step: 'limit', detail, value: least });
  return least;
}

function memoryRatio({ current, policy }: TargetInputs, limit: number): number {
  const before = current.requests.memoryBytes;
  return policy.memory.limit.ratio ?? (before === null || before === 0 ? 1 : limit / before);
}

function fitRequest(inputs: TargetInputs, resource: ResourceName, target: number, steps: ExplainedStep[]): number {
  let value = target;
  const note = (moved: number, detail: string): void => {
    if (moved === value) return;
    value = moved;
    steps.push({ resource, step: 'limit-range', detail, value });
  };
  for (const range of inputs.limitRanges) {
    const field = FIELD[resource];
    const least = range.min[field];
    const greatest = range.max[field];
    const ratio = range.maxLimitRequestRatio[resource];
    const limit = inputs.current.limits[field];
    if (least !== null && value < least) note(least, `LimitRange ${range.name} allows no less`);
    if (ratio !== null && limit !== null && value * ratio < limit)
      note(Math.ceil(limit / ratio), `LimitRange ${range.name} allows limits of at most ${ratio} × the request`);
    if (greatest !== null && value > greatest) note(greatest, `LimitRange ${range.name} allows no more`);
  }
  return value;
}

function greatestOf(ranges: readonly LimitRangeRecord[], resource: ResourceName): number | null {
  const greatest = ranges.flatMap((range) => range.max[FIELD[resource]] ?? []);
  return greatest.length === 0 ? null : Math.min(...greatest);
}

function runningTotals(resource: ResourceName, advice: ResourceAdvice): ExplainedStep[] {
  let total = 0;
  return advice.steps.map(({ step, detail, value }) => {
    total += value;
    return { resource, step, detail, value: total };
  });
}
