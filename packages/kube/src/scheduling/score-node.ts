import { isNodeTermMet } from './filters/node-affinity.ts';
import { isTolerated } from './filters/node-rules.ts';
import { isSelectedByIncomingTerm } from './filters/pod-terms.ts';
import type { PodTerm, Weighted } from '../pod-spec/affinity.ts';
import { labelOf, type SchedulingNode, type SchedulingPod, type SchedulingView } from './scheduling-model.ts';
import type { SoftSpread } from './filters/soft-spread.ts';

// Weights of kube-scheduler's score plugins; spreading by owner replaces its default constraints.
const WEIGHTS = { minAllocated: 1, balanced: 1, ownerSpread: 2, softSpread: 2, nodeAffinity: 2, podAffinity: 2, taints: 3 };

/** What the score of a node depends on. */
export interface ScoreParts {
  /** Shares of allocatable that are requested with the pod, 0 to 1. */
  readonly cpuShare: number;
  readonly memoryShare: number;
  /** Pods of the same owner on the node. */
  readonly siblings: number;
  /** Pods above the minimum domain, summed over the soft spread constraints. */
  readonly softSpread: number;
  readonly hasUntoleratedPreference: boolean;
  /** Sum of the weights of matching preferred node terms. */
  readonly nodeTermWeight: number;
  /** Weights of met preferred affinity minus those of preferred anti-affinity. */
  readonly podTermWeight: number;
}

/** Score of a feasible node; higher is better. */
export function scoreNode(pod: SchedulingPod, node: SchedulingNode, view: SchedulingView, spread: SoftSpread): number {
  return combineScore({
    cpuShare: shareOf(pod, node, 'cpu'),
    memoryShare: shareOf(pod, node, 'memory'),
    siblings: pod.ownerUid === null ? 0 : countPods(node, (other) => other.ownerUid === pod.ownerUid),
    softSpread: spread.countMatchingPods(node),
    hasUntoleratedPreference: hasUntoleratedPreference(pod, node),
    nodeTermWeight: sumNodeTermWeights(pod, node),
    podTermWeight: sumPodTermWeights(pod, node, view),
  });
}

/** The score of the parts. */
export function combineScore(parts: ScoreParts): number {
  const { cpuShare: cpu, memoryShare: memory, siblings } = parts;
  return (
    WEIGHTS.minAllocated * 100 * (1 - (cpu + memory) / 2) +
    WEIGHTS.balanced * 100 * (1 - Math.abs(cpu - memory) / 2) -
    WEIGHTS.ownerSpread * 100 * (siblings / (siblings + 1)) -
    WEIGHTS.softSpread * 20 * parts.softSpread -
    WEIGHTS.taints * 100 * Number(parts.hasUntoleratedPreference) +
    WEIGHTS.nodeAffinity * Math.min(100, parts.nodeTermWeight) +
    WEIGHTS.podAffinity * Math.max(-100, Math.min(100, parts.podTermWeight))
  );
}

/** Share of an allocatable amount that is requested with the pod, 0 to 1; 1 without any. */
export function shareAfter(requested: number, request: number, allocatable: number): number {
  return allocatable <= 0 ? 1 : Math.min(1, (requested + request) / allocatable);
}

/** Whether the node has a PreferNoSchedule taint that the pod does not tolerate. */
export function hasUntoleratedPreference(pod: SchedulingPod, node: SchedulingNode): boolean {
  return node.taints.some((taint) => taint.effect === 'PreferNoSchedule' && !isTolerated(pod.tolerations, taint));
}

/** Sum of the weights of the preferred node terms that the node matches. */
export function sumNodeTermWeights(pod: SchedulingPod, node: SchedulingNode): number {
  return pod.preferredNodeTerms.reduce((sum, { weight, term }) => (isNodeTermMet(term, node) ? sum + weight : sum), 0);
}

function shareOf(pod: SchedulingPod, node: SchedulingNode, resource: string): number {
  return shareAfter(node.requested.get(resource) ?? 0, pod.requests.get(resource) ?? 0, node.allocatable.get(resource) ?? 0);
}

function countPods(node: SchedulingNode, isCounted: (pod: SchedulingPod) => boolean): number {
  let count = 0;
  for (const other of node.pods.values()) if (isCounted(other)) count++;
  return count;
}

/** Preferred affinity minus preferred anti-affinity in the node's domains. */
function sumPodTermWeights(pod: SchedulingPod, node: SchedulingNode, view: SchedulingView): number {
  const sum = (terms: readonly Weighted<PodTerm>[]): number =>
    terms.reduce((total, { weight, term }) => total + (hasMatchInDomain(term, pod, node, view) ? weight : 0), 0);
  return sum(pod.preferredAffinity) - sum(pod.preferredAntiAffinity);
}

function hasMatchInDomain(term: PodTerm, pod: SchedulingPod, node: SchedulingNode, view: SchedulingView): boolean {
  const domain = labelOf(node.labels, term.topologyKey);
  if (domain === undefined) return false;
  const isSelected = (other: SchedulingPod): boolean => isSelectedByIncomingTerm(term, pod, other, view.namespaceLabels(other.namespace));
  return view.nodes.some((other) => labelOf(other.labels, term.topologyKey) === domain && countPods(other, isSelected) > 0);
}
