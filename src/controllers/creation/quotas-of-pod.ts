// The ResourceQuotas that count a new pod, with the pods that were admitted since their status was written.

import type { QuotaScope, ResourceQuotaRecord } from '../../core/model/cluster-records.ts';
import { getRemainingQuota } from '../../core/model/remaining-quota.ts';
import type { OptionalResources } from '#kube/records/resources';
import { SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { PodAmounts } from '../../core/resize/creation/whole-pod.ts';
import type { CreationRequest } from '../../ports/cluster/sizes-at-creation.ts';

/** The API server counts a pod before it stores it; the informer shows the new status within this time. */
const COUNTED_WITHIN_MS: DurationMs = 10 * SECOND_MS;
/** Recently admitted pods that are counted per quota. */
const MAX_PODS = 1_000;
const MAX_QUOTAS = 1_000;

/** Whether the scopes of a quota include a pod. */
export function isInQuotaScope({ scopes = [] }: ResourceQuotaRecord, pod: CreationRequest): boolean {
  return scopes.every((scope) => isInScope(scope, pod));
}

/** BestEffort never matches, because only pods with requests are sized. An unknown scope matches every pod. */
function isInScope({ name, operator, values }: QuotaScope, { terminating, priorityClass }: CreationRequest): boolean {
  switch (name) {
    case 'Terminating':
      return terminating;
    case 'NotTerminating':
      return !terminating;
    case 'BestEffort':
      return false;
    case 'PriorityClass':
      if (operator === 'In') return values.includes(priorityClass);
      if (operator === 'NotIn') return !values.includes(priorityClass);
      return (operator === 'DoesNotExist') === (priorityClass === '');
    default:
      return true;
  }
}

/** Requests of CPU and memory, limits of CPU and memory. */
type Amounts = [number, number, number, number];

interface AdmittedPods {
  /** The quota at the previous call. */
  previous: ResourceQuotaRecord;
  pods: { readonly at: Instant; readonly amounts: Amounts }[];
}

/** Counts pods that a quota's status does not include yet: several may be created before the status is updated. */
export class QuotaCount {
  readonly #byQuota = new Map<string, AdmittedPods>();

  /**
   * The quota with the pods admitted since its status was written added to its usage.
   * @param quota as the informer shows it
   */
  withAdmitted(quota: ResourceQuotaRecord, now: Instant): ResourceQuotaRecord {
    const pods = this.#update(quota, now)?.pods ?? [];
    if (pods.length === 0) return quota;
    const sum = (index: number): number => pods.reduce((total, { amounts }) => total + (amounts[index] ?? 0), 0);
    const { usedRequests, usedLimits } = quota;
    return {
      ...quota,
      usedRequests: { cpuMillicores: (usedRequests.cpuMillicores ?? 0) + sum(0), memoryBytes: (usedRequests.memoryBytes ?? 0) + sum(1) },
      usedLimits: { cpuMillicores: (usedLimits.cpuMillicores ?? 0) + sum(2), memoryBytes: (usedLimits.memoryBytes ?? 0) + sum(3) },
    };
  }

  /** Counts a pod that is about to be created, unless the quota will refuse it. */
  admit(quota: ResourceQuotaRecord, amounts: PodAmounts, now: Instant): void {
    if (!isWithinQuota(this.withAdmitted(quota, now), amounts)) return;
    const { requests, limits } = amounts;
    const count = this.#update(quota, now) ?? { previous: quota, pods: [] };
    this.#byQuota.set(keyOf(quota), count);
    count.pods.push({ at: now, amounts: [requests.cpuMillicores, requests.memoryBytes, limits.cpuMillicores, limits.memoryBytes] });
    if (count.pods.length > MAX_PODS) count.pods.shift();
    if (this.#byQuota.size > MAX_QUOTAS) for (const { previous } of [...this.#byQuota.values()]) this.#update(previous, now);
  }

  /** Removes pods that the quota's status includes by now, or that were not created in time. */
  #update(quota: ResourceQuotaRecord, now: Instant): AdmittedPods | undefined {
    const count = this.#byQuota.get(keyOf(quota));
    if (count === undefined) return undefined;
    const increase = usageIncrease(count.previous, quota);
    count.previous = quota;
    for (const { amounts } of count.pods) {
      for (const [index, amount] of amounts.entries()) {
        const counted = Math.min(amount, increase[index] ?? 0);
        amounts[index] = amount - counted;
        increase[index] = (increase[index] ?? 0) - counted;
      }
    }
    count.pods = count.pods.filter(({ at, amounts }) => Math.abs(now - at) < COUNTED_WITHIN_MS && amounts.some((amount) => amount > 0));
    if (count.pods.length === 0) this.#byQuota.delete(keyOf(quota));
    return count;
  }
}

function isWithinQuota(quota: ResourceQuotaRecord, { requests, limits }: PodAmounts): boolean {
  return (['cpuMillicores', 'memoryBytes'] as const).every(
    (field) => requests[field] <= getRemainingQuota(quota, 'requests', field) && limits[field] <= getRemainingQuota(quota, 'limits', field),
  );
}

/** By how much the usage in the status has grown, which is the usage of pods admitted in between. */
function usageIncrease(before: ResourceQuotaRecord, after: ResourceQuotaRecord): Amounts {
  const difference = (from: OptionalResources, to: OptionalResources, field: keyof OptionalResources): number =>
    Math.max(0, (to[field] ?? 0) - (from[field] ?? 0));
  const [requests, limits] = [
    [before.usedRequests, after.usedRequests],
    [before.usedLimits, after.usedLimits],
  ] as const;
  return [
    difference(...requests, 'cpuMillicores'),
    difference(...requests, 'memoryBytes'),
    difference(...limits, 'cpuMillicores'),
    difference(...limits, 'memoryBytes'),
  ];
}

function keyOf({ namespace, name }: ResourceQuotaRecord): string {
  return `${namespace}/${name}`;
}
