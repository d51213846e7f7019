import { isAdminTool, type Tool } from '../tool.ts';
import { CLUSTER_TOOLS } from './cluster-tools.ts';
import { NAMESPACE_TOOLS } from './namespace-tools.ts';
import { WORKLOAD_TOOLS } from './workload-tools.ts';

const { listWorkloads, getWorkload, getWorkloadUsage, listIdleWorkloads } = WORKLOAD_TOOLS;
const { listExceptions, getNamespaceHealth, listScheduledScales, getScheduledScale } = NAMESPACE_TOOLS;
const { listNodes, getScalingStatus, getClusterSummary, getClusterUsage, getMaintenanceStatus } = CLUSTER_TOOLS;

/** All tools, in the order of `tools/list`. */
export const TOOLS: readonly Tool[] = [
  listWorkloads,
  getWorkload,
  listExceptions,
  getNamespaceHealth,
  listScheduledScales,
  getScheduledScale,
  getWorkloadUsage,
  listIdleWorkloads,
  listNodes,
  getScalingStatus,
  getClusterSummary,
  getClusterUsage,
  getMaintenanceStatus,
];

/** The tools that a caller's server registers. */
export function toolsFor(caller: { readonly admin: boolean }, features: Readonly<Record<string, boolean>>): readonly Tool[] {
  return TOOLS.filter((tool) => (caller.admin || !isAdminTool(tool)) && (tool.feature === undefined || features[tool.feature] === true));
}
