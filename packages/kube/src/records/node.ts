import type { Resources } from './resources.ts';
import type { Instant } from '../units.ts';

/** A taint of a node. */
export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

/** A condition of a node. */
export interface NodeCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionAt: Instant | null;
}

/** A node, decoded once from the wire. */
export interface NodeRecord {
  readonly uid: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly createdAt: Instant;
  readonly deletionAt: Instant | null;
  readonly capacity: Resources;
  readonly allocatable: Resources;
  readonly podCapacity: number;
  readonly ready: boolean;
  readonly unschedulable: boolean;
  readonly taints: readonly Taint[];
  readonly conditions: readonly NodeCondition[];
  readonly kubeletVersion: string;
  readonly operatingSystem: string;
  readonly providerId: string;
  readonly internalIp: string | null;
  /** Port of the kubelet's API (`status.daemonEndpoints.kubeletEndpoint.Port`); 10250 if unset. */
  readonly kubeletPort: number;
  /** From well-known labels, like the three fields below; null: the node does not have the label. */
  readonly machineType: string | null;
  readonly zone: string | null;
  readonly region: string | null;
  readonly pool: string | null;
  readonly capacityType: 'spot' | 'on-demand';
}
