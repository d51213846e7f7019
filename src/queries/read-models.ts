import { ClusterQueries } from './cluster.ts';
import { FigureKeeper } from './figures.ts';
import { IdleWorkloadQueries } from './idle-workloads.ts';
import { LimitExceptionQueries } from './limit-exceptions.ts';
import { NamespaceQueries } from './namespaces.ts';
import { NodeQueries } from './nodes.ts';
import { OverrideQueries } from './overrides.ts';
import { PodQueries } from './pods.ts';
import { PolicyQueries } from './policies.ts';
import { RecommendationQueries } from './recommendations.ts';
import { ResourceAuditQueries } from './resource-audit.ts';
import { ScalingQueries } from './scaling.ts';
import type { ReadSources } from './sources.ts';
import { SystemQueries } from './system.ts';
import { WorkloadUsageQueries } from './workload-usage.ts';

/** Every read model over one set of sources. */
export interface ReadModels {
  readonly cluster: ClusterQueries;
  readonly nodes: NodeQueries;
  readonly pods: PodQueries;
  readonly namespaces: NamespaceQueries;
  readonly recommendations: RecommendationQueries;
  readonly workloadUsage: WorkloadUsageQueries;
  readonly overrides: OverrideQueries;
  readonly limitExceptions: LimitExceptionQueries;
  readonly idleWorkloads: IdleWorkloadQueries;
  readonly resourceAudit: ResourceAuditQueries;
  readonly scaling: ScalingQueries;
  readonly policies: PolicyQueries;
  readonly system: SystemQueries;
}

/** Joins the read models so that they share their sums. */
export function createReadModels(sources: ReadSources): ReadModels {
  const figures = new FigureKeeper(sources);
  const nodes = new NodeQueries(sources, figures);
  const recommendations = new RecommendationQueries(sources, figures);
  return {
    cluster: new ClusterQueries(sources, figures, nodes),
    nodes,
    pods: new PodQueries(sources),
    namespaces: new NamespaceQueries(sources, figures),
    recommendations,
    workloadUsage: new WorkloadUsageQueries(sources, recommendations),
    overrides: new OverrideQueries(sources),
    limitExceptions: new LimitExceptionQueries(sources),
    idleWorkloads: new IdleWorkloadQueries(sources, figures),
    resourceAudit: new ResourceAuditQueries(sources),
    scaling: new ScalingQueries(sources),
    policies: new PolicyQueries(sources),
    system: new SystemQueries(sources),
  };
}
