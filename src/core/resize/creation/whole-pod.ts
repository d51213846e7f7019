// A pod as a whole, as the API server admits it: LimitRanges of type Pod, and what ResourceQuotas leave.
// https://kubernetes.io/docs/concepts/policy/limit-range/ https://kubernetes.io/docs/concepts/policy/resource-quotas/

import type { LimitRangeRecord, ResourceQuotaRecord } from '../../model/cluster-records.ts';
import { isWithinBounds } from '../../model/limit-range.ts';
import { leftByQuota } from '../../model/remaining-quota.ts';
import { podRequests } from '#kube/records/pod-requests';
import type { Resources } from '#kube/records/resources';
import { FIELD, RESOURCES, type Values } from '../model/container-values.ts';
import type { NewPod } from './new-pod.ts';

/** What a pod counts with in a ResourceQuota. */
export interface PodAmounts {
  readonly requests: Resources;
  readonly limits: Resources;
}

/** @param values of containers that are created otherwise than they ask */
export function podAmounts(pod: NewPod, values: Values): PodAmounts {
  const sumOf = (part: 'requests' | 'limits'): Resources =>
    podRequests(
      { ...pod, initContainers: (pod.initContainers ?? []).map((each) => ({ ...each, requests: each[part] })) },
      (container) => (values.get(container.name) ?? container)[part],
    );
  return { requests: sumOf('requests'), limits: sumOf('limits') };
}

/** Whether no LimitRange or quota refuses the pod for what is changed: one that asks for more than it may have is refused either way. */
export function isAdmittedAsWhole(
  pod: NewPod,
  values: Values,
  { limitRanges, quotas }: { readonly limitRanges: readonly LimitRangeRecord[]; readonly quotas: readonly ResourceQuotaRecord[] },
): boolean {
  if (values.size === 0) return true;
  const [created, asked] = [podAmounts(pod, values), podAmounts(pod, new Map())];
  return (
    limitRanges.every((range) => isInPodRange(created, range)) &&
    quotas.every((quota) => isLeftByQuota(created, asked, quota) && hasLimitsForQuota(pod, values, quota))
  );
}

function isInPodRange({ requests, limits }: PodAmounts, { podMin, podMax, podMaxLimitRequestRatio }: LimitRangeRecord): boolean {
  return RESOURCES.every((resource) => {
    const field = FIELD[resource];
    // A pod none of whose containers has a limit has none.
    return isWithinBounds(requests[field], limits[field] === 0 ? null : limits[field], {
      least: podMin?.[field] ?? null,
      greatest: podMax?.[field] ?? null,
      ratio: podMaxLimitRequestRatio?.[resource] ?? null,
    });
  });
}

function isLeftByQuota(created: PodAmounts, asked: PodAmounts, quota: ResourceQuotaRecord): boolean {
  const isLeft = (part: keyof PodAmounts, field: keyof Resources): boolean =>
    created[part][field] <= asked[part][field] || created[part][field] <= leftByQuota(quota, part, field);
  return RESOURCES.every((resource) => isLeft('requests', FIELD[resource]) && isLeft('limits', FIELD[resource]));
}

/** A quota on limits refuses a pod with a container that has none. */
function hasLimitsForQuota({ containers }: NewPod, values: Values, { hardLimits }: ResourceQuotaRecord): boolean {
  return RESOURCES.every(
    (resource) =>
      hardLimits[FIELD[resource]] === null ||
      containers.every((container) => (values.get(container.name) ?? container).limits[FIELD[resource]] !== null),
  );
}
