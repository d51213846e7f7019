import { resolveWorkload, type WorkloadTarget } from '../core/recommendations/resolve-workload.ts';
import type { Caller, CommandPorts } from './context.ts';

/** The workload that a command changes. In reserved and excluded namespaces every command is refused, whatever the role of the caller. */
export function findTarget(ports: CommandPorts, { scope }: Caller, target: WorkloadTarget): ReturnType<typeof resolveWorkload> {
  const resolved = resolveWorkload(ports.cluster, scope, target);
  if (resolved.kind !== 'workload') return resolved;
  const protection = ports.protectionOf(resolved.workload);
  if (protection === null) return resolved;
  return { kind: 'forbidden', message: `${protection} Its workloads are not changed through this API.` };
}
