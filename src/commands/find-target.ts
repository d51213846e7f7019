import type { Refusal } from '../core/access/refusal.ts';
import { resolveWorkload, type WorkloadTarget } from '../core/recommendations/resolve-workload.ts';
import type { Caller, CommandPorts } from './context.ts';

/** The workload that a command changes. In reserved and excluded namespaces every command is refused, for every role. */
export function findTarget(ports: CommandPorts, { scope }: Caller, target: WorkloadTarget): ReturnType<typeof resolveWorkload> {
  const resolved = resolveWorkload(ports.cluster, scope, target);
  return resolved.kind === 'workload' ? (refusalOfProtected(ports, resolved.workload) ?? resolved) : resolved;
}

/** The refusal of every command in the object's namespace; null where commands are allowed. */
export function refusalOfProtected(
  ports: Pick<CommandPorts, 'protectionOf'>,
  object: Parameters<CommandPorts['protectionOf']>[0],
): Refusal | null {
  const protection = ports.protectionOf(object);
  return protection === null ? null : { kind: 'forbidden', message: `${protection} Its workloads are not changed through this API.` };
}
