// Usage that counts against a ResourceQuota. Pure: the objects of the namespace are arguments.
// https://kubernetes.io/docs/concepts/policy/resource-quotas/

import type { Quantity } from '#kube/read-quantity';
import type { KubeObject } from '../api/kube-object.ts';
import { isTerminal } from '../controllers/pods/pod-state.ts';
import type { Pod, ResourceList, WireResources } from '../controllers/wire/pod.ts';
import { addAmounts, amountOf, wholeAmount } from './amounts.ts';
import { podAmount } from './pod/pod-requests.ts';
import { qosClassOf } from './pod/qos-class.ts';

export interface ResourceQuota extends KubeObject {
  /** The schema does not require it. */
  spec?: {
    hard?: ResourceList;
    scopes?: string[];
    scopeSelector?: { matchExpressions?: { scopeName: string; operator: string; values?: string[] }[] };
  };
  status?: { hard?: ResourceList; used?: ResourceList };
}

/** Short quota keys for counted objects. */
const COUNTED: Readonly<Record<string, string>> = {
  pods: 'pods',
  services: 'services',
  configmaps: 'configmaps',
  secrets: 'secrets',
  persistentvolumeclaims: 'persistentvolumeclaims',
  replicationcontrollers: 'replicationcontrollers',
  resourcequotas: 'resourcequotas',
  'services.loadbalancers': 'services',
  'services.nodeports': 'services',
};

/** The resource whose objects one key of `hard` counts: `requests.cpu` → `pods`, `count/jobs.batch` → `jobs.batch`. */
export function countedResource(key: string): string {
  if (key.startsWith('count/')) return key.slice('count/'.length);
  if (key === 'requests.storage' || key.includes('.storageclass.storage.k8s.io/')) return 'persistentvolumeclaims';
  return COUNTED[key] ?? 'pods';
}

/** Usage of one key by one object; undefined when the object does not use or set it. */
export function usageOf(key: string, resource: string, object: KubeObject): Quantity | undefined {
  if (countedResource(key) !== resource) return undefined;
  if (key.startsWith('count/')) return wholeAmount(1);
  switch (resource) {
    case 'pods':
      return podUsage(key, object as Pod);
    case 'persistentvolumeclaims':
      return key === 'persistentvolumeclaims' ? wholeAmount(1) : storageUsage(key, object);
    case 'services':
      return serviceUsage(key, object);
    default:
      return wholeAmount(1);
  }
}

/** Whether a quota's scopes select a pod. Other objects have no scopes. */
export function isInScope(quota: ResourceQuota, resource: string, object: KubeObject): boolean {
  const { scopes = [], scopeSelector } = quota.spec ?? {};
  const expressions = [...scopes.map((scopeName) => ({ scopeName, operator: 'Exists' })), ...(scopeSelector?.matchExpressions ?? [])];
  if (expressions.length === 0) return true;
  return resource === 'pods' && expressions.every((expression) => isInQuotaScope(object as Pod, expression));
}

/** A finished pod counts only as an object. */
function podUsage(key: string, pod: Pod): Quantity | undefined {
  if (isTerminal(pod)) return undefined;
  if (key === 'pods') return wholeAmount(1);
  if (key.startsWith('limits.')) return podAmount(pod, 'limits', key.slice('limits.'.length));
  return podAmount(pod, 'requests', key.replace(/^requests\./, ''));
}

function storageUsage(key: string, claim: KubeObject): Quantity | undefined {
  const { resources, storageClassName = '' } = claim['spec'] as { resources?: WireResources; storageClassName?: string };
  const [className, rest] = key.split('.storageclass.storage.k8s.io/');
  if (rest !== undefined && className !== storageClassName) return undefined;
  return rest === 'persistentvolumeclaims' ? wholeAmount(1) : amountOf(resources?.requests, 'storage');
}

function serviceUsage(key: string, service: KubeObject): Quantity | undefined {
  const { type = 'ClusterIP', ports = [] } = service['spec'] as { type?: string; ports?: unknown[] };
  if (key === 'services.loadbalancers') return type === 'LoadBalancer' ? wholeAmount(1) : undefined;
  if (key === 'services.nodeports') return type === 'ClusterIP' ? undefined : wholeAmount(ports.length);
  return wholeAmount(1);
}

function isInQuotaScope(pod: Pod, { scopeName, operator, values }: { scopeName: string; operator: string; values?: string[] }): boolean {
  switch (scopeName) {
    case 'BestEffort':
      return qosClassOf(pod.spec) === 'BestEffort';
    case 'NotBestEffort':
      return qosClassOf(pod.spec) !== 'BestEffort';
    case 'Terminating':
      return pod.spec.activeDeadlineSeconds !== undefined;
    case 'NotTerminating':
      return pod.spec.activeDeadlineSeconds === undefined;
    case 'PriorityClass':
      return isInPriorityScope(pod.spec.priorityClassName ?? '', operator, values ?? []);
    default:
      return false;
  }
}

function isInPriorityScope(name: string, operator: string, values: readonly string[]): boolean {
  switch (operator) {
    case 'In':
      return values.includes(name);
    case 'NotIn':
      return !values.includes(name);
    case 'DoesNotExist':
      return name === '';
    default:
      return name !== '';
  }
}

/** Usage of the namespace, by key of `hard`. */
export function quotaUsage(quota: ResourceQuota, objectsOf: (resource: string) => readonly KubeObject[]): Map<string, Quantity> {
  const used = new Map<string, Quantity>();
  for (const key of Object.keys(quota.spec?.hard ?? {})) {
    const resource = countedResource(key);
    let sum: Quantity | undefined;
    for (const object of objectsOf(resource)) if (isInScope(quota, resource, object)) sum = addAmounts(sum, usageOf(key, resource, object));
    used.set(key, sum ?? { nano: 0n, format: amountOf(quota.spec?.hard, key)?.format ?? 'decimal' });
  }
  return used;
}
