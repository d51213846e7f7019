import { namedNodes } from './node-affinity.ts';
import {
  filterDisks,
  filterFeatures,
  filterNodeAffinity,
  filterNodeName,
  filterPorts,
  filterResources,
  filterTaints,
  filterUnschedulable,
} from './node-rules.ts';
import { PodAffinity } from './pod-affinity.ts';
import { final, type Refusal } from './refusal.ts';
import type { SchedulingNode, SchedulingPod, SchedulingView } from './scheduling-model.ts';
import { SoleClaims } from './sole-claims.ts';
import { TopologySpread } from './topology-spread.ts';
import { filterVolumes } from './volume-binding.ts';
import { sortClaims, type ClaimsAnswer, type PodClaims } from './volume-claims.ts';
import { filterVolumeLimits } from './volume-limits.ts';
import { filterZones, zonesOf, type VolumeZone } from './volume-zones.ts';

/** In kube-scheduler's order: the first rule that refuses speaks. */
const NODE_RULES = [filterUnschedulable, filterNodeName, filterTaints, filterNodeAffinity, filterPorts, filterResources, filterDisks];
const NAMED_ELSEWHERE = final("node(s) didn't satisfy plugin(s) [NodeAffinity]");
const NO_CLAIMS: PodClaims = { bound: [], waiting: [], shared: [] };

/**
 * Where one pod may go, by the filters that kube-scheduler 1.36 has switched on. What concerns the whole cluster is worked
 * out once; then it is asked node by node. Sources: pkg/scheduler/framework/plugins of kubernetes v1.36.
 */
export class Feasibility {
  /** Why no node can do, whichever it is; null when nodes are worth a look. */
  readonly excluded: string | null;
  readonly #pod: SchedulingPod;
  readonly #view: SchedulingView;
  readonly #named: ReadonlySet<string> | null;
  readonly #claims: PodClaims;
  readonly #zones: readonly VolumeZone[];
  readonly #soleClaims: SoleClaims;
  readonly #spread: TopologySpread;
  readonly #affinity: PodAffinity;

  constructor(pod: SchedulingPod, view: SchedulingView) {
    this.#pod = pod;
    this.#view = view;
    this.#named = namedNodes(pod.nodeTerms);
    const answer: ClaimsAnswer = pod.claims.length === 0 ? { kind: 'claims', claims: NO_CLAIMS } : sortClaims(pod, view);
    this.excluded = whyExcluded(pod, this.#named, answer);
    this.#claims = answer.kind === 'claims' ? answer.claims : NO_CLAIMS;
    this.#zones = zonesOf(this.#claims, view.storage);
    this.#soleClaims = new SoleClaims(pod, view);
    this.#spread = new TopologySpread(pod, view);
    this.#affinity = new PodAffinity(pod, view);
  }

  /** Null when the node can take the pod. Only to be asked while `excluded` is null. */
  refusalOf(node: SchedulingNode): Refusal | null {
    if (this.#named !== null && !this.#named.has(node.name)) return NAMED_ELSEWHERE;
    for (const rule of NODE_RULES) {
      const refused = rule(this.#pod, node);
      if (refused !== null) return refused;
    }
    return (
      this.#soleClaims.filter() ??
      this.#refuseVolumes(node) ??
      this.#spread.filter(node) ??
      this.#affinity.filter(node) ??
      filterFeatures(this.#pod, node)
    );
  }

  /** What would be if a pod came to a node (1) or left it (−1); the node itself is the caller's to change. */
  update(other: SchedulingPod, node: SchedulingNode, change: 1 | -1): void {
    this.#soleClaims.update(other, change);
    this.#spread.update(other, node, change);
    this.#affinity.update(other, node, change);
  }

  #refuseVolumes(node: SchedulingNode): Refusal | null {
    const { storage } = this.#view;
    return filterVolumeLimits(this.#pod, node, storage) ?? filterVolumes(this.#claims, node, storage) ?? filterZones(this.#zones, node);
  }
}

function whyExcluded(pod: SchedulingPod, named: ReadonlySet<string> | null, claims: ClaimsAnswer): string | null {
  if (named?.size === 0) return 'pod affinity terms conflict';
  if (claims.kind === 'refused') return claims.reason;
  const [unmodelled] = pod.unmodelled;
  return unmodelled === undefined ? null : `${unmodelled} of the pod cannot be simulated`;
}
