// CPU of a container while it starts: its usual CPU × the policy's ratio, bounded by ceiling, LimitRange, ResourceQuota and node. Memory
// is not changed.

import type { LimitRangeRecord, ResourceQuotaRecord } from '../../../model/cluster-records.ts';
import { maxOfContainer } from '../../../model/limit-range.ts';
import { getRemainingQuota } from '../../../model/remaining-quota.ts';
import type { PodRecord } from '#kube/records/pod';
import type { RequestsAndLimits } from '#kube/records/resources';
import type { Millicores } from '#kube/units';

/** A smaller boost is not worth two resizes. */
const MIN_BOOST_MILLICORES: Millicores = 10;
const MIN_BOOST_RATIO = 1.05;

export interface BoostBounds {
  readonly ratio: number;
  /** The policy's max or the workload's ceiling; null: none. */
  readonly max: Millicores | null;
  /** Whether limits may be raised, too. */
  readonly movesLimits: boolean;
  readonly limitRanges: readonly LimitRangeRecord[];
  /** Free capacity for request and limit on the node and in the namespace's quotas. */
  readonly room: { readonly request: Millicores; readonly limit: Millicores };
}

/** Values with the boost; null where no boost is possible, or it is too small to be worth it. */
export function boostedCpu(
  qosClass: PodRecord['qosClass'],
  base: RequestsAndLimits,
  { ratio, max, movesLimits, limitRanges, room }: BoostBounds,
): RequestsAndLimits | null {
  const { cpuMillicores: request } = base.requests;
  const { cpuMillicores: limit } = base.limits;
  if (request === null || request === 0 || qosClass === 'BestEffort') return null;
  const greatest = maxOfContainer(limitRanges, 'cpuMillicores');
  let boosted = Math.min(Math.floor(request * ratio), max ?? Infinity, greatest, request + Math.max(0, room.request));
  // A request above the limit would be invalid, and the limit bounds usage.
  const highestLimit = limit === null ? Infinity : movesLimits ? Math.min(greatest, limit + Math.max(0, room.limit)) : limit;
  boosted = Math.min(boosted, highestLimit);
  if (boosted - request < MIN_BOOST_MILLICORES || boosted < request * MIN_BOOST_RATIO) return null;
  const withRequest = { ...base, requests: { ...base.requests, cpuMillicores: boosted } };
  if (limit === null || !movesLimits) return withRequest;
  const scaled = qosClass === 'Guaranteed' ? boosted : Math.min(highestLimit, Math.max(limit, Math.floor((limit * boosted) / request)));
  return { ...withRequest, limits: { ...base.limits, cpuMillicores: scaled } };
}

/** CPU that the namespace's ResourceQuotas leave; Infinity without a bound. */
export function cpuLeftByQuotas(quotas: readonly ResourceQuotaRecord[]): { readonly request: Millicores; readonly limit: Millicores } {
  const left = (part: 'requests' | 'limits'): Millicores =>
    Math.min(Infinity, ...quotas.map((quota) => getRemainingQuota(quota, part, 'cpuMillicores')));
  return { request: left('requests'), limit: left('limits') };
}
