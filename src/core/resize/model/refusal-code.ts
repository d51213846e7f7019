// Why a resize was refused, as codes. Neither the kubelet nor the API server gives one beyond Deferred, Infeasible and
// Forbidden, so the rest is read from their messages: here alone, and once, when the refusal is recorded.

import type { ResourceName } from '../../model/resources.ts';

export const REFUSAL_CODES = [
  'node-capacity',
  'cpu-manager',
  'memory-manager',
  'swap',
  'no-resize',
  'quota',
  'permission',
  'start-up-boost',
  'other',
] as const;
/**
 * cpu-manager, memory-manager: of Guaranteed pods, where the policy of the manager is static. swap: the memory request of a
 * container that may swap. no-resize: the kubelet resizes nothing in place. quota: of a ResourceQuota or LimitRange.
 * start-up-boost: more CPU to start, whatever the reason.
 */
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** What the kubelet of a node is configured to, or cannot do: no other size changes it. */
export const NODE_PROPERTY_CODES: readonly RefusalCode[] = ['cpu-manager', 'memory-manager', 'swap', 'no-resize'];

/** Messages of the kubelet's podResizesAdmitHandler; the first that matches. */
const INFEASIBLE: readonly (readonly [RegExp, RefusalCode])[] = [
  [/memory manager policy/i, 'memory-manager'],
  [/cpu manager|exclusive cpu|static/i, 'cpu-manager'],
  [/containers with swap/i, 'swap'],
  [/not supported on|VerticalScaling is disabled/i, 'no-resize'],
];
const CAPACITY_RESOURCE = /enough (?:capacity|resource): (cpu|memory)\b/;
/** Of the API server, where no container status has resources. */
const NO_SUPPORT = /running on node without support for resize|windows pods cannot be resized/i;
/** The authorizer's message; quotas and webhooks refuse in others. */
const PERMISSION = /cannot \w+ resource "/;
/** The messages of the admission plug-ins ResourceQuota and LimitRanger. */
const QUOTA = /quota|\b(minimum|maximum) \w+ usage per (Container|Pod)\b|limit to request ratio/i;

/** @param message of the kubelet where the state is deferred or infeasible, else of the API server */
export function refusalCode(state: 'deferred' | 'infeasible' | 'error', message: string): RefusalCode {
  if (state === 'infeasible') return INFEASIBLE.find(([pattern]) => pattern.test(message))?.[1] ?? 'node-capacity';
  if (state === 'deferred') return 'node-capacity';
  if (NO_SUPPORT.test(message)) return 'no-resize';
  if (PERMISSION.test(message)) return 'permission';
  return QUOTA.test(message) ? 'quota' : 'other';
}

/** The resource that an infeasible resize was refused for; null: both, or not known from the message. */
export function refusedResource(code: RefusalCode, message: string): ResourceName | null {
  if (code === 'cpu-manager') return 'cpu';
  if (code === 'memory-manager' || code === 'swap') return 'memory';
  const named = CAPACITY_RESOURCE.exec(message)?.[1];
  return named === 'cpu' || named === 'memory' ? named : null;
}
