// All queries by their operation names.

import { getCluster, getClusterUsage } from '../queries/cluster.ts';
import { listIdleWorkloads } from '../queries/idle-workloads.ts';
import { listLimitExceptions } from '../queries/limit-exceptions.ts';
import { listNamespaces } from '../queries/namespaces.ts';
import { getNode, listNodes } from '../queries/nodes.ts';
import { getOverride, listOverrides } from '../queries/overrides.ts';
import { listPods } from '../queries/pods.ts';
import { getPolicy, listPolicies, listPolicyOverrides } from '../queries/policies.ts';
import { getRecommendation, listRecommendations } from '../queries/recommendations.ts';
import { getResourceAudit, listResourceAudit } from '../queries/resource-audit.ts';
import { listScaling } from '../queries/scaling.ts';
import { getMode, listHealth, listResizeStats } from '../queries/system.ts';
import { getWorkloadUsage } from '../queries/workload-usage.ts';

export const QUERIES = {
  getCluster,
  getClusterUsage,
  listNodes,
  getNode,
  listPods,
  listNamespaces,
  listRecommendations,
  getRecommendation,
  getWorkloadUsage,
  listResizeStats,
  listOverrides,
  getOverride,
  listLimitExceptions,
  listIdleWorkloads,
  listPolicies,
  getPolicy,
  listPolicyOverrides,
  listResourceAudit,
  getResourceAudit,
  listScaling,
  listHealth,
  getMode,
} as const;
