// Which ResourceQuotas count a new pod, and what is left of them.

import type { QuotaScope, ResourceQuotaRecord } from '../../core/model/cluster-records.ts';
import { leftByQuota } from '../../core/model/remaining-quota.ts';
import type { OptionalResources } from '#kube/records/resources';
import { SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { PodAmounts } from '../../core/resize/creation/whole-pod.ts';
import type { CreationRequest } from '../../ports/sizes-at-creation.ts';

/** The API server counts a pod before it stores it, and the informer tells of it soon after. */
const COUNTED_WITHIN_MS: DurationMs = 10 * SECOND_MS;
/** Pods admitted lately that are remembered for a quota. */
const MAX_PODS = 1_000;
const MAX_QUOTAS = 1_000;

export function countsPod({ scopes = [] }: ResourceQuotaRecord, pod: CreationRequest): boolean {
  return scopes.every((scope) => isInScope(scope, pod));
}

/** Only pods with requests are sized. Of a scope that is not known here, any pod may be. */
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

interface Count {
  seen: ResourceQuotaRecord;
  pods: { readonly at: Instant; readonly amounts: Amounts }[];
}

/** A running count of pods that a quota's status does not tell of yet: several are created before it does. */
export class QuotaCount {
  readonly #byQuota = new Map<string, Count>();

  /** The quota with what was admitted since. @param quota as the informer has it */
  withAdmitted(quota: ResourceQuotaRecord, now: Instant): ResourceQuotaRecord {
    const pods = this.#upToDate(quota, now)?.pods ?? [];
    if (pods.length === 0) return quota;
    const sum = (at: number): number => pods.reduce((total, { amounts }) => total + (amounts[at] ?? 0), 0);
    const { usedRequests, usedLimits } = quota;
    return {
      ...quota,
      usedRequests: { cpuMillicores: (usedRequests.cpuMillicores ?? 0) + sum(0), memoryBytes: (usedRequests.memoryBytes ?? 0) + sum(1) },
      usedLimits: { cpuMillicores: (usedLimits.cpuMillicores ?? 0) + sum(2), memoryBytes: (usedLimits.memoryBytes ?? 0) + sum(3) },
    };
  }

  /** Counts a pod that is about to be created; one that the quota will refuse counts for nothing. */
  admit(quota: ResourceQuotaRecord, amounts: PodAmounts, now: Instant): void {
    if (!isLeft(this.withAdmitted(quota, now), amounts)) return;
    const { requests, limits } = amounts;
    const count = this.#upToDate(quota, now) ?? { seen: quota, pods: [] };
    this.#byQuota.set(keyOf(quota), count);
    count.pods.push({ at: now, amounts: [requests.cpuMillicores, requests.memoryBytes, limits.cpuMillicores, limits.memoryBytes] });
    if (count.pods.length > MAX_PODS) count.pods.shift();
    if (this.#byQuota.size > MAX_QUOTAS) for (const { seen } of [...this.#byQuota.values()]) this.#upToDate(seen, now);
  }

  #upToDate(quota: ResourceQuotaRecord, now: Instant): Count | undefined {
    const count = this.#byQuota.get(keyOf(quota));
    if (count === undefined) return undefined;
    const risen = rise(count.seen, quota);
    count.seen = quota;
    for (const { amounts } of count.pods) {
      for (const [index, amount] of amounts.entries()) {
        const counted = Math.min(amount, risen[index] ?? 0);
        amounts[index] = amount - counted;
        risen[index] = (risen[index] ?? 0) - counted;
      }
    }
    count.pods = count.pods.filter(({ at, amounts }) => Math.abs(now - at) < COUNTED_WITHIN_MS && amounts.some((amount) => amount > 0));
    if (count.pods.length === 0) this.#byQuota.delete(keyOf(quota));
    return count;
  }
}

function isLeft(quota: ResourceQuotaRecord, { requests, limits }: PodAmounts): boolean {
  return (['cpuMillicores', 'memoryBytes'] as const).every(
    (field) => requests[field] <= leftByQuota(quota, 'requests', field) && limits[field] <= leftByQuota(quota, 'limits', field),
  );
}

/** What its status counts more than before: pods that were admitted since. */
function rise(before: ResourceQuotaRecord, after: ResourceQuotaRecord): Amounts {
  const more = (from: OptionalResources, to: OptionalResources, field: keyof OptionalResources): number =>
    Math.max(0, (to[field] ?? 0) - (from[field] ?? 0));
  const [requests, limits] = [
    [before.usedRequests, after.usedRequests],
    [before.usedLimits, after.usedLimits],
  ] as const;
  return [
    more(...requests, 'cpuMillicores'),
    more(...requests, 'memoryBytes'),
    more(...limits, 'cpuMillicores'),
    more(...limits, 'memoryBytes'),
  ];
}

function keyOf({ namespace, name }: ResourceQuotaRecord): string {
  return `${namespace}/${name}`;
}
