// The target of one container: the recommended request, the limit by the policy's rule, both within LimitRanges, and the request never
// above the limit. Each adjustment of the request is recorded as an explanation step.

import { maxOfContainer } from '../../../model/limit-range.ts';
import type { ExplanationStep } from '../../../model/explanation-step.ts';
import type { OptionalResources, ResourceName } from '#kube/records/resources';
import { MiB } from '#kube/units';
import type { ResourceAdvice } from '../../../recommender/advice.ts';
import { limitRatio } from './limit-bound.ts';
import { memoryLimitFor } from './memory-limit.ts';
import { FIELD, RESOURCES, withAmount } from '../../model/container-values.ts';
import { goMaxProcsSteps } from './go-max-procs.ts';
import { maxCpuLimit } from './cpu-limit.ts';
import { minGuaranteedCpu } from './guaranteed-cpu.ts';
import type { ContainerTarget, TargetInputs } from '../../model/container-plan.ts';

/** Minimum ratio of a lowered memory limit to present usage. */
export const WORKING_SET_HEADROOM = 1.25;
const ONE_TO_ONE = 'the request equals the limit, as deployed';

/** The target of a container. A resource without a recommendation keeps its value. */
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
 * Limits by the policy's rule for the given requests. A request is adjusted where it would exceed a limit that Evenkeel does not change,
 * and where limit and request must be equal.
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
      const detail = guaranteed ? 'Guaranteed: the request equals the limit' : equal ? ONE_TO_ONE : 'a request never exceeds its limit';
      steps.push({ resource, step: 'limit', detail, total: limit });
    }
  }
  return { requests: keepBurstable(inputs, fitted, limits, steps), limits, steps, memoryLimitReason: memory.reason };
}

/**
 * Keeps the QoS class Burstable: with CPU and memory both equal to their limits the pod would be Guaranteed, and Kubernetes forbids a
 * resize that changes the QoS class. The request of one resource is set just below its limit.
 */
