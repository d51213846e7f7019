import { DRAINING_TAINT } from '../../apis/annotations.ts';
import type { Node } from '../../apis/http/types.generated.ts';
import type { NodeRecord } from '#kube/records/node';
import { MINUTE_MS, type Instant } from '#kube/units';

/** A node that is not ready this long after its creation has failed to start. */
const BOOTSTRAP_MS = 15 * MINUTE_MS;

/** Taints by which providers and their handlers announce the termination of a spot node. */
const INTERRUPTION_TAINTS: ReadonlySet<string> = new Set([
  'cloud.google.com/impending-node-termination',
  'aws-node-termination-handler/spot-itn',
  'karpenter.sh/interruption',
  'node.cloudprovider.kubernetes.io/shutdown',
]);

/** When a node's phase changes without a change of the node; infinity where it does not. */
export function phaseUntil(node: NodeRecord, now: Instant): Instant {
  return nodePhase(node, now) === 'bootstrapping' ? node.createdAt + BOOTSTRAP_MS : Number.POSITIVE_INFINITY;
}

/** The phase of a node's life cycle; the latest applicable one. */
export function nodePhase(node: NodeRecord, now: Instant): Node['phase'] {
  if (node.deletionAt !== null) return 'deleting';
  if (node.taints.some((taint) => INTERRUPTION_TAINTS.has(taint.key))) return 'interrupted';
  if (node.taints.some((taint) => taint.key === DRAINING_TAINT || taint.key === 'karpenter.sh/disrupted')) return 'draining';
  if (node.unschedulable) return 'cordoned';
  if (!node.ready && now - node.createdAt < BOOTSTRAP_MS) return 'bootstrapping';
  return 'ready';
}
