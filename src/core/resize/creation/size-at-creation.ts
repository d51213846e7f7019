// The size with which a pod is created: the values in force for its workload, for the requests and limits that its template sets, and a
// start-up boost where the policy has one. The template's values are kept where the size would change the QoS class, or where a LimitRange
// or ResourceQuota would reject it: a pod that is not created is worse than one with the wrong size.

import { RESIZE_MODES, type ResizeMode } from '../../../apis/conditions.ts';
import type { LimitRangeRecord, ResourceQuotaRecord } from '../../model/cluster-records.ts';
import { isWithinBounds } from '../../model/limit-range.ts';
import type { QosClass } from '#kube/records/pod';
import type { OptionalResources, RequestsAndLimits, ResourceName } from '#kube/records/resources';
import type { Millicores } from '#kube/units';
import { FIELD, limitBelowRequest, qosOf, RESOURCES, hasSameValues, withAmount, type Values } from '../model/container-values.ts';
import { boostedCpu, cpuLeftByQuotas } from '../layers/start-up/boosted-cpu.ts';
import { containerMode, containerPolicyOf, type ContainerPolicy, type PolicyRules } from '../policy/policy-rules.ts';
import { requestBounds } from '../policy/container-rules.ts';
import type { WorkloadOverrides } from '../policy/workload-overrides.ts';
import type { NewContainer, NewPod } from './new-pod.ts';
import { isAdmittedAsWhole } from './whole-pod.ts';

/** Policy and bounds of a pod that is created. */
export interface CreationInputs {
  readonly mode: ResizeMode;
  readonly policy: PolicyRules;
  readonly overrides: WorkloadOverrides;
  /** Values in force for the workload; empty: none yet. */
  readonly inForce: Values;
  readonly limitRanges: readonly LimitRangeRecord[];
  /** ResourceQuotas that count this pod, including usage by pods that were admitted just before it. */
  readonly quotas: readonly ResourceQuotaRecord[];
  /** Largest free CPU of any node; null: unknown, so that no pod is boosted. */
  readonly freeOnAnyNode: Millicores | null;
}

/** Size of a pod at creation. */
export interface SizeAtCreation {
  /** Values of the containers that are changed. */
  readonly values: Values;
  /** Values of the boosted containers without the boost. */
  readonly usual: Values;
}

const NO_VALUES: Values = new Map();
const UNCHANGED: SizeAtCreation = { values: NO_VALUES, usual: NO_VALUES };

/** The size of a new pod; empty where it is created as requested. */
export function sizeAtCreation(pod: NewPod, inputs: CreationInputs): SizeAtCreation {
  const qosClass = qosOf(pod.containers);
  // Added requests would change the QoS class.
  if (qosClass === 'BestEffort') return UNCHANGED;
  // The API server rejects such a pod with an explanation, which a webhook must not hide.
  if (pod.containers.some((container) => limitBelowRequest(container) !== null)) return UNCHANGED;
  const sizes = usualSizes(pod, inputs, qosClass);
  for (const boosted of [boostedSizes(pod, inputs, qosClass, sizes), NO_VALUES]) {
    const size = sizeWith(pod, sizes, boosted);
    if (isAdmittedAsWhole(pod, size.values, inputs)) return size;
  }
  return UNCHANGED;
}

function sizeWith(pod: NewPod, sizes: Values, boosted: Values): SizeAtCreation {
  const usual = new Map<string, RequestsAndLimits>();
  const values = new Map<string, RequestsAndLimits>();
  for (const container of pod.containers) {
    const base = sizes.get(container.name) ?? container;
    const created = boosted.get(container.name) ?? base;
    if (!hasSameValues(created, container)) values.set(container.name, created);
    if (boosted.has(container.name)) usual.set(container.name, base);
  }
  return { values, usual };
}

function usualSizes(pod: NewPod, inputs: CreationInputs, qosClass: QosClass): Values {
  const sizes = new Map<string, RequestsAndLimits>();
  for (const container of pod.containers) {
    const policy = containerPolicyOf(inputs.policy, container.name);
    const isSized = isSizedInMode(containerMode(policy, inputs.mode));
    sizes.set(container.name, isSized ? sizeOf(container, inputs, policy, qosClass) : plain(container));
  }
  const after = pod.containers.map((container) => sizes.get(container.name) ?? container);
  return qosOf(after) === qosClass ? sizes : new Map(pod.containers.map((container) => [container.name, plain(container)]));
}

