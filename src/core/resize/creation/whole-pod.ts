// Checks a pod against LimitRanges of type Pod and ResourceQuotas, as the API server does at admission.
// https://kubernetes.io/docs/concepts/policy/limit-range/ https://kubernetes.io/docs/concepts/policy/resource-quotas/

import type { LimitRangeRecord, ResourceQuotaRecord } from '../../model/cluster-records.ts';
import { isWithinBounds } from '../../model/limit-range.ts';
import { getRemainingQuota } from '../../model/remaining-quota.ts';
import { podRequests } from '#kube/records/pod-requests';
import type { Resources } from '#kube/records/resources';
import { FIELD, RESOURCES, type Values } from '../model/container-values.ts';
import type { NewPod } from './new-pod.ts';

/** Amounts with which a ResourceQuota counts a pod. */
export interface PodAmounts {
  readonly requests: Resources;
  readonly limits: Resources;
}

/** Amounts of a pod. @param values changed values by container name */
export function podAmounts(pod: NewPod, values: Values): PodAmounts {
  const sumOf = (part: 'requests' | 'limits'): Resources =>
    podRequests(
      { ...pod, initContainers: (pod.initContainers ?? []).map((each) => ({ ...each, requests: each[part] })) },
      (container) => (values.get(container.name) ?? container)[part],
    );
  return { requests: sumOf('requests'), limits: sumOf('limits') };
}

/** Whether no LimitRange or quota rejects the pod because of the changed values. One that is rejected with its own values does not count. */
export function isAdmittedAsWhole(
  pod: NewPod,
  values: Values,
  { limitRanges, quotas }: { readonly limitRanges: readonly LimitRangeRecord[]; readonly quotas: readonly ResourceQuotaRecord[] },
): boolean {
  if (values.size === 0) return true;
  const [created, requested] = [podAmounts(pod, values), podAmounts(pod, new Map())];
  return (
    limitRanges.every((range) => isInPodRange(created, range)) &&
    quotas.every((quota) => isLeftByQuota(created, requested, quota) && hasLimitsForQuota(pod, values, quota))
  );
}

function isInPodRange({ requests, limits }: PodAmounts, { podMin, podMax, podMaxLimitRequestRatio }: LimitRangeRecord): boolean {
  return RESOURCES.every((resource) => {
    const field = FIELD[resource];
    // A sum of 0 means that no container has a limit.
    return isWithinBounds(requests[field], limits[field] === 0 ? null : limits[field], {
      min: podMin?.[field] ?? null,
      max: podMax?.[field] ?? null,
      ratio: podMaxLimitRequestRatio?.[resource] ?? null,
    });
  });
}

function isLeftByQuota(created: PodAmounts, requested: PodAmounts, quota: ResourceQuotaRecord): boolean {
  const isLeft = (part: keyof PodAmounts, field: keyof Resources): boolean =>
    created[part][field] <= requested[part][field] || created[part][field] <= getRemainingQuota(quota, part, field);
  return RESOURCES.every((resource) => isLeft('requests', FIELD[resource]) && isLeft('limits', FIELD[resource]));
}

/** Whether all containers have the limits that a quota on limits requires. */
function hasLimitsForQuota({ containers }: NewPod, values: Values, { hardLimits }: ResourceQuotaRecord): boolean {
  return RESOURCES.every(
    (resource) =>
      hardLimits[FIELD[resource]] === null ||
      containers.every((container) => (values.get(container.name) ?? container).limits[FIELD[resource]] !== null),
  );
}
