// What one container should have, from advice to numbers that the cluster will take: limits by their rule, LimitRanges,
// request never above limit. Each thing that moves the request is a step, so that the explanation adds up.

import { maxOfContainer } from '../../model/limit-range.ts';
import type { ExplanationStep } from '../../model/explanation-step.ts';
import type { OptionalResources, ResourceName } from '#kube/records/resources';
import { MiB } from '#kube/units';
import type { ResourceAdvice } from '../../recommender/advice.ts';
import { limitRatio } from './limit-bound.ts';
import { memoryLimitFor } from './memory-limit.ts';
import { FIELD, RESOURCES, withAmount } from '../model/container-values.ts';
import { goMaxProcsSteps } from './go-max-procs.ts';
import { maxCpuLimit } from './cpu-limit.ts';
import { minGuaranteedCpu } from './guaranteed-cpu.ts';
import type { ContainerTarget, TargetInputs } from '../model/container-plan.ts';

/** A running container keeps at least this share of free room under its memory limit, whatever else is asked. */
export const WORKING_SET_HEADROOM = 1.25;
const ONE_TO_ONE = 'the request equals the limit, as deployed';

/** The whole target of a container. Where nothing is known of a resource it stays as it is. */
export function containerTarget(inputs: TargetInputs): ContainerTarget {
  const { current, advice } = inputs;
  const steps: ExplanationStep[] = [];
  let requests = current.requests;
  for (const resource of RESOURCES) {
    const about = advice[resource];
    if (about === null) continue;
    steps.push(...about.steps);
    requests = withAmount(requests, resource, fitRequest(inputs, resource, wantedOf(inputs, resource, about, steps), steps));
  }
  const target = limitsFor(inputs, requests, steps);
  return advice.cpu === null ? target : { ...target, steps: [...target.steps, ...goMaxProcsSteps(inputs.goMaxProcs ?? null, target)] };
}

/**
 * Limits that go with given requests, by the policy's rule; requests are moved where they would pass a limit that is
 * not ours to move, or where limit and request must be equal.
 */
export function limitsFor(inputs: TargetInputs, requests: OptionalResources, steps: ExplanationStep[] = []): ContainerTarget {
  const { current, policy, guaranteed } = inputs;
  const memory = memoryLimit(inputs, requests.memoryBytes);
  let limits: OptionalResources = { cpuMillicores: cpuLimit(inputs, requests.cpuMillicores), memoryBytes: memory.limit };
  if (policy.controlled === 'requests') limits = current.limits;
  let fitted = requests;
  for (const resource of RESOURCES) {
    const field = FIELD[resource];
    const [limit, request] = [limits[field], requests[field]];
    if (limit === null || request === null || request === limit) continue;
    const equal = guaranteed || (resource === 'memory' && isOneToOne(inputs));
    if (equal || request > limit) {
      fitted = withAmount(fitted, resource, limit);
      const detail = guaranteed ? 'Guaranteed: the request equals the limit' : equal ? ONE_TO_ONE : 'a request never passes its limit';
      steps.push({ resource, step: 'limit', detail, total: limit });
    }
  }
  return { requests: keptBurstable(inputs, fitted, limits, steps), limits, steps, memoryLimitReason: memory.because };
}

/**
 * Requests that leave a container of a Burstable pod Burstable: with CPU and memory both at their limits the pod would be
 * Guaranteed, and no resize in place changes a pod's QoS class. The least difference is enough, in what is not there already.
 */