/** Values of one container: those in force, for the amounts that its template sets. A missing limit is not added. */
function sizeOf(
  container: NewContainer,
  { inForce, limitRanges }: CreationInputs,
  policy: ContainerPolicy,
  qosClass: QosClass,
): RequestsAndLimits {
  const settled = inForce.get(container.name);
  let sized: RequestsAndLimits = plain(container);
  for (const resource of RESOURCES) {
    const { request, limit } = amountsOf(container, settled, resource, policy, qosClass);
    sized = { requests: withAmount(sized.requests, resource, request), limits: withAmount(sized.limits, resource, limit) };
  }
  return isAdmitted(sized, limitRanges) ? sized : plain(container);
}

function amountsOf(
  container: NewContainer,
  settled: RequestsAndLimits | undefined,
  resource: ResourceName,
  policy: ContainerPolicy,
  qosClass: QosClass,
): { readonly request: number | null; readonly limit: number | null } {
  const field = FIELD[resource];
  const [asks, has] = [container.requests[field], container.limits[field]];
  if (asks === null) return { request: asks, limit: has };
  const request = settled?.requests[field] ?? asks;
  if (policy.controlled === 'requests') return { request: has === null ? request : Math.min(request, has), limit: has };
  // A limit can be removed only at creation: an in-place resize cannot remove it.
  if (has === null || (policy[resource].limit.rule === 'None' && qosClass !== 'Guaranteed')) return { request, limit: null };
  const limit = Math.max(request, settled?.limits[field] ?? has);
  return { request: qosClass === 'Guaranteed' ? limit : request, limit };
}

function boostedSizes(pod: NewPod, inputs: CreationInputs, qosClass: QosClass, usual: Values): Values {
  const { policy, overrides, limitRanges, quotas, mode } = inputs;
  const { startup } = policy;
  const boosted = new Map<string, RequestsAndLimits>();
  const free = inputs.freeOnAnyNode;
  if (startup === null || free === null || pod.restartPolicy !== 'Always') return boosted;
  const totalCpu = [...usual.values()].reduce((sum, { requests }) => sum + (requests.cpuMillicores ?? 0), 0);
  const left = cpuLeftByQuotas(quotas);
  let spare = Math.max(0, Math.min(free, left.request) - totalCpu);
  for (const container of pod.containers) {
    const base = usual.get(container.name);
    const rules = containerPolicyOf(policy, container.name);
    if (container.sidecar || base === undefined || !isSizedInMode(containerMode(rules, mode))) continue;
    const more = boostedCpu(qosClass, base, {
      ratio: startup.boostRatio,
      max: requestBounds('cpu', policy, overrides, container.name, null).max?.value ?? null,
      movesLimits: rules.controlled === 'requestsAndLimits',
      limitRanges,
      room: { request: spare, limit: Math.max(0, left.limit - (base.limits.cpuMillicores ?? 0)) },
    });
    if (more === null) continue;
    spare -= (more.requests.cpuMillicores ?? 0) - (base.requests.cpuMillicores ?? 0);
    boosted.set(container.name, more);
  }
  const after = pod.containers.map((container) => boosted.get(container.name) ?? usual.get(container.name) ?? container);
  return qosOf(after) === qosClass ? boosted : new Map();
}

/** Whether containers are sized in a mode. In mode Approve the values in force were approved. */
function isSizedInMode(mode: ResizeMode): boolean {
  return RESIZE_MODES.indexOf(mode) >= RESIZE_MODES.indexOf('Approve');
}

function isAdmitted({ requests, limits }: RequestsAndLimits, ranges: readonly LimitRangeRecord[]): boolean {
  return ranges.every((range) =>
    RESOURCES.every((resource) => {
      const field = FIELD[resource];
      const bounds = { min: range.min[field], max: range.max[field], ratio: range.maxLimitRequestRatio[resource] };
      return isWithinBounds(requests[field], limits[field], bounds);
    }),
  );
}

function plain({ requests, limits }: RequestsAndLimits): { readonly requests: OptionalResources; readonly limits: OptionalResources } {
  return { requests, limits };
}
