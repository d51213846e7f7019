// All queries by their operation names.

import { listAccessEvents } from '../queries/access/access-events.ts';
import { getAccessPolicy } from '../queries/access/access-policy.ts';
import { listAccessRequests, listOwnAccessRequests } from '../queries/access/access-requests.ts';
import { listApiKeys } from '../queries/access/api-keys.ts';
import { getCluster, getClusterUsage } from '../queries/cluster/cluster.ts';
import { listIdleWorkloads } from '../queries/workloads/idle-workloads.ts';
import { listLimitExceptions } from '../queries/workloads/limit-exceptions.ts';
import { listNamespaces } from '../queries/cluster/namespaces.ts';
import { getNode, listNodes } from '../queries/cluster/nodes.ts';
import { getOverride, listOverrides } from '../queries/policies/overrides.ts';
import { listPods } from '../queries/cluster/pods.ts';
import { getPolicy, listPolicies, listPolicyOverrides } from '../queries/policies/policies.ts';
import { getRecommendation, listRecommendations } from '../queries/workloads/recommendations.ts';
import { getResourceAudit, listResourceAudit } from '../queries/workloads/resource-audit.ts';
import { listScaling } from '../queries/cluster/scaling.ts';
import { getScalingStatus } from '../queries/cluster/scaling-status.ts';
import { getMaintenanceStatus } from '../queries/maintenance.ts';
import { getScheduledScale, listScheduledScales, listStorageExceptions } from '../queries/not-served-yet.ts';
import { getMode, listHealth, listResizeStats } from '../queries/system.ts';
import { listNamespaceHealth } from '../queries/workloads/namespace-health.ts';
import { getWorkloadUsage } from '../queries/workloads/workload-usage.ts';

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
  getAccessPolicy,
  listAccessRequests,
  listOwnAccessRequests,
  listApiKeys,
  listAccessEvents,
  listNamespaceHealth,
  listStorageExceptions,
  listScheduledScales,
  getScheduledScale,
  getScalingStatus,
  getMaintenanceStatus,
} as const;
