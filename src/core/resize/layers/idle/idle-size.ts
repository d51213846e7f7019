// Requests of an idled workload. Memory stays above the present working set, and CPU is large enough that load is visible on a full node.

import type { LimitRangeRecord } from '../../../model/cluster-records.ts';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';
import { MiB, type Bytes } from '#kube/units';
import type { ContainerAdvice } from '../../../recommender/advice.ts';
import { requestsOnly, type Sizes } from '../../model/evidence/idle-memory.ts';
import { wakeThreshold, type IdleRules } from '../../policy/idle-rules.ts';

/** Ratio of the idle memory request to the working set. */
const MEMORY_HEADROOM = 1.25;

export interface IdleSizeInputs {
  readonly rules: IdleRules;
  readonly natural: Sizes;
  /** Number of pods, over which CPU usage is distributed. */
  readonly pods: number;
  readonly advice: readonly ContainerAdvice[];
  /** Floor of a container by the workload's annotation. */
  readonly floorOf: (container: string) => OptionalResources;
  readonly limitRanges: readonly LimitRangeRecord[];
}

/** Requests of each container while the workload is idle, never above its natural ones. */
export function idleSizes(inputs: IdleSizeInputs): Sizes {
  return new Map([...inputs.natural].map(([name, natural]) => [name, requestsOnly(idleRequests(inputs, name, natural))]));
}

function idleRequests(inputs: IdleSizeInputs, container: string, natural: RequestsAndLimits): OptionalResources {
  const { rules, advice } = inputs;
  // On a full node a container gets only its request: with less, its usage could not reach the wake threshold.
  const visible = Math.ceil(wakeThreshold(rules) / Math.max(1, inputs.pods * inputs.natural.size));
  const known = advice.find((each) => each.container === container) ?? null;
  return {
    cpuMillicores: bounded(inputs, container, natural, 'cpu', Math.max(rules.cpu, visible)),
    memoryBytes: bounded(inputs, container, natural, 'memory', idleMemory(rules, known)),
  };
}

/** Idle memory request; null: unchanged, because the policy sets none or present usage is unknown. */
function idleMemory({ memory }: IdleRules, advice: ContainerAdvice | null): Bytes | null {
  const { latest = 0, peakHour = null } = advice?.memoryEvidence ?? {};
  if (memory === null || peakHour === null) return null;
  const inUse = Math.max(latest, peakHour) * MEMORY_HEADROOM;
  return Math.max(memory, Math.ceil(inUse / MiB) * MiB);
}

function bounded(
  { floorOf, limitRanges }: IdleSizeInputs,
  container: string,
  natural: RequestsAndLimits,
  resource: 'cpu' | 'memory',
  wanted: number | null,
): number | null {
  const field = resource === 'cpu' ? 'cpuMillicores' : 'memoryBytes';
  const request = natural.requests[field];
  if (request === null || wanted === null) return request;
  const limit = natural.limits[field];
  const least = limitRanges.map((range) => {
    const ratio = range.maxLimitRequestRatio[resource];
    return Math.max(range.min[field] ?? 0, ratio === null || limit === null ? 0 : Math.ceil(limit / ratio));
  });
  return Math.min(request, Math.max(wanted, floorOf(container)[field] ?? 0, ...least));
}

/** Whether any request is lower than the natural one. */
export function isSmaller(sizes: Sizes, natural: Sizes): boolean {
  return [...sizes].some(([name, { requests }]) => {
    const before = natural.get(name)?.requests;
    return (requests.cpuMillicores ?? 0) < (before?.cpuMillicores ?? 0) || (requests.memoryBytes ?? 0) < (before?.memoryBytes ?? 0);
  });
}
