// The sources of the read models besides the ports. All of them except history are look-ups in memory.

import type { ResizeMode } from '../apis/conditions.ts';
import type { FieldDefaults } from '../core/policies/effective-values.ts';
import type { RuleInForce, Warning } from '../apis/http/types.generated.ts';
import type { PodResizePolicy, RecommendationStatus } from '../apis/v1alpha1/index.ts';
import type { OptionalResources } from '#kube/records/resources';
import type { Instant } from '#kube/units';
import type { VolumeUsage } from '#kube/records/usage';
import type { WorkloadKey, WorkloadRecord, WorkloadRef } from '#kube/records/workload';
import type { ChainedAccessEvent } from '../core/access/events/access-event.ts';
import type { ContainerAdvice } from '../core/recommender/advice.ts';
import type { AccessStore } from '../ports/access-store.ts';
import type { Changes } from '../ports/changes.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClusterReader } from '../ports/cluster/cluster-reader.ts';
import type { AccessEventFilter, AccessEventVerification } from '../ports/store/access-events.ts';
import type { ResizeCycleReader } from '../ports/store/resize-cycle-log.ts';
import type { TimelineReader } from '../ports/store/timeline.ts';
import type { UsageChange } from '../ports/usage/usage-source.ts';
import type { UsageRollupReader } from '../ports/usage/usage-rollups.ts';
import type { Logger } from '../ports/logger.ts';
import type { PriceSource } from '../ports/price-source.ts';

/** Current usage. */
export interface CurrentUsage extends OptionalResources {
  /** From when on it is too old to be current; absent: it has no age. */
  readonly until?: Instant;
}

/** The latest known usage. */
export interface UsageReader {
  /** New readings. */
  readonly changes: Changes<UsageChange>;
  /** Name of the usage source; null before its first response. */
  source(): string | null;
  /** Time of the source's last confirmation; null before the first. */
  confirmedAt(): Instant | null;
  /** Why all usage is unknown, as a message for users; null while it is known. */
  problem(): string | null;
  /** Latest usage of one container; null where it is unknown or stale. */
  containerUsage(namespace: string, pod: string, container: string): CurrentUsage | null;
  /** Latest usage of a node, system daemons included; null where it is unknown. */
  nodeUsage(node: string): CurrentUsage | null;
  /** Past usage of one node, ascending; null where it is not stored. */
  nodeHistory(node: string, from: Instant, to: Instant): readonly (OptionalResources & { readonly at: Instant })[] | null;
  /** Past usage in memory of one container of a workload, as the mean of its replicas, ascending. */
  workloadHistory(
    workload: WorkloadRef,
    container: string,
    from: Instant,
    to: Instant,
  ): readonly (OptionalResources & { readonly at: Instant; readonly replicas: number })[];
  /** Latest usage of volumes; empty where none was measured. */
  volumes(): Iterable<VolumeUsage>;
}

/** Reads decisions of this process that the objects do not contain. */
export interface DecisionReader {
  /** Workloads with a new decision, or none any more. */
  readonly changes: Changes<WorkloadKey>;
  /** The policy that governs a workload (null where none does, so that the defaults apply), the mode in force, and whether the policy is in dry run. */
  governance(workload: WorkloadRecord): { readonly policy: string | null; readonly mode: ResizeMode; readonly dryRun: boolean };
  /** Whether a policy with its overrides is in dry run. */
  isDryRun(policy: PodResizePolicy): boolean;
  /** The overrides in a workload's annotations that its policy ignores, because it accepts only stricter ones. */
  wideningOverrides(workload: WorkloadRecord): readonly string[];
  /** In mode Observe: the status that would be published; undefined before the first decision. */
  unpublished(workload: WorkloadKey): RecommendationStatus | undefined;
  /** The evidence of the recommendation by container; undefined where this process has none. */
  evidence(workload: WorkloadKey): readonly ContainerAdvice[] | undefined;
  /** Goal, percentile, margins, bounds and window in force, each with its source. */
  rules(workload: WorkloadRecord): readonly RuleInForce[];
}

/** One check of `/health`. */
export interface HealthSource {
  readonly name: string;
  status(): {
    readonly status: 'ok' | 'degraded' | 'failed';
    readonly message: string;
    /** Message without object names for callers that are not admins; absent where a general message is used. */
    readonly publicMessage?: string;
    readonly since: Instant | null;
    readonly latencyMs: number | null;
  };
}

/** The mode of the installation. */
export interface ModeSource {
  mode(): {
    readonly mode: 'active' | 'dry-run' | 'paused';
    /** The pause in force by the ConfigMap evenkeel-pause; null: none. */
    readonly pause: { readonly reason: string; readonly until: Instant | null } | null;
    readonly dryRun: { readonly controller: boolean; readonly autoscaler: boolean };
    /** Holder of the lease; null where no replica holds it. */
    readonly leader: string | null;
    readonly features: Readonly<Record<string, boolean>>;
    readonly auth: { readonly enabled: boolean; readonly providers: readonly string[] };
    readonly warnings: readonly Warning[];
  };
}

/** Constant properties of the process and its cluster. */
export interface ClusterIdentity {
  readonly name: string;
  /** Version of Evenkeel. */
  readonly version: string;
  /** gitVersion of the API server; null before its first response. */
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

/** Default values of policies' fields. */
export interface PolicyDefaults {
  /** Defaults by dotted field, and whether each comes from a setting or a constant. */
  defaultsOf(kind: string): FieldDefaults;
}

/** Recorded access events. */
export interface AccessEventSource {
  /** The newest first. Rejects while the store is unavailable. */
  read(filter: AccessEventFilter): Promise<readonly ChainedAccessEvent[]>;
  /** Verifies all chains. Rejects while the store is unavailable. */
  verify(): Promise<AccessEventVerification>;
}

/** All sources of queries. */
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
  readonly accessEvents: AccessEventSource;
  readonly health: readonly HealthSource[];
  /** Permissions that the API server has denied, for example `list pods`. */
  readonly missingPermissions: () => readonly string[];
  /** Why past usage is missing; null where it is not. */
  readonly pastUsageProblem?: () => string | null;
  readonly mode: ModeSource;
  readonly events: EventReader;
  readonly policyDefaults: PolicyDefaults;
  /** Grants and API keys; null while authentication is off. */
  readonly access: AccessStore | null;
  readonly logger: Logger;
}
