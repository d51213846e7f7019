// Stores the largest node that a workload's pods ran on in the last 30 days, for each resource separately. Present nodes are not
// enough, because a pool may be scaled to zero and back.

import type { Resources } from '#kube/records/resources';
import { DAY_MS, type DurationMs, type Instant } from '#kube/units';
import type { LargestNode, WorkloadSituation } from '../../model/situation.ts';

const RETENTION_MS: DurationMs = 30 * DAY_MS;
/** Interval at which the time of an existing node is stored. */
const REFRESH_MS: DurationMs = DAY_MS;

type NodesOfPods = Pick<WorkloadSituation, 'pods' | 'nodesOfPods'>;

/** The largest node to store; the same object where nothing has changed, null where no pod was scheduled yet. */
export function recordLargestNode({ memory, now, ...nodes }: NodesOfPods & Pick<WorkloadSituation, 'memory' | 'now'>): LargestNode | null {
  const before = memory.largestNode;
  const present = largestOfPods(nodes);
  const cpu = largest(before?.cpuMillicores, before?.cpuSeenAt, present?.cpuMillicores, now);
  const bytes = largest(before?.memoryBytes, before?.memorySeenAt, present?.memoryBytes, now);
  if (cpu === null || bytes === null) return null;
  if (before !== null && before.cpuSeenAt === cpu.at && before.memorySeenAt === bytes.at) return before;
  return { cpuMillicores: cpu.amount, cpuSeenAt: cpu.at, memoryBytes: bytes.amount, memorySeenAt: bytes.at };
}

/** The node that bounds limits: the larger of the stored one and those of the pods; before any pod ran, the largest of the cluster. */
export function boundingNode({
  memory,
  largestNode,
  ...nodes
}: NodesOfPods & Pick<WorkloadSituation, 'memory' | 'largestNode'>): Resources | null {
  return greatest(largestOfPods(nodes), memory.largestNode) ?? largestNode;
}

/** The greater amount of each resource. */
export function greatest(a: Resources | null, b: Resources | null): Resources | null {
  if (a === null || b === null) return a ?? b;
  return { cpuMillicores: Math.max(a.cpuMillicores, b.cpuMillicores), memoryBytes: Math.max(a.memoryBytes, b.memoryBytes) };
}

function largestOfPods({ pods, nodesOfPods }: NodesOfPods): Resources | null {
  const allocatables = pods.map(({ node }) => (node === null ? undefined : nodesOfPods?.get(node)));
  return allocatables.reduce<Resources | null>((most, allocatable) => greatest(most, allocatable ?? null), null);
}

function largest(
  before: number | undefined,
  seenAt: Instant | undefined,
  present: number | undefined,
  now: Instant,
): { readonly amount: number; readonly at: Instant } | null {
  const known = before === undefined || seenAt === undefined || now - seenAt >= RETENTION_MS ? null : { amount: before, at: seenAt };
  if (present === undefined || (known !== null && known.amount > present)) return known;
  return known !== null && known.amount === present && now - known.at < REFRESH_MS ? known : { amount: present, at: now };
}
