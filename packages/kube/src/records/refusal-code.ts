// Why a resize was refused, as codes. Neither the kubelet nor the API server gives one beyond Deferred, Infeasible and
// Forbidden: adapters/kubernetes reads the rest from their messages.

import type { ResourceName } from './resources.ts';

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

export interface Refusal {
  readonly code: RefusalCode;
  /** What alone was refused; null: both resources, or not known. */
  readonly resource: ResourceName | null;
}
