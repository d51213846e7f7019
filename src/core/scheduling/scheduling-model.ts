// What scheduling decisions read: small records, free of the wire.

import type { Labels, LabelSelector } from '../model/label-selector.ts';
import type { Taint, Toleration } from '../model/node.ts';
import type { Instant } from '../model/units.ts';
import type { NodeTerm } from './node-term.ts';
import type { StorageView } from './storage-model.ts';

/** Amounts by resource name: `cpu` in millicores, `memory` in bytes, everything else in its own unit. */
export type Amounts = ReadonlyMap<string, number>;

export interface PodTerm {
  readonly topologyKey: string;
  readonly selector: LabelSelector | null;
  /** Empty with a null namespaceSelector: the pod's own namespace. */
  readonly namespaces: readonly string[];
  readonly namespaceSelector: LabelSelector | null;
}

export interface Weighted<T> {
  readonly weight: number;
  readonly term: T;
}

export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly hard: boolean;
  readonly selector: LabelSelector | null;
  readonly minDomains: number;
  readonly honorAffinity: boolean;
  readonly honorTaints: boolean;
}

export interface HostPort {
  readonly port: number;
  readonly protocol: string;
  readonly ip: string;
}

/** A claim that a pod mounts. */
export interface ClaimUse {
  readonly name: string;
  /** Made for this pod alone, from a template in the pod. */
  readonly ephemeral: boolean;
}

/** A disk that a pod names itself, without a claim, of a kind that cannot be mounted anywhere twice. */
export interface InlineDisk {
  readonly kind: 'gcePersistentDisk' | 'awsElasticBlockStore' | 'iscsi' | 'rbd' | 'other';
  /** Equal for the same disk. */
  readonly id: string;
  /** Ceph's monitors; the same image behind other monitors is another image. */
  readonly monitors: readonly string[];
  readonly readOnly: boolean;
  /** The CSI driver that attaches it by now; null when none does. */
  readonly driver: string | null;
}

export interface SchedulingPod {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly priority: number;
  /** False where its preemptionPolicy is Never. */
  readonly mayPreempt: boolean;
  readonly createdAt: Instant;
  /** null: bound, but its kubelet has not begun with it. */
  readonly startedAt: Instant | null;
  readonly terminating: boolean;
  /** What it takes of a node; for a resized pod the greatest of desired, allocated and in force. */
  readonly requests: Amounts;
  readonly ports: readonly HostPort[];
  readonly nodeName: string | null;
  readonly nodeSelector: Labels;
  /** Any of them must match; null: no requirement. */
  readonly nodeTerms: readonly NodeTerm[] | null;
  readonly preferredNodeTerms: readonly Weighted<NodeTerm>[];
  readonly affinity: readonly PodTerm[];
  readonly antiAffinity: readonly PodTerm[];
  readonly preferredAffinity: readonly Weighted<PodTerm>[];
  readonly preferredAntiAffinity: readonly Weighted<PodTerm>[];
  readonly tolerations: readonly Toleration[];
  readonly spread: readonly SpreadConstraint[];
  readonly ownerUid: string | null;
  readonly claims: readonly ClaimUse[];
  readonly disks: readonly InlineDisk[];
  /** Features that a node must declare to take it. */
  readonly features: readonly string[];
  /** It does not come to the filters while any is left. */
  readonly gates: readonly string[];
  /** What it asks for that no rule here knows: such a pod fits nowhere, for a guess could be wrong. */
  readonly unmodelled: readonly string[];
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
