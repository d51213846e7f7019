// Records for scheduling decisions.

import type { Amounts } from '../amounts.ts';
import type { Labels } from '../label-selector.ts';
import type { ClaimUse } from '../pod-spec/pod-volumes.ts';
import type { SchedulingRules } from '../pod-spec/scheduling-rules.ts';
import type { Taint } from '../records/node.ts';
import type { Instant } from '../units.ts';
import type { StorageView } from './volumes/storage-model.ts';

/** A pod to be scheduled, or one on a node. */
export interface SchedulingPod extends Omit<SchedulingRules, 'claims'> {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly priority: number;
  readonly createdAt: Instant;
  /** null: its kubelet has not started it. */
  readonly startedAt: Instant | null;
  readonly terminating: boolean;
  /** Requests on a node; during a resize the maximum of desired, allocated and actual. */
  readonly requests: Amounts;
  readonly nodeName: string | null;
  readonly ownerUid: string | null;
  readonly claims: readonly ClaimUse[];
}

/** A node with its pods. */
export interface SchedulingNode {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
  readonly allocatable: Amounts;
  readonly declaredFeatures: ReadonlySet<string>;
  /** Bound or assumed pods that have not terminated, by UID. */
  readonly pods: ReadonlyMap<string, SchedulingPod>;
  /** Those with required anti-affinity. */
  readonly antiAffinePods: ReadonlyMap<string, SchedulingPod>;
  /** Sum of their requests. */
  readonly requested: Amounts;
}

/** The cluster for scheduling decisions. */
export interface SchedulingView {
  readonly nodes: readonly SchedulingNode[];
  readonly storage: StorageView;
  /** Labels of a namespace; empty: unknown. */
  namespaceLabels(namespace: string): Labels;
}

/** The value of a label; undefined: missing. Own properties only, since a label may be named `constructor`. */
export function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
