// What scheduling decisions read: small records, free of the wire and of the simulator.

import type { LabelSelector } from '../../core/model/cluster-records.ts';
import type { LabelRequirement } from '../../core/model/label-selector.ts';
import type { Taint } from '../../core/model/node.ts';
import type { Instant } from '../../core/model/units.ts';

type Labels = Readonly<Record<string, string>>;

/** Amounts by resource name: `cpu` in millicores, `memory` in bytes, everything else in its own unit. */
export type Amounts = ReadonlyMap<string, number>;

export interface Toleration {
  readonly key: string | null;
  readonly operator: 'Equal' | 'Exists';
  readonly value: string;
  /** null: any. */
  readonly effect: string | null;
}

/** All of its requirements must hold. A term without any matches nothing. */
export interface NodeTerm {
  readonly labels: readonly LabelRequirement[];
  /** `metadata.name` alone. */
  readonly fields: readonly LabelRequirement[];
}

export interface PodTerm {
  readonly topologyKey: string;
  readonly selector: LabelSelector | null;
  /** Empty with a null selector: the pod's own namespace. */
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

export interface SchedulingPod {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly priority: number;
  readonly createdAt: Instant;
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
  readonly claims: readonly string[];
}

export interface SchedulingNode {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
  readonly allocatable: Amounts;
  /** Bound or assumed, not ended. */
  readonly pods: ReadonlyMap<string, SchedulingPod>;
  /** Those of them that keep others away; mostly none. */
  readonly antiAffinePods: ReadonlyMap<string, SchedulingPod>;
  /** Sum of the requests of all. */
  readonly requested: Amounts;
}

/** What a decision about one pod may look at. */
export interface SchedulingView {
  readonly nodes: readonly SchedulingNode[];
  namespaceLabels(namespace: string): Labels;
  /** The first claim of the pod that does not exist; null when all do. */
  missingClaim(pod: SchedulingPod): string | null;
  /** Why a claim of the pod keeps it off a node; null when none does. */
  volumeConflict(pod: SchedulingPod, node: SchedulingNode): string | null;
}
