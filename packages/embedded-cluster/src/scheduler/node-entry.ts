import { readWholeAmounts } from '#kube/amounts';
import type { Taint } from '#kube/records/node';
import type { SchedulingNode, SchedulingPod } from '#kube/scheduling/scheduling-model';
import type { KubeObject } from '../api/kube-object.ts';

interface WireNode {
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly taints?: readonly { key: string; value?: string; effect: Taint['effect'] }[];
  };
  readonly status?: {
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly capacity?: Readonly<Record<string, string>>;
    readonly declaredFeatures?: readonly string[];
  };
}

/** A node with its pods; sums are kept up to date, not recomputed. */
export class NodeEntry implements SchedulingNode {
  readonly name: string;
  readonly pods = new Map<string, SchedulingPod>();
  readonly antiAffinePods = new Map<string, SchedulingPod>();
  readonly requested = new Map<string, number>();
  labels: Readonly<Record<string, string>> = {};
  taints: readonly Taint[] = [];
  unschedulable = false;
  allocatable: ReadonlyMap<string, number> = new Map();
  declaredFeatures: ReadonlySet<string> = new Set();

  constructor(name: string) {
    this.name = name;
  }

  /** Applies the Node object. Returns true when pods that did not fit before may fit now. */
  update(object: KubeObject): boolean {
    const before = this.#schedulingState();
    const { spec, status } = object as unknown as WireNode;
    this.labels = object.metadata.labels ?? {};
    this.taints = (spec?.taints ?? []).map(({ key, value, effect }) => ({ key, value: value ?? '', effect }));
    this.unschedulable = spec?.unschedulable ?? false;
    // Without `allocatable` the whole capacity counts.
    this.allocatable = readWholeAmounts(status?.allocatable ?? status?.capacity ?? {});
    this.declaredFeatures = new Set(status?.declaredFeatures);
    return before !== this.#schedulingState();
  }

  add(pod: SchedulingPod): void {
    this.remove(pod.uid);
    this.pods.set(pod.uid, pod);
    if (pod.antiAffinity.length > 0) this.antiAffinePods.set(pod.uid, pod);
    for (const [resource, amount] of pod.requests) this.requested.set(resource, (this.requested.get(resource) ?? 0) + amount);
  }

  /** The removed pod, if it was there. */
  remove(uid: string): SchedulingPod | undefined {
    const pod = this.pods.get(uid);
    if (pod === undefined) return undefined;
    this.pods.delete(uid);
    this.antiAffinePods.delete(uid);
    for (const [resource, amount] of pod.requests) this.requested.set(resource, (this.requested.get(resource) ?? 0) - amount);
    return pod;
  }

  #schedulingState(): string {
    return JSON.stringify([this.labels, this.taints, this.unschedulable, [...this.allocatable], [...this.declaredFeatures]]);
  }
}
