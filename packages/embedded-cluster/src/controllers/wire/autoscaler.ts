import type { KubeObject } from '../../api/kube-object.ts';
import type { WireCondition } from './pod.ts';

export interface MetricTarget {
  type: string;
  averageUtilization?: number;
  averageValue?: string;
  value?: string;
}

export interface MetricSpec {
  type: string;
  resource?: { name: string; target: MetricTarget };
  containerResource?: { name: string; container: string; target: MetricTarget };
  [field: string]: unknown;
}

interface ScalingPolicy {
  type: string;
  value: number;
  periodSeconds: number;
}

export interface ScalingRules {
  stabilizationWindowSeconds?: number;
  selectPolicy?: string;
  policies?: ScalingPolicy[];
  tolerance?: string;
}

export interface AutoscalerStatus {
  observedGeneration?: number;
  lastScaleTime?: string;
  currentReplicas?: number;
  desiredReplicas?: number;
  currentMetrics?: object[];
  conditions?: WireCondition[];
}

export interface Autoscaler extends KubeObject {
  spec: {
    scaleTargetRef: { apiVersion?: string; kind: string; name: string };
    minReplicas?: number;
    maxReplicas: number;
    metrics?: MetricSpec[];
    behavior?: { scaleUp?: ScalingRules; scaleDown?: ScalingRules };
  };
  status?: AutoscalerStatus;
}
