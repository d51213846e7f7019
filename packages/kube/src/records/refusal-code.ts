// Codes for refused resizes. Kubelet and API server have only the reasons Deferred, Infeasible and Forbidden; adapters/kubernetes
// derives the codes from their messages.

import type { ResourceName } from './resources.ts';

/** All codes, described at `RefusalCode`. */
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
 * cpu-manager, memory-manager: a Guaranteed pod under a static policy. swap: the memory request of a container with swap.
 * no-resize: the kubelet does not support in-place resize. quota: a ResourceQuota or LimitRange. start-up-boost: more CPU for the
 * start, for any reason.
 */
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** Codes that depend on the kubelet's configuration and not on the size. */
export const NODE_PROPERTY_CODES: readonly RefusalCode[] = ['cpu-manager', 'memory-manager', 'swap', 'no-resize'];

/** Why a resize was refused. */
export interface Refusal {
  readonly code: RefusalCode;
  /** The refused resource; null: both, or unknown. */
  readonly resource: ResourceName | null;
}
