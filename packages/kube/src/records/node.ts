import type { Resources } from './resources.ts';
import type { Instant } from '../units.ts';

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

export interface NodeCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionAt: Instant | null;
}

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
  /** Port of the kubelet's own API (`status.daemonEndpoints.kubeletEndpoint.Port`); 10250 where unset. */
  readonly kubeletPort: number;
  /** From well-known labels; null where the node does not say. */
  readonly machineType: string | null;
  readonly zone: string | null;
  readonly region: string | null;
  readonly pool: string | null;
  readonly capacityType: 'spot' | 'on-demand';
}
