import { isSelectedByIncomingTerm, isSelectedByTerm } from './pod-terms.ts';
import { final, resolvable, type Refusal } from '../refusal.ts';
import type { PodTerm } from '../../pod-spec/affinity.ts';
import { labelOf, type SchedulingNode, type SchedulingPod, type SchedulingView } from '../scheduling-model.ts';

export const AFFINITY_UNMET = final("node(s) didn't match pod affinity rules");
export const ANTI_AFFINITY_VIOLATED = resolvable("node(s) didn't match pod anti-affinity rules");
export const EXISTING_ANTI_AFFINITY_VIOLATED = resolvable("node(s) didn't satisfy existing pods anti-affinity rules");

/**
 * Inter-pod affinity of one pod: counts over the cluster, then a filter for each node. Preemption updates the counts for what-if
 * evaluations.
 */
export class PodAffinity {
  readonly #pod: SchedulingPod;
  readonly #view: SchedulingView;
  /** Existing pods that match all affinity terms of the pod, by domain. */
  readonly #wanted = new DomainCounts();
  /** Existing pods that match one of its anti-affinity terms. */
  readonly #avoided = new DomainCounts();
  /** Existing pods with an anti-affinity term that matches the pod. */
  readonly #hostile = new DomainCounts();
  /** Whether the pod matches its own affinity terms, so that the first of a group may go anywhere. */
  readonly #selfMatches: boolean;

  constructor(pod: SchedulingPod, view: SchedulingView) {
    this.#pod = pod;
    this.#view = view;
    this.#selfMatches = this.#isAffinityMet(pod);
    const looksAtPods = pod.affinity.length + pod.antiAffinity.length > 0;
    for (const node of view.nodes) {
      for (const other of node.antiAffinePods.values()) this.#countHostile(other, node, 1);
      if (looksAtPods) for (const other of node.pods.values()) this.#countCompany(other, node, 1);
    }
  }

  /** Adds (1) or removes (−1) another pod on a node. */
  update(other: SchedulingPod, node: SchedulingNode, change: 1 | -1): void {
    this.#countHostile(other, node, change);
    this.#countCompany(other, node, change);
  }

  filter(node: SchedulingNode): Refusal | null {
    if (!this.#hasCompany(node)) return AFFINITY_UNMET;
    for (const { topologyKey } of this.#pod.antiAffinity) if (this.#avoided.at(topologyKey, node) > 0) return ANTI_AFFINITY_VIOLATED;
    return this.#hostile.isAffected(node) ? EXISTING_ANTI_AFFINITY_VIOLATED : null;
  }

  #hasCompany(node: SchedulingNode): boolean {
    let alone = false;
    for (const { topologyKey } of this.#pod.affinity) {
      if (labelOf(node.labels, topologyKey) === undefined) return false;
      if (this.#wanted.at(topologyKey, node) <= 0) alone = true;
    }
    return !alone || (this.#wanted.isEmpty && this.#selfMatches);
  }

  #countCompany(other: SchedulingPod, node: SchedulingNode, change: 1 | -1): void {
    if (this.#isAffinityMet(other)) for (const { topologyKey } of this.#pod.affinity) this.#wanted.add(topologyKey, node, change);
    for (const term of this.#pod.antiAffinity) if (this.#isSelected(term, other)) this.#avoided.add(term.topologyKey, node, change);
  }

  #countHostile(other: SchedulingPod, node: SchedulingNode, change: 1 | -1): void {
    const labels = this.#view.namespaceLabels(this.#pod.namespace);
    for (const term of other.antiAffinity) {
      if (isSelectedByTerm(term, other, this.#pod, labels)) this.#hostile.add(term.topologyKey, node, change);
    }
  }

  /** Whether a pod matches all affinity terms; kube-scheduler requires one pod to match all of them. */
  #isAffinityMet(other: SchedulingPod): boolean {
    return this.#pod.affinity.length > 0 && this.#pod.affinity.every((term) => this.#isSelected(term, other));
  }

  #isSelected(term: PodTerm, other: SchedulingPod): boolean {
    return isSelectedByIncomingTerm(term, this.#pod, other, this.#view.namespaceLabels(other.namespace));
  }
}

/** Count of pods by topology domain: a topology key and its value on a node. */
class DomainCounts {
  readonly #byKey = new Map<string, Map<string, number>>();

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  add(key: string, node: SchedulingNode, change: number): void {
    const value = labelOf(node.labels, key);
    if (value === undefined) return;
    let counts = this.#byKey.get(key);
    if (counts === undefined) this.#byKey.set(key, (counts = new Map<string, number>()));
    const count = (counts.get(value) ?? 0) + change;
    if (count !== 0) counts.set(value, count);
    else {
      counts.delete(value);
      if (counts.size === 0) this.#byKey.delete(key);
    }
  }

  at(key: string, node: SchedulingNode): number {
    const value = labelOf(node.labels, key);
    return value === undefined ? 0 : (this.#byKey.get(key)?.get(value) ?? 0);
  }

  /** Whether the node is in a domain with pods. */
  isAffected(node: SchedulingNode): boolean {
    for (const key of this.#byKey.keys()) if (this.at(key, node) > 0) return true;
    return false;
  }
}
