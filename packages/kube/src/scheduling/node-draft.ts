import type { Amounts } from '../amounts.ts';
import type { SchedulingNode, SchedulingPod } from './scheduling-model.ts';

/** A copy of a node whose pods can be changed, for what-if evaluations. */
export class NodeDraft implements SchedulingNode {
  readonly name: string;
  readonly labels: SchedulingNode['labels'];
  readonly taints: SchedulingNode['taints'];
  readonly unschedulable: boolean;
  readonly allocatable: Amounts;
  readonly declaredFeatures: ReadonlySet<string>;
  readonly pods: Map<string, SchedulingPod>;
  readonly antiAffinePods: Map<string, SchedulingPod>;
  readonly requested: Map<string, number>;

  constructor(node: SchedulingNode) {
    this.name = node.name;
    this.labels = node.labels;
    this.taints = node.taints;
    this.unschedulable = node.unschedulable;
    this.allocatable = node.allocatable;
    this.declaredFeatures = node.declaredFeatures;
    this.pods = new Map(node.pods);
    this.antiAffinePods = new Map(node.antiAffinePods);
    this.requested = new Map(node.requested);
  }

  add(pod: SchedulingPod): void {
    this.pods.set(pod.uid, pod);
    if (pod.antiAffinity.length > 0) this.antiAffinePods.set(pod.uid, pod);
    this.#request(pod, 1);
  }

  remove(pod: SchedulingPod): void {
    this.pods.delete(pod.uid);
    this.antiAffinePods.delete(pod.uid);
    this.#request(pod, -1);
  }

  #request(pod: SchedulingPod, change: 1 | -1): void {
    for (const [resource, amount] of pod.requests) this.requested.set(resource, (this.requested.get(resource) ?? 0) + change * amount);
  }
}