export function keptBurstable(
  { current, guaranteed }: Pick<TargetInputs, 'current' | 'guaranteed'>,
  requests: OptionalResources,
  limits: OptionalResources,
  steps: ExplanationStep[] = [],
): OptionalResources {
  const isEqual = (request: OptionalResources, limit: OptionalResources): boolean =>
    RESOURCES.every((resource) => limit[FIELD[resource]] !== null && request[FIELD[resource]] === limit[FIELD[resource]]);
  if (guaranteed || !isEqual(requests, limits) || isEqual(current.requests, current.limits)) return requests;
  const resource = current.requests.cpuMillicores === current.limits.cpuMillicores ? 'memory' : 'cpu';
  const value = (limits[FIELD[resource]] ?? 0) - (resource === 'cpu' ? 1 : MiB);
  steps.push({
    resource,
    step: 'limit',
    detail: 'CPU and memory both at their limits would change the QoS class of the pod',
    total: value,
  });
  return withAmount(requests, resource, value);
}

function cpuLimit(inputs: TargetInputs, request: number | null): number | null {
  const limit = inputs.current.limits.cpuMillicores;
  if (limit === null || request === null) return limit;
  const least = minLimit(inputs, 'cpu');
  if (inputs.guaranteed) return Math.max(request, least);
  const { rule, ratio } = inputs.policy.cpu.limit;
  const before = inputs.current.requests.cpuMillicores;
  const greatest = maxCpuLimit(inputs) ?? limit;
  const wanted =
    rule === 'Ratio'
      ? Math.min(greatest, Math.ceil(request * (ratio ?? (before === null || before === 0 ? 1 : limit / before))))
      : Math.max(limit, request);
  const raised = Math.max(wanted, inputs.cpuLimitStep?.raisedTo ?? 0);
  return Math.max(request, least, Math.min(raised, maxOfContainer(inputs.limitRanges, 'cpuMillicores')));
}

/** What was approved, as far as the cluster takes it. */
function minLimit({ minLimits, limitRanges }: TargetInputs, resource: ResourceName): number {
  const approved = minLimits?.[FIELD[resource]] ?? 0;
  return Math.min(approved, maxOfContainer(limitRanges, FIELD[resource]));
}

function memoryLimit(inputs: TargetInputs, request: number | null): MemoryLimit {
  const ruled = memoryLimitByRule(inputs, request);
  const least = minLimit(inputs, 'memory');
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
  if (inputs.leaks === true) return { limit: Math.max(limit, deployedLimit(inputs)), because: 'a leak stays at its deployed size' };
  const equal = guaranteed || isOneToOne(inputs);
  const decision = memoryLimitFor({
    now: inputs.now,
    current: limit,
    request,
    ratio: equal ? 1 : ratioInForce(inputs),
    // With a request that equals it a limit is forecast as well: no further than what a person has deployed.
    maxByRequest: equal ? Math.max(limit, deployedLimit(inputs)) : null,
    max: maxMemoryLimit(inputs, limit),
    oomNeed: inputs.oomNeed ?? 0,
    evidence: advice.memoryEvidence,
    lastLoweredAt: inputs.memoryLimitLoweredAt,
  });
  if (decision.limit >= limit) return { limit: decision.limit, because: decision.because };
  if (!inputs.memoryLimitMayFall) return { limit, because: 'kept: its kubelet lowers no memory limit without a restart' };
  const inUse = (advice.memoryEvidence?.latest ?? limit) * WORKING_SET_HEADROOM;
  const lowered = Math.max(decision.limit, Math.ceil(inUse / MiB) * MiB);
  return lowered < limit ? { limit: lowered, because: decision.because } : { limit, because: 'kept: it is in use' };
}

function deployedLimit({ deployed }: TargetInputs): number {
  return deployed?.limits.memoryBytes ?? 0;
}

/** Limit ÷ request that the policy asks for; null: the limit is kept. */
function ratioInForce({ policy, deployed, current }: TargetInputs): number | null {
  const { limit } = policy.memory;
  return limit.rule === 'Ratio' ? limitRatio(limit, deployed ?? current) : null;
}

