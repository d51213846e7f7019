import { isNodeTermMet } from './filters/node-affinity.ts';
import { isTolerated } from './filters/node-rules.ts';
import { isSelectedByIncomingTerm } from './filters/pod-terms.ts';
import type { PodTerm, Weighted } from '../pod-spec/affinity.ts';
import { labelOf, type SchedulingNode, type SchedulingPod, type SchedulingView } from './scheduling-model.ts';
import type { SoftSpread } from './filters/soft-spread.ts';

// Weights of kube-scheduler's score plugins; spreading by owner replaces its default constraints.
const WEIGHTS = { minAllocated: 1, balanced: 1, ownerSpread: 2, softSpread: 2, nodeAffinity: 2, podAffinity: 2, taints: 3 };

/** Score of a feasible node; higher is better. */
export function scoreNode(pod: SchedulingPod, node: SchedulingNode, view: SchedulingView, spread: SoftSpread): number {
  const cpu = shareAfter(pod, node, 'cpu');
  const memory = shareAfter(pod, node, 'memory');
  const siblings = pod.ownerUid === null ? 0 : countPods(node, (other) => other.ownerUid === pod.ownerUid);
  const untolerated = node.taints.filter((taint) => taint.effect === 'PreferNoSchedule' && !isTolerated(pod.tolerations, taint)).length;
  let preferred = 0;
  for (const { weight, term } of pod.preferredNodeTerms) if (isNodeTermMet(term, node)) preferred += weight;
  return (
    WEIGHTS.minAllocated * 100 * (1 - (cpu + memory) / 2) +
    WEIGHTS.balanced * 100 * (1 - Math.abs(cpu - memory) / 2) -
    WEIGHTS.ownerSpread * 100 * (siblings / (siblings + 1)) -
    WEIGHTS.softSpread * 20 * spread.countMatchingPods(node) -
    WEIGHTS.taints * 100 * Number(untolerated > 0) +
    WEIGHTS.nodeAffinity * Math.min(100, preferred) +
    WEIGHTS.podAffinity * preferredPods(pod, node, view)
  );
}

function shareAfter(pod: SchedulingPod, node: SchedulingNode, resource: string): number {
  const allocatable = node.allocatable.get(resource) ?? 0;
  if (allocatable <= 0) return 1;
  return Math.min(1, ((node.requested.get(resource) ?? 0) + (pod.requests.get(resource) ?? 0)) / allocatable);
}

function countPods(node: SchedulingNode, isCounted: (pod: SchedulingPod) => boolean): number {
  let count = 0;
  for (const other of node.pods.values()) if (isCounted(other)) count++;
  return count;
}

/** Preferred affinity minus preferred anti-affinity in the node's domains, −100 to 100. */
function preferredPods(pod: SchedulingPod, node: SchedulingNode, view: SchedulingView): number {
  const sum = (terms: readonly Weighted<PodTerm>[]): number =>
    terms.reduce((total, { weight, term }) => total + (hasMatchInDomain(term, pod, node, view) ? weight : 0), 0);
  return Math.max(-100, Math.min(100, sum(pod.preferredAffinity) - sum(pod.preferredAntiAffinity)));
}

function hasMatchInDomain(term: PodTerm, pod: SchedulingPod, node: SchedulingNode, view: SchedulingView): boolean {
  const domain = labelOf(node.labels, term.topologyKey);
  if (domain === undefined) return false;
  const isSelected = (other: SchedulingPod): boolean => isSelectedByIncomingTerm(term, pod, other, view.namespaceLabels(other.namespace));
  return view.nodes.some((other) => labelOf(other.labels, term.topologyKey) === domain && countPods(other, isSelected) > 0);
}
