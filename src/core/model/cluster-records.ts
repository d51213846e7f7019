// The other kinds that decisions read, each trimmed to what is asked of it.

import type { OptionalResources } from './resources.ts';
import type { Instant } from './units.ts';
import type { WorkloadRef } from './workload.ts';

export interface NamespaceRecord {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly deletionAt: Instant | null;
}

export interface HpaRecord {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly target: WorkloadRef;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  /** Resource metrics alone; others are named in `otherMetrics`. `container` is set for ContainerResource. */
  readonly resourceMetrics: readonly {
    readonly resource: 'cpu' | 'memory';
    readonly container: string | null;
    readonly targetUtilizationRatio: number | null;
    readonly averageValue: number | null;
  }[];
  readonly otherMetrics: readonly string[];
}

export interface DisruptionBudgetRecord {
  readonly namespace: string;
  readonly name: string;
  readonly selector: LabelSelector | null;
  readonly disruptionsAllowed: number;
  readonly expectedPods: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
}

export interface LimitRangeRecord {
  readonly namespace: string;
  readonly name: string;
  /** Container items only. */
  readonly min: OptionalResources;
  readonly max: OptionalResources;
  /** Greatest limit ÷ request; null where unset. */
  readonly maxLimitRequestRatio: { readonly cpu: number | null; readonly memory: number | null };
}

export interface ResourceQuotaRecord {
  readonly namespace: string;
  readonly name: string;
  readonly hardRequests: OptionalResources;
  readonly hardLimits: OptionalResources;
  readonly usedRequests: OptionalResources;
  readonly usedLimits: OptionalResources;
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}
