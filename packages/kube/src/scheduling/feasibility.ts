import { namedNodes } from './filters/node-affinity.ts';
import {
  filterDisks,
  filterFeatures,
  filterNodeAffinity,
  filterNodeName,
  filterPorts,
  filterResources,
  filterTaints,
  filterUnschedulable,
} from './filters/node-rules.ts';
import { PodAffinity } from './filters/pod-affinity.ts';
import { final, type Refusal } from './refusal.ts';
import type { SchedulingNode, SchedulingPod, SchedulingView } from './scheduling-model.ts';
import { SoleClaims } from './volumes/sole-claims.ts';
import { TopologySpread } from './filters/topology-spread.ts';
import { filterVolumes } from './volumes/volume-binding.ts';
import { sortClaims, type ClaimsAnswer, type PodClaims } from './volumes/volume-claims.ts';
import { filterVolumeLimits } from './volumes/volume-limits.ts';
import { filterZones, zonesOf, type VolumeZone } from './volumes/volume-zones.ts';

/** Node filters in kube-scheduler's order; the first refusal is reported. */
const NODE_RULES = [filterUnschedulable, filterNodeName, filterTaints, filterNodeAffinity, filterPorts, filterResources, filterDisks];
const NAMED_ELSEWHERE = final("node(s) didn't satisfy plugin(s) [NodeAffinity]");
const NO_CLAIMS: PodClaims = { bound: [], waiting: [], shared: [] };

/**
 * Feasible nodes of one pod by the default filters of kube-scheduler 1.36. Cluster-wide state is computed once (PreFilter), then
 * each node is filtered. Source: pkg/scheduler/framework/plugins of kubernetes v1.36.
 */
export class Feasibility {
  /** Why every node is infeasible; null: nodes need to be filtered. */
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
    this.excluded = findExclusionReason(pod, this.#named, answer);
    this.#claims = answer.kind === 'claims' ? answer.claims : NO_CLAIMS;
    this.#zones = zonesOf(this.#claims, view.storage);
    this.#soleClaims = new SoleClaims(pod, view);
    this.#spread = new TopologySpread(pod, view);
    this.#affinity = new PodAffinity(pod, view);
  }

  /** Why a node is infeasible; null: it is feasible. Only valid while `excluded` is null. */
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

  /** Adds (1) or removes (−1) another pod on a node in the cluster-wide state; the caller changes the node. */
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

function findExclusionReason(pod: SchedulingPod, named: ReadonlySet<string> | null, claims: ClaimsAnswer): string | null {
  if (named?.size === 0) return 'pod affinity terms conflict';
  if (claims.kind === 'refused') return claims.reason;
  const [unmodelled] = pod.unmodelled;
  return unmodelled === undefined ? null : `${unmodelled} of the pod cannot be simulated`;
}
