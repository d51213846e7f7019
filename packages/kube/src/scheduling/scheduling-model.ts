// What scheduling decisions read: small records, free of the wire.

import type { Amounts } from '../amounts.ts';
import type { Labels } from '../label-selector.ts';
import type { ClaimUse } from '../pod-spec/pod-volumes.ts';
import type { SchedulingRules } from '../pod-spec/scheduling-rules.ts';
import type { Taint } from '../records/node.ts';
import type { Instant } from '../units.ts';
import type { StorageView } from './storage-model.ts';

export interface SchedulingPod extends Omit<SchedulingRules, 'claims'> {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly priority: number;
  readonly createdAt: Instant;
  /** null: bound, but its kubelet has not begun with it. */
  readonly startedAt: Instant | null;
  readonly terminating: boolean;
  /** What it takes of a node; for a resized pod the greatest of desired, allocated and in force. */
  readonly requests: Amounts;
  readonly nodeName: string | null;
  readonly ownerUid: string | null;
  readonly claims: readonly ClaimUse[];
}

export interface SchedulingNode {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
  readonly allocatable: Amounts;
  readonly declaredFeatures: ReadonlySet<string>;
  /** Bound or assumed, not ended. By uid. */
  readonly pods: ReadonlyMap<string, SchedulingPod>;
  /** Those of them that keep others away; mostly none. */
  readonly antiAffinePods: ReadonlyMap<string, SchedulingPod>;
  /** Sum of the requests of all. */
  readonly requested: Amounts;
}

/** What a decision about one pod may look at. */
export interface SchedulingView {
  readonly nodes: readonly SchedulingNode[];
  readonly storage: StorageView;
  /** Empty for a namespace that is not known. */
  namespaceLabels(namespace: string): Labels;
}

/** The value of a label; undefined where it is missing. A label may be called `constructor`. */
export function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
