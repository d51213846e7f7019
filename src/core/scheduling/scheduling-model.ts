// What scheduling decisions read: small records, free of the wire.

import type { Amounts } from '#kube/amounts';
import type { Labels } from '#kube/label-selector';
import type { ClaimUse } from '#kube/pod-volumes';
import type { SchedulingRules } from '#kube/scheduling-rules';
import type { Taint } from '../model/node.ts';
import type { Instant } from '../model/units.ts';
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
