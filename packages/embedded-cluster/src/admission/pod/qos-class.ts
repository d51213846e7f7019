import type { QosClass } from '#kube/records/pod';
import type { PodSpec, WireResources } from '../../controllers/wire/pod.ts';
import { amountOf } from '../amounts.ts';
import { placedContainers } from './pod-containers.ts';

const COMPUTE = ['cpu', 'memory'] as const;

/**
 * Guaranteed when every container has limits of CPU and memory that equal its requests; BestEffort when no container has requests or
 * limits; else Burstable. Pod-level resources take precedence. https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
 */
export function qosClassOf(spec: PodSpec): QosClass {
  const stated = spec.resources === undefined ? placedContainers(spec).map(({ container }) => container.resources) : [spec.resources];
  if (!stated.some((resources) => COMPUTE.some((name) => hasAmountOf(resources, name)))) return 'BestEffort';
  const guaranteed = stated.every((resources) => COMPUTE.every((name) => isRequestEqualToLimit(resources, name)));
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

function hasAmountOf(resources: WireResources | undefined, name: string): boolean {
  return [resources?.requests, resources?.limits].some((list) => (amountOf(list, name)?.nano ?? 0n) > 0n);
}

function isRequestEqualToLimit(resources: WireResources | undefined, name: string): boolean {
  const limit = amountOf(resources?.limits, name)?.nano ?? 0n;
  return limit > 0n && (amountOf(resources?.requests, name)?.nano ?? limit) === limit;
}
