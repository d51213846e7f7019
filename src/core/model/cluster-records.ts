// The other kinds that decisions read, each trimmed to what is asked of it.

import type { CountOrPercent } from './count-or-percent.ts';
import type { LabelSelector } from '#kube/label-selector';
import type { OptionalResources } from '#kube/records/resources';
import type { DurationMs, Instant } from '#kube/units';
import type { OwnerRef, WorkloadRef } from '#kube/records/workload';

export interface NamespaceRecord {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly deletionAt: Instant | null;
}

/** The workload that an autoscaler acts on. Kinds of one name differ by their API group; the version does not matter. */
export interface TargetRef extends WorkloadRef {
  /** Empty for core. */
  readonly group: string;
}

export interface HpaRecord {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly createdAt: Instant;
  readonly annotations: Readonly<Record<string, string>>;
  /** It has annotations at all, those left out here included: a JSON patch must know. */
  readonly annotated: boolean;
  /** What made it and keeps it as it is, such as a ScaledObject of KEDA; null: nothing. */
  readonly controller: OwnerRef | null;
  /** Manager that wrote `spec.metrics` last, by the managed fields; null where they do not say. */
  readonly metricsWriter: string | null;
  readonly target: TargetRef;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly lastScaleAt: Instant | null;
  /** How long it holds on to the most replicas that it has wanted lately, before it takes some away. */
  readonly scaleDownWindowMs: DurationMs;
  /** Metrics of other types are left out. `container` is set for ContainerResource. */
  readonly resourceMetrics: readonly {
    /** Its place in `spec.metrics`. */
    readonly index: number;
    readonly resource: 'cpu' | 'memory';
    readonly container: string | null;
    readonly targetUtilizationRatio: number | null;
  }[];
}

/** A VerticalPodAutoscaler (autoscaling.k8s.io), as far as it says whose pods it sizes. */
export interface VpaRecord {
  readonly namespace: string;
  readonly name: string;
  readonly target: TargetRef;
  readonly updateMode: string;
}

/** A ScaledObject of KEDA, which makes an HPA and keeps it as it wants it. */
export interface ScaledObjectRecord {
  readonly namespace: string;
  readonly name: string;
  readonly target: TargetRef;
  /** The HPA that it keeps; null where it has none yet. */
  readonly hpa: string | null;
  /** Resources that it scales by as a share of the request. */
  readonly utilizationOf: readonly ('cpu' | 'memory')[];
}

export interface DisruptionBudgetRecord {
  readonly namespace: string;
  readonly name: string;
  readonly selector: LabelSelector | null;
  /** At most one of the two is set. */
  readonly minAvailable: CountOrPercent | null;
  readonly maxUnavailable: CountOrPercent | null;
}

export interface LimitRangeRecord {
  readonly namespace: string;
  readonly name: string;
  /** Container items only. */
  readonly min: OptionalResources;
  readonly max: OptionalResources;
  readonly maxLimitRequestRatio: LimitRequestRatio;
  /** Of all containers of a pod together. */
  readonly podMin?: OptionalResources;
  readonly podMax?: OptionalResources;
  readonly podMaxLimitRequestRatio?: LimitRequestRatio;
}

/** Greatest limit ÷ request; null where unset. */
export interface LimitRequestRatio {
  readonly cpu: number | null;
  readonly memory: number | null;
}

export interface ResourceQuotaRecord {
  readonly namespace: string;
  readonly name: string;
  readonly hardRequests: OptionalResources;
  readonly hardLimits: OptionalResources;
  readonly usedRequests: OptionalResources;
  readonly usedLimits: OptionalResources;
  /** By its scopes, which the API server alone evaluates. Left out: it applies to every long-running pod. */
  readonly ofSomePods?: true;
  /** All of them must hold for a pod that it counts; absent: it counts every pod. */
  readonly scopes?: readonly QuotaScope[];
}

/** Of `spec.scopes` (`Exists`) or `spec.scopeSelector`. */
export interface QuotaScope {
  readonly name: string;
  readonly operator: string;
  readonly values: readonly string[];
}