export function keepBurstable(
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

/** Approved baseline of the limit, bounded by LimitRanges; 0: none. */
function minLimit({ minLimits, limitRanges }: TargetInputs, resource: ResourceName): number {
  const approved = minLimits?.[FIELD[resource]] ?? 0;
  return Math.min(approved, maxOfContainer(limitRanges, FIELD[resource]));
}

function memoryLimit(inputs: TargetInputs, request: number | null): MemoryLimit {
  const ruled = memoryLimitByRule(inputs, request);
  const least = minLimit(inputs, 'memory');
  return ruled.limit === null || ruled.limit >= least ? ruled : { limit: least, reason: 'approved by a user' };
}

interface MemoryLimit {
  readonly limit: number | null;
  readonly reason: string | null;
}

function memoryLimitByRule(inputs: TargetInputs, request: number | null): MemoryLimit {
  const { current, advice, guaranteed } = inputs;
  const limit = current.limits.memoryBytes;
  if (limit === null || request === null) return { limit, reason: null };
  if (inputs.leaks === true)
    return { limit: Math.max(limit, deployedLimit(inputs)), reason: 'kept at the deployed limit: a memory leak is suspected' };
  const equal = guaranteed || isOneToOne(inputs);
  const decision = memoryLimitFor({
    now: inputs.now,
    current: limit,
    request,
    ratio: equal ? 1 : ratioInForce(inputs),
    // A limit that equals its request is forecast with it, so it is bounded by the deployed limit.
    maxByRequest: equal ? Math.max(limit, deployedLimit(inputs)) : null,
    max: maxMemoryLimit(inputs, limit),
    minLimitByKills: inputs.minLimitByKills ?? 0,
    evidence: advice.memoryEvidence,
    lastLoweredAt: inputs.memoryLimitLoweredAt,
  });
  if (decision.limit >= limit) return { limit: decision.limit, reason: decision.reason };
  if (!inputs.memoryLimitMayFall) return { limit, reason: 'kept: the kubelet cannot lower memory limits without a restart' };
  const inUse = (advice.memoryEvidence?.latest ?? limit) * WORKING_SET_HEADROOM;
  const lowered = Math.max(decision.limit, Math.ceil(inUse / MiB) * MiB);
  return lowered < limit ? { limit: lowered, reason: decision.reason } : { limit, reason: 'kept: the memory is in use' };
}

function deployedLimit({ deployed }: TargetInputs): number {
  return deployed?.limits.memoryBytes ?? 0;
}

/** Ratio of limit to request by the policy; null: the limit is kept. */
function ratioInForce({ policy, deployed, current }: TargetInputs): number | null {
  const { limit } = policy.memory;
  return limit.rule === 'Ratio' ? limitRatio(limit, deployed ?? current) : null;
}

/** Upper bound by LimitRanges and `memoryLimitBound`, but never below the present limit in bytes; null: none. */
function maxMemoryLimit({ limitRanges, memoryLimitBound = null }: TargetInputs, current: number): number | null {
  const bound = memoryLimitBound === null ? Infinity : Math.max(memoryLimitBound, current);
  const most = Math.min(maxOfContainer(limitRanges, 'memoryBytes'), bound);
  return most === Infinity ? null : most;
}

/** The recommended request, adjusted where the limit changes together with it. In millicores or bytes. */
function wantedOf(inputs: TargetInputs, resource: ResourceName, about: ResourceAdvice, steps: ExplanationStep[]): number {
  if (resource === 'memory') return inputs.leaks === true ? deployedRequest(inputs, about, steps) : about.target;
  const wanted = Math.max(withGuaranteedHeadroom(inputs, about, steps), stepOfGuaranteed(inputs, steps));
  const greatest = maxCpuLimit(inputs) ?? wanted;
  if (wanted <= greatest) return wanted;
  steps.push({ resource, step: 'limit', detail: 'the CPU limit is raised only where throttling was measured', total: greatest });
  return greatest;
}

/** CPU request that a raise of a Guaranteed container's limit requires; 0: no raise. */
function stepOfGuaranteed({ guaranteed, cpuLimitStep, maxCpuRequest }: TargetInputs, steps: ExplanationStep[]): number {
  const raisedTo = cpuLimitStep?.raisedTo ?? null;
  if (!guaranteed || raisedTo === null) return 0;
  const value = Math.min(raisedTo, maxCpuRequest ?? raisedTo);
  const detail =
    cpuLimitStep?.isReturn === true ? 'throttled below its deployed limit' : 'throttled for an hour in at least half of the replicas';
  steps.push({ resource: 'cpu', step: 'limit', detail, total: value });
  return value;
}

/** The deployed request of a leaking container. A greater request in force is kept, because the node might otherwise run out of memory. */
function deployedRequest({ deployed, current }: TargetInputs, about: ResourceAdvice, steps: ExplanationStep[]): number {
  const inForce = current.requests.memoryBytes;
  const least = deployed?.requests.memoryBytes ?? inForce ?? about.target;
  const value = Math.max(least, inForce ?? 0);
  const detail = value > least ? 'the present request is kept' : 'the deployed request is kept';
  steps.push({ resource: 'memory', step: 'leak', detail: `memory leak suspected: ${detail}`, total: value });
  return value;
}

function withGuaranteedHeadroom(inputs: TargetInputs, about: ResourceAdvice, steps: ExplanationStep[]): number {
  if (!inputs.guaranteed || inputs.policy.controlled === 'requests') return about.target;
  const least = Math.min(
    minGuaranteedCpu(about, inputs.advice.cpuHigh, inputs.current.requests.cpuMillicores),
    inputs.maxCpuRequest ?? Number.POSITIVE_INFINITY,
  );
  if (least <= about.target) return about.target;
  const detail = 'Guaranteed: the limit equals the request, and would throttle the highest usage of the window';
  steps.push({ resource: 'cpu', step: 'limit', detail, total: least });
  return least;
}

/** Whether the deployed memory request of a Burstable container equals its limit. Both stay equal under every limit rule except Ratio. */
export function isOneToOne({ deployed, current, policy }: Pick<TargetInputs, 'deployed' | 'current' | 'policy'>): boolean {
  if (policy.controlled === 'requests' || policy.memory.limit.rule === 'Ratio') return false;
  const isKnown = (deployed?.requests.memoryBytes ?? null) !== null && (deployed?.limits.memoryBytes ?? null) !== null;
  const { requests, limits } = isKnown ? (deployed ?? current) : current;
  return limits.memoryBytes !== null && requests.memoryBytes === limits.memoryBytes;
}

function fitRequest(inputs: TargetInputs, resource: ResourceName, target: number, steps: ExplanationStep[]): number {
  let value = target;
  const adjust = (moved: number, detail: string): void => {
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
    if (least !== null && value < least) adjust(least, `minimum of LimitRange ${range.name}`);
    if (ratio !== null && limit !== null && value * ratio < limit)
      adjust(Math.ceil(limit / ratio), `LimitRange ${range.name} allows limits of at most ${ratio} × the request`);
    if (greatest !== null && value > greatest) adjust(greatest, `maximum of LimitRange ${range.name}`);
  }
  return value;
}
