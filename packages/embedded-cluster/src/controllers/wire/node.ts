import type { KubeObject } from '../../api/kube-object.ts';
import type { WireCondition } from './pod.ts';

export interface WireTaint {
  key: string;
  value?: string;
  effect: string;
  timeAdded?: string;
}

export interface Node extends KubeObject {
  spec?: { unschedulable?: boolean; taints?: WireTaint[]; [field: string]: unknown };
  status?: { conditions?: WireCondition[]; [field: string]: unknown };
}
