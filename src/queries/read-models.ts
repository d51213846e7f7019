import { AccessEventQueries } from './access/access-events.ts';
import { AccessPolicyQueries } from './access/access-policy.ts';
import { AccessRequestQueries } from './access/access-requests.ts';
import { ApiKeyQueries } from './access/api-keys.ts';
import { ClusterQueries } from './cluster/cluster.ts';
import { ClusterTotals } from './cluster/totals.ts';
import { IdleWorkloadQueries } from './workloads/idle-workloads.ts';
import { Slices } from './lists/slices.ts';
import { LimitExceptionQueries } from './workloads/limit-exceptions.ts';
import { NamespaceQueries } from './cluster/namespaces.ts';
import { NamespaceHealthQueries } from './workloads/namespace-health.ts';
import { NodeQueries } from './cluster/nodes.ts';
import { OverrideQueries } from './policies/overrides.ts';
import { PodQueries } from './cluster/pods.ts';
import { PolicyQueries } from './policies/policies.ts';
import { RecommendationQueries } from './workloads/recommendations.ts';
import { ResourceAuditQueries } from './workloads/resource-audit.ts';
import { ScalingQueries } from './cluster/scaling.ts';
import type { ReadSources } from './sources.ts';
import { SystemQueries } from './system.ts';
import { WorkloadUsageQueries } from './workloads/workload-usage.ts';

/** All read models of one set of sources. */
export interface ReadModels {
  /** Runs long work of all models, which share the turns. */
  readonly slices: Slices;
  readonly totals: ClusterTotals;
  readonly cluster: ClusterQueries;
  readonly nodes: NodeQueries;
  readonly pods: PodQueries;
  readonly namespaces: NamespaceQueries;
  readonly namespaceHealth: NamespaceHealthQueries;
  readonly recommendations: RecommendationQueries;
  readonly workloadUsage: WorkloadUsageQueries;
  readonly overrides: OverrideQueries;
  readonly limitExceptions: LimitExceptionQueries;
  readonly idleWorkloads: IdleWorkloadQueries;
  readonly resourceAudit: ResourceAuditQueries;
  readonly scaling: ScalingQueries;
  readonly policies: PolicyQueries;
  readonly system: SystemQueries;
  readonly accessPolicy: AccessPolicyQueries;
  readonly accessRequests: AccessRequestQueries;
  readonly apiKeys: ApiKeyQueries;
  readonly accessEvents: AccessEventQueries;
}

/** Creates the read models with shared totals. */
export function createReadModels(sources: ReadSources): ReadModels {
  const slices = new Slices();
  const totals = new ClusterTotals(sources, slices);
  const recommendations = new RecommendationQueries(sources, totals, slices);
  const namespaces = new NamespaceQueries(sources, totals, slices);
  const limitExceptions = new LimitExceptionQueries(sources);
  return {
    slices,
    totals,
    cluster: new ClusterQueries(sources, totals, slices),
    nodes: new NodeQueries(sources, totals, slices),
    pods: new PodQueries(sources, slices),
    namespaces,
    namespaceHealth: new NamespaceHealthQueries(namespaces, recommendations, limitExceptions),
    recommendations,
    workloadUsage: new WorkloadUsageQueries(sources, recommendations),
    overrides: new OverrideQueries(sources),
    limitExceptions,
    idleWorkloads: new IdleWorkloadQueries(sources, totals),
    resourceAudit: new ResourceAuditQueries(sources, slices),
    scaling: new ScalingQueries(sources),
    policies: new PolicyQueries(sources),
    system: new SystemQueries(sources),
    accessPolicy: new AccessPolicyQueries(sources),
    accessRequests: new AccessRequestQueries(sources),
    apiKeys: new ApiKeyQueries(sources),
    accessEvents: new AccessEventQueries(sources),
  };
}
