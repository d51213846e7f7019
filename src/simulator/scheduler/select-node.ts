import {
  filterNodeAffinity,
  filterPorts,
  filterResources,
  filterTaints,
  filterUnschedulable,
  matchesNodeTerm,
  tolerates,
} from './node-filters.ts';
import { PodAffinityRules } from './pod-affinity.ts';
import { termSelects } from './pod-terms.ts';
import type { PodTerm, SchedulingNode, SchedulingPod, SchedulingView, Weighted } from './scheduling-model.ts';
import { TopologySpread } from './topology-spread.ts';

export type Placement =
  | { readonly kind: 'placed'; readonly node: SchedulingNode }
  /** `message` in the scheduler's words. */
  | { readonly kind: 'unschedulable'; readonly message: string };

const NODE_FILTERS = [filterUnschedulable, filterTaints, filterNodeAffinity, filterPorts, filterResources];

/** Filters every node, scores those left, takes the best; equal ones by name, so that the same cluster gives the same answer. */
export function selectNode(pod: SchedulingPod, view: SchedulingView): Placement {
  if (view.nodes.length === 0) return { kind: 'unschedulable', message: 'no nodes available to schedule pods' };
  const claim = view.missingClaim(pod);
  if (claim !== null) {
    return { kind: 'unschedulable', message: `0/${view.nodes.length} nodes are available: persistentvolumeclaim "${claim}" not found.` };
  }
  const affinity = new PodAffinityRules(pod, view);
  const spread = new TopologySpread(pod, view);
  const feasible: SchedulingNode[] = [];
  const reasons = new Map<string, number>();
  for (const node of view.nodes) {
    const refused = refusalOf(pod, node, view, affinity, spread);
    if (refused === null) feasible.push(node);
    else for (const reason of refused) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  let best: SchedulingNode | null = null;
  let bestScore = -Infinity;
  for (const node of feasible) {
    const score = scoreOf(pod, node, view, spread);
    if (score > bestScore || (score === bestScore && best !== null && node.name < best.name)) {
      best = node;
      bestScore = score;
    }
  }
  return best === null ? { kind: 'unschedulable', message: fitError(view.nodes.length, reasons) } : { kind: 'placed', node: best };
}

/** The first rule that refuses speaks, as in kube-scheduler's order of plug-ins; null when none does. */
function refusalOf(
  pod: SchedulingPod,
  node: SchedulingNode,
  view: SchedulingView,
  affinity: PodAffinityRules,
  spread: TopologySpread,
): readonly string[] | null {
  for (const filter of NODE_FILTERS) {
    const refused = filter(pod, node);
    if (refused !== null) return refused;
  }
  const volume = view.volumeConflict(pod, node);
  if (volume !== null) return [volume];
  return spread.filter(node) ?? affinity.filter(node);
}

function fitError(nodes: number, reasons: ReadonlyMap<string, number>): string {
  const words = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodes} nodes are available: ${words.join(', ')}.`;
}

// Weights as kube-scheduler has them where it has the plug-in; spread by owner stands in for its default constraints.
const WEIGHTS = { leastAllocated: 1, balanced: 1, ownerSpread: 2, softSpread: 2, nodeAffinity: 2, podAffinity: 2, taints: 3 };

/** Greater is better. */
function scoreOf(pod: SchedulingPod, node: SchedulingNode, view: SchedulingView, spread: TopologySpread): number {
  const cpu = shareAfter(pod, node, 'cpu');
  const memory = shareAfter(pod, node, 'memory');
  const siblings = pod.ownerUid === null ? 0 : countPods(node, (other) => other.ownerUid === pod.ownerUid);
  const untolerated = node.taints.filter((taint) => taint.effect === 'PreferNoSchedule' && !tolerates(pod.tolerations, taint)).length;
  let preferred = 0;
  for (const { weight, term } of pod.preferredNodeTerms) if (matchesNodeTerm(term, node)) preferred += weight;
  return (
    WEIGHTS.leastAllocated * 100 * (1 - (cpu + memory) / 2) +
    WEIGHTS.balanced * 100 * (1 - Math.abs(cpu - memory) / 2) -
    WEIGHTS.ownerSpread * 100 * (siblings / (siblings + 1)) -
    WEIGHTS.softSpread * 20 * spread.crowding(node) -
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

function countPods(node: SchedulingNode, matches: (pod: SchedulingPod) => boolean): number {
  let count = 0;
  for (const other of node.pods.values()) if (matches(other)) count++;
  return count;
}

/** −100 … 100: preferred affinity less preferred anti-affinity in the node's domains. */
function preferredPods(pod: SchedulingPod, node: SchedulingNode, view: SchedulingView): number {
  const sum = (terms: readonly Weighted<PodTerm>[]): number =>
    terms.reduce((total, { weight, term }) => total + (domainHas(term, pod, node, view) ? weight : 0), 0);
  return Math.max(-100, Math.min(100, sum(pod.preferredAffinity) - sum(pod.preferredAntiAffinity)));
}

function domainHas(term: PodTerm, pod: SchedulingPod, node: SchedulingNode, view: SchedulingView): boolean {
  const domain = node.labels[term.topologyKey];
  if (domain === undefined) return false;
  return view.nodes.some(
    (other) => other.labels[term.topologyKey] === domain && countPods(other, (candidate) => termSelects(term, pod, candidate, view)) > 0,
  );
}
