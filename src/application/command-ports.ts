import { randomInt } from 'node:crypto';
import type { PodResizePolicy } from '../apis/v1alpha1/index.ts';
import type { WorkloadRecord } from '#kube/records/workload';
import { isProtectedPolicy, protectionOf } from '../core/resize/policy/governing-policy.ts';
import type { CommandPorts } from '../commands/context.ts';
import type { ReadSources } from '../queries/sources.ts';

/** The writing ports of commands. */
export type CommandWriters = Pick<CommandPorts, 'records' | 'signer' | 'events'>;

/**
 * Combines the writers with the look-ups of commands.
 * @param namespace Evenkeel's namespace
 * @param written called for each write that was carried out
 */
export function commandPorts(
  sources: ReadSources,
  writers: CommandWriters,
  namespace: string,
  written: NonNullable<CommandPorts['written']>,
): CommandPorts {
  const { clock, cluster, logger, decisions, mode, access } = sources;
  return {
    ...writers,
    written,
    access,
    draw: (below) => randomInt(below),
    clock,
    cluster,
    logger,
    modeOf: (workload: WorkloadRecord) => decisions.governance(workload).mode,
    wideningOf: (workload: WorkloadRecord) => {
      const overrides = decisions.wideningOverrides(workload);
      return overrides.length === 0 ? null : { policy: decisions.governance(workload).policy ?? '', overrides };
    },
    protectionOf: ({ namespace: inNamespace, kind, labels }) => {
      const namespaceLabels = cluster.findNamespace(inNamespace)?.labels ?? {};
      return protectionOf(cluster.podResizePolicies(), { namespace: inNamespace, kind, labels, namespaceLabels }, namespace);
    },
    isProtectedPolicy: (policy: PodResizePolicy) => isProtectedPolicy(policy, namespace),
    isEnabled: (tool) => mode.mode().features[tool] === true,
    isDryRun: (workload: WorkloadRecord) => mode.mode().dryRun.controller || decisions.governance(workload).dryRun,
    isDryRunPolicy: (policy: PodResizePolicy) => mode.mode().dryRun.controller || decisions.isDryRun(policy),
  };
}
