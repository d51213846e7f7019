// Kubernetes objects besides pods, nodes and workloads that decisions read, reduced to the fields that they need.

import type { CountOrPercent } from './count-or-percent.ts';
import type { LabelSelector } from '#kube/label-selector';
import type { OptionalResources } from '#kube/records/resources';
import type { DurationMs, Instant } from '#kube/units';
import type { OwnerRef, WorkloadRef } from '#kube/records/workload';

/** A Namespace. */
export interface NamespaceRecord {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly deletionAt: Instant | null;
}

/** The workload that an autoscaler scales. The API group distinguishes kinds of one name; the version does not matter. */
export interface TargetRef extends WorkloadRef {
  /** Empty for core. */
  readonly group: string;
}

/** A HorizontalPodAutoscaler. */
export interface HpaRecord {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly createdAt: Instant;
  readonly annotations: Readonly<Record<string, string>>;
  /** Whether the object has any annotation, including those that are not in `annotations`: a JSON patch depends on it. */
  readonly hasAnnotations: boolean;
  /** Owner reference of its controller, such as a ScaledObject of KEDA; null: none. */
  readonly controller: OwnerRef | null;
  /** Manager that wrote `spec.metrics` last, by the managed fields; null: they do not have one. */
  readonly metricsWriter: string | null;
  readonly target: TargetRef;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly lastScaleAt: Instant | null;
  /** `behavior.scaleDown.stabilizationWindowSeconds`. */
  readonly scaleDownWindowMs: DurationMs;
  /** Metrics of type Resource and ContainerResource, which has a `container`; other types are omitted. */
  readonly resourceMetrics: readonly {
    /** Index in `spec.metrics`. */
    readonly index: number;
    readonly resource: 'cpu' | 'memory';
    readonly container: string | null;
    readonly targetUtilizationRatio: number | null;
  }[];
}

/** Target and mode of a VerticalPodAutoscaler (autoscaling.k8s.io). */
export interface VpaRecord {
  readonly namespace: string;
  readonly name: string;
  readonly target: TargetRef;
  readonly updateMode: string;
}

/** A ScaledObject of KEDA, which creates and reconciles an HPA. */
export interface ScaledObjectRecord {
  readonly namespace: string;
  readonly name: string;
  readonly target: TargetRef;
  /** Name of its HPA; null: it has none yet. */
  readonly hpa: string | null;
  /** Resources with a utilization trigger. */
  readonly utilizationOf: readonly ('cpu' | 'memory')[];
}

/** A PodDisruptionBudget. */
export interface DisruptionBudgetRecord {
  readonly namespace: string;
  readonly name: string;
  readonly selector: LabelSelector | null;
  /** At most one of minAvailable and maxUnavailable is set. */
  readonly minAvailable: CountOrPercent | null;
  readonly maxUnavailable: CountOrPercent | null;
}

/** A LimitRange. */
export interface LimitRangeRecord {
  readonly namespace: string;
  readonly name: string;
  /** Bounds of the items of type Container. */
  readonly min: OptionalResources;
  readonly max: OptionalResources;
  readonly maxLimitRequestRatio: LimitRequestRatio;
  /** Bounds of the items of type Pod: sums over the containers. */
  readonly podMin?: OptionalResources;
  readonly podMax?: OptionalResources;
  readonly podMaxLimitRequestRatio?: LimitRequestRatio;
}

/** Maximum of limit ÷ request; null: unset. */
export interface LimitRequestRatio {
  readonly cpu: number | null;
  readonly memory: number | null;
}

/** A ResourceQuota. */
export interface ResourceQuotaRecord {
  readonly namespace: string;
  readonly name: string;
  readonly hardRequests: OptionalResources;
  readonly hardLimits: OptionalResources;
  readonly usedRequests: OptionalResources;
  readonly usedLimits: OptionalResources;
  /** Its scopes exclude some long-running pods. Absent: it applies to all of them. */
  readonly excludesSomePods?: true;
  /** A pod counts if it matches all scopes; absent: every pod counts. */
  readonly scopes?: readonly QuotaScope[];
}

/** An entry of `spec.scopes` (with the operator `Exists`) or of `spec.scopeSelector`. */
export interface QuotaScope {
  readonly name: string;
  readonly operator: string;
  readonly values: readonly string[];
}
