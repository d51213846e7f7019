// Classifies refused resizes by the messages of the kubelet and the API server, which have no code for it.

import type { Refusal, RefusalCode } from '#kube/records/refusal-code';

/** Messages of the kubelet's podResizesAdmitHandler; the first match applies. */
const INFEASIBLE: readonly (readonly [RegExp, RefusalCode])[] = [
  [/memory manager policy/i, 'memory-manager'],
  [/cpu manager|exclusive cpu|static/i, 'cpu-manager'],
  [/containers with swap/i, 'swap'],
  [/not supported on|VerticalScaling is disabled/i, 'no-resize'],
];
const CAPACITY_RESOURCE = /enough (?:capacity|resource): (cpu|memory)\b/;
/** Message of the API server for nodes without resize support. */
const NO_SUPPORT = /running on node without support for resize|windows pods cannot be resized/i;
/** Message of the authorizer; those of quotas and webhooks differ. */
const PERMISSION = /cannot (\w+) resource "/;
/** Messages of the admission plugins ResourceQuota and LimitRanger. */
const QUOTA = /quota|\b(minimum|maximum) \w+ usage per (Container|Pod)\b|limit to request ratio/i;

/** Classifies a refusal by the kubelet. @param message of the condition PodResizePending */
export function refusalByKubelet(state: 'deferred' | 'infeasible', message: string): Refusal {
  const code = state === 'deferred' ? 'node-capacity' : (INFEASIBLE.find(([pattern]) => pattern.test(message))?.[1] ?? 'node-capacity');
  if (code === 'cpu-manager') return { code, resource: 'cpu' };
  if (code === 'memory-manager' || code === 'swap') return { code, resource: 'memory' };
  const named = CAPACITY_RESOURCE.exec(message)?.[1];
  return { code, resource: named === 'cpu' || named === 'memory' ? named : null };
}

/**
 * The verb that the authorizer refused; undefined where something else refused, such as admission or a quota. It may differ from the
 * request's: an apply that would create the object is refused for want of `create`.
 * @param message of a 403
 */
export function refusedVerb(message: string): string | undefined {
  return PERMISSION.exec(message)?.[1];
}

/** Classifies a refusal by the API server. @param message of admission, the authorizer or validation */
export function refusalByServer(message: string): RefusalCode {
  if (NO_SUPPORT.test(message)) return 'no-resize';
  if (refusedVerb(message) !== undefined) return 'permission';
  return QUOTA.test(message) ? 'quota' : 'other';
}
