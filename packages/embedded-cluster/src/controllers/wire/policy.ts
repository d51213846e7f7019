// Disruption budgets and autoscalers as they stand on the wire.

import type { LabelSelector } from '#kube/label-selector';
import type { KubeObject } from '../../api/kube-object.ts';
import type { WireCondition } from './pod.ts';
import type { IntOrPercent } from './workload.ts';

export interface DisruptionBudgetStatus {
  observedGeneration?: number;
  disruptionsAllowed: number;
  currentHealthy: number;
  desiredHealthy: number;
  expectedPods: number;
  /** When the eviction of each pod was granted; until it is seen to be gone it counts as unhealthy. */
  disruptedPods?: Record<string, string>;
  conditions?: WireCondition[];
}

export interface DisruptionBudget extends KubeObject {
  spec: {
    selector?: LabelSelector | null;
    minAvailable?: IntOrPercent;
    maxUnavailable?: IntOrPercent;
    unhealthyPodEvictionPolicy?: string;
  };
  status?: DisruptionBudgetStatus;
}
