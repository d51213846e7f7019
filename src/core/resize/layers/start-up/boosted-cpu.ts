// How much CPU a container gets while it starts: what it has otherwise, times the policy's ratio, as far as ceiling,
// LimitRange, quota and node let it. Memory stays.

import type { LimitRangeRecord, ResourceQuotaRecord } from '../../../model/cluster-records.ts';
import { maxOfContainer } from '../../../model/limit-range.ts';
import { leftByQuota } from '../../../model/remaining-quota.ts';
import type { PodRecord } from '#kube/records/pod';
import type { RequestsAndLimits } from '#kube/records/resources';
import type { Millicores } from '#kube/units';

/** Less is not worth two resizes. */
const MIN_BOOST_MILLICORES: Millicores = 10;
const MIN_BOOST_RATIO = 1.05;

export interface BoostBounds {
  readonly ratio: number;
  /** The policy's max or the workload's ceiling; null: none. */
  readonly most: Millicores | null;
  /** Limits may be moved, too. */
  readonly movesLimits: boolean;
  readonly limitRanges: readonly LimitRangeRecord[];
  /** What request and limit may grow by on this node and in this namespace. */
  readonly room: { readonly request: Millicores; readonly limit: Millicores };
}

/** @returns null where no more can be given, or too little more to be worth it */
export function boostedCpu(
  qosClass: PodRecord['qosClass'],
  base: RequestsAndLimits,
  { ratio, most, movesLimits, limitRanges, room }: BoostBounds,
): RequestsAndLimits | null {
  const { cpuMillicores: request } = base.requests;
  const { cpuMillicores: limit } = base.limits;
  if (request === null || request === 0 || qosClass === 'BestEffort') return null;
  const greatest = maxOfContainer(limitRanges, 'cpuMillicores');
  let boosted = Math.min(Math.floor(request * ratio), most ?? Infinity, greatest, request + Math.max(0, room.request));
  // Without a higher limit a higher request gives no more CPU than the limit lets through.
  const highestLimit = limit === null ? Infinity : movesLimits ? Math.min(greatest, limit + Math.max(0, room.limit)) : limit;
  boosted = Math.min(boosted, highestLimit);
  if (boosted - request < MIN_BOOST_MILLICORES || boosted < request * MIN_BOOST_RATIO) return null;
  const withRequest = { ...base, requests: { ...base.requests, cpuMillicores: boosted } };
  if (limit === null || !movesLimits) return withRequest;
  const scaled = qosClass === 'Guaranteed' ? boosted : Math.min(highestLimit, Math.max(limit, Math.floor((limit * boosted) / request)));
  return { ...withRequest, limits: { ...base.limits, cpuMillicores: scaled } };
}

/** CPU that quotas of the namespace leave; Infinity where none bounds it. */
export function cpuLeftByQuotas(quotas: readonly ResourceQuotaRecord[]): { readonly request: Millicores; readonly limit: Millicores } {
  const left = (part: 'requests' | 'limits'): Millicores =>
    Math.min(Infinity, ...quotas.map((quota) => leftByQuota(quota, part, 'cpuMillicores')));
  return { request: left('requests'), limit: left('limits') };
}