/** By LimitRanges, and by the bound as far as the limit is not above it already. */
function maxMemoryLimit({ limitRanges, memoryLimitBound = null }: TargetInputs, current: number): number | null {
  const bound = memoryLimitBound === null ? Infinity : Math.max(memoryLimitBound, current);
  const most = Math.min(maxOfContainer(limitRanges, 'memoryBytes'), bound);
  return most === Infinity ? null : most;
}

/** The advice, and what a limit that moves along makes of it. */
function wantedOf(inputs: TargetInputs, resource: ResourceName, about: ResourceAdvice, steps: ExplanationStep[]): number {
  if (resource === 'memory') return inputs.leaks === true ? deployedRequest(inputs, about, steps) : about.target;
  const wanted = Math.max(withGuaranteedHeadroom(inputs, about, steps), stepOfGuaranteed(inputs, steps));
  const greatest = maxCpuLimit(inputs) ?? wanted;
  if (wanted <= greatest) return wanted;
  steps.push({ resource, step: 'limit', detail: 'the CPU limit is raised only where throttling was measured', total: greatest });
  return greatest;
}

/** The limit of a Guaranteed container is raised together with its request; 0: it is not. */
function stepOfGuaranteed({ guaranteed, cpuLimitStep, maxCpuRequest }: TargetInputs, steps: ExplanationStep[]): number {
  const raisedTo = cpuLimitStep?.raisedTo ?? null;
  if (!guaranteed || raisedTo === null) return 0;
  const value = Math.min(raisedTo, maxCpuRequest ?? raisedTo);
  const detail =
    cpuLimitStep?.isReturn === true ? 'throttled below its deployed limit' : 'throttled for an hour in at least half of the replicas';
  steps.push({ resource: 'cpu', step: 'limit', detail, total: value });
  return value;
}

/** As deployed; a greater one that is in force stays, as the node might run out of memory without it. */
function deployedRequest({ deployed, current }: TargetInputs, about: ResourceAdvice, steps: ExplanationStep[]): number {
  const inForce = current.requests.memoryBytes;
  const least = deployed?.requests.memoryBytes ?? inForce ?? about.target;
  const value = Math.max(least, inForce ?? 0);
  const detail = value > least ? 'a leak is given no more, and keeps what it has' : 'a leak stays at its deployed size';
  steps.push({ resource: 'memory', step: 'leak', detail: `its memory grows without end: ${detail}`, total: value });
  return value;
}

function withGuaranteedHeadroom(inputs: TargetInputs, about: ResourceAdvice, steps: ExplanationStep[]): number {
  if (!inputs.guaranteed || inputs.policy.controlled === 'requests') return about.target;
  const least = Math.min(
    minGuaranteedCpu(about, inputs.advice.cpuHigh, inputs.current.requests.cpuMillicores),
    inputs.maxCpuRequest ?? Number.POSITIVE_INFINITY,
  );
  if (least <= about.target) return about.target;
  const detail = 'Guaranteed: the limit moves along, and would hold back the highest usage of the window';
  steps.push({ resource: 'cpu', step: 'limit', detail, total: least });
  return least;
}

/** Whether the memory request of a Burstable pod's container equals its limit, as deployed: it stays so under every rule but Ratio. */
export function isOneToOne({ deployed, current, policy }: Pick<TargetInputs, 'deployed' | 'current' | 'policy'>): boolean {
  if (policy.controlled === 'requests' || policy.memory.limit.rule === 'Ratio') return false;
  const isKnown = (deployed?.requests.memoryBytes ?? null) !== null && (deployed?.limits.memoryBytes ?? null) !== null;
  const { requests, limits } = isKnown ? (deployed ?? current) : current;
  return limits.memoryBytes !== null && requests.memoryBytes === limits.memoryBytes;
}

function fitRequest(inputs: TargetInputs, resource: ResourceName, target: number, steps: ExplanationStep[]): number {
  let value = target;
  const note = (moved: number, detail: string): void => {
    if (moved === value) return;
    value = moved;
    steps.push({ resource, step: 'limit-range', detail, total: value });
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
