// What the read models read from, besides the ports: small interfaces, so that whoever knows can answer. Everything here
// is a look-up in memory but history.

import type { ResizeMode } from '../apis/conditions.ts';
import type { FieldDefaults } from '../core/policies/effective-values.ts';
import type { RuleInForce } from '../apis/http/types.generated.ts';
import type { PodResizePolicy, RecommendationStatus } from '../apis/v1alpha1/index.ts';
import type { OptionalResources } from '#kube/records/resources';
import type { Instant } from '#kube/units';
import type { VolumeUsage } from '#kube/records/usage';
import type { WorkloadKey, WorkloadRecord, WorkloadRef } from '#kube/records/workload';
import type { ContainerAdvice } from '../core/recommender/advice.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClusterReader } from '../ports/cluster-reader.ts';
import type { ResizeCycleReader } from '../ports/resize-cycle-log.ts';
import type { TimelineReader } from '../ports/timeline.ts';
import type { UsageRollupReader } from '../ports/usage-rollups.ts';
import type { Logger } from '../ports/logger.ts';
import type { PriceSource } from '../ports/price-source.ts';

/** Usage as last seen. */
export interface UsageReader {
  /** Where it comes from: kubelet, metrics-server, prometheus, …; null before any source has answered. */
  source(): string | null;
  /** When the source last confirmed what is served; null before it did. */
  confirmedAt(): Instant | null;
  /** Why no usage can be told at all, in words for people; null while it can. */
  problem(): string | null;
  /** Latest usage of one container; null where not known or too old to stand for now. */
  containerUsage(namespace: string, pod: string, container: string): OptionalResources | null;
  /** Latest usage of a whole node, daemons included; null where not known. */
  nodeUsage(node: string): OptionalResources | null;
  /** One node's past, ascending; null where it is not kept. */
  nodeHistory(node: string, from: Instant, to: Instant): readonly (OptionalResources & { readonly at: Instant })[] | null;
  /** One container of a workload over its replicas (mean), ascending: as far back as memory goes. */
  workloadHistory(
    workload: WorkloadRef,
    container: string,
    from: Instant,
    to: Instant,
  ): readonly (OptionalResources & { readonly at: Instant; readonly replicas: number })[];
  /** Volumes as last measured; empty where none was. */
  volumes(): Iterable<VolumeUsage>;
}

/** What the deciding part of this process knows beyond what the objects say. */
export interface DecisionReader {
  /** The policy that governs a workload (null: none, so all defaults hold), the mode in force, and whether the policy is in dry run. */
  governance(workload: WorkloadRecord): { readonly policy: string | null; readonly mode: ResizeMode; readonly dryRun: boolean };
  /** Whether a policy is in dry run, overrides counted. */
  isDryRun(policy: PodResizePolicy): boolean;
  /** What its annotations ask for and its policy ignores, in words: the policy takes only stricter ones. */
  wideningOverrides(workload: WorkloadRecord): readonly string[];
  /** In mode Observe: the status that would be published; undefined where there is none (yet). */
  unpublished(workload: WorkloadKey): RecommendationStatus | undefined;
  /** The evidence behind what is recommended, by container; undefined where this process has none (yet). */
  evidence(workload: WorkloadKey): readonly ContainerAdvice[] | undefined;
  /** Goal, percentile, margins, bounds and window in force, each with where it came from. */
  rules(workload: WorkloadRecord): readonly RuleInForce[];
}

/** One thing that `/health` tells of. */
export interface HealthSource {
  readonly name: string;
  status(): {
    readonly status: 'ok' | 'degraded' | 'failed';
    readonly message: string;
    /** Without names of objects, for callers that are not admins; the same where left out. */
    readonly publicMessage?: string;
    readonly since: Instant | null;
    readonly latencyMs: number | null;
  };
}

/** What the whole installation is set to. */
export interface ModeSource {
  mode(): {
    readonly mode: 'active' | 'dry-run' | 'paused';
    readonly dryRun: { readonly controller: boolean; readonly autoscaler: boolean };
    /** Holder of the lease; null where nobody holds it. */
    readonly leader: string | null;
    readonly features: Readonly<Record<string, boolean>>;
    readonly auth: { readonly enabled: boolean; readonly providers: readonly string[] };
  };
}

/** What stays the same while the process lives. */
export interface ClusterIdentity {
  readonly name: string;
  /** Version of Evenkeel. */
  readonly version: string;
  /** gitVersion of the API server; null where it has not said. */
  kubernetesVersion(): string | null;
}

/** Kubernetes Events about an object, latest first; null where Events are not watched. */
export interface EventReader {
  about(kind: string, namespace: string | null, name: string): readonly ClusterEvent[] | null;
}

export interface ClusterEvent {
  readonly at: Instant;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

/** Values in force of one policy, by dotted field, for fields that settings or goals decide. */
export interface PolicyDefaults {
  /** Default of each field that the object leaves out, and whether a setting or a constant gives it. */
  defaultsOf(kind: string): FieldDefaults;
}

/** Everything that queries read from. */
export interface ReadSources {
  readonly clock: Clock;
  readonly cluster: ClusterReader;
  readonly identity: ClusterIdentity;
  readonly usage: UsageReader;
  readonly decisions: DecisionReader;
  readonly prices: PriceSource;
  readonly cycleLog: ResizeCycleReader;
  readonly rollups: UsageRollupReader;
  readonly timeline: TimelineReader;
  readonly health: readonly HealthSource[];
  /** What the API server has refused us, as `list pods`. */
  readonly missingPermissions: () => readonly string[];
  /** Why the past of usage is missing, where somebody was to tell it; null where it is not. */
  readonly pastUsageProblem?: () => string | null;
  readonly mode: ModeSource;
  readonly events: EventReader;
  readonly policyDefaults: PolicyDefaults;
  readonly logger: Logger;
}
