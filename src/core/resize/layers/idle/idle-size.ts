// The size of an idled workload: requests alone, never below what it holds in memory now, never so
// small that its waking could not be seen.

import type { LimitRangeRecord } from '../../../model/cluster-records.ts';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';
import { MiB, type Bytes } from '#kube/units';
import type { ContainerAdvice } from '../../../recommender/advice.ts';
import { requestsOnly, type Sizes } from '../../model/idle-memory.ts';
import { wakeThreshold, type IdleRules } from '../../policy/idle-rules.ts';

/** A container keeps at least this share of spare room over its working set. */
const MEMORY_HEADROOM = 1.25;

export interface IdleSizeInputs {
  readonly rules: IdleRules;
  readonly natural: Sizes;
  /** Pods that share the CPU in use. */
  readonly pods: number;
  readonly advice: readonly ContainerAdvice[];
  /** Least requests by a person's word. */
  readonly floorOf: (container: string) => OptionalResources;
  readonly limitRanges: readonly LimitRangeRecord[];
}

/** Requests of each container while idle, never above its natural ones. */
export function idleSizes(inputs: IdleSizeInputs): Sizes {
  return new Map([...inputs.natural].map(([name, natural]) => [name, requestsOnly(idleRequests(inputs, name, natural))]));
}

function idleRequests(inputs: IdleSizeInputs, container: string, natural: RequestsAndLimits): OptionalResources {
  const { rules, advice } = inputs;
  // On a full node a container is sure of its request alone: less than this, and waking would show nowhere.
  const visible = Math.ceil(wakeThreshold(rules) / Math.max(1, inputs.pods * inputs.natural.size));
  const known = advice.find((each) => each.container === container) ?? null;
  return {
    cpuMillicores: bounded(inputs, container, natural, 'cpu', Math.max(rules.cpu, visible)),
    memoryBytes: bounded(inputs, container, natural, 'memory', idleMemory(rules, known)),
  };
}

/** null: it stays as it is, because the policy sets no idle memory or because what it holds is unknown. */
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

/** Whether anything is saved by it. */
export function isSmaller(sizes: Sizes, natural: Sizes): boolean {
  return [...sizes].some(([name, { requests }]) => {
    const before = natural.get(name)?.requests;
    return (requests.cpuMillicores ?? 0) < (before?.cpuMillicores ?? 0) || (requests.memoryBytes ?? 0) < (before?.memoryBytes ?? 0);
  });
}
