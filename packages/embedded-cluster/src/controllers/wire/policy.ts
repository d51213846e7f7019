// Wire format of disruption budgets and autoscalers.

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
  /** Times of granted evictions by pod; until a pod's deletion is observed it counts as unhealthy. */
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
