import { NodeDraft } from '#kube/scheduling/node-draft';
import type { SchedulingNode, SchedulingPod, SchedulingView } from '#kube/scheduling/scheduling-model';

/** Nominated nodes of pods whose victims are being deleted, until those pods are bound. */
export class Nominations {
  readonly #byPod = new Map<string, { readonly pod: SchedulingPod; readonly node: string }>();

  set(pod: SchedulingPod, node: string): void {
    this.#byPod.set(pod.uid, { pod, node });
  }

  clear(uid: string): void {
    this.#byPod.delete(uid);
  }

  nodeOf(uid: string): string | null {
    return this.#byPod.get(uid)?.node ?? null;
  }

  /** Reason why a pod must not preempt again: its victims are still terminating. */
  findWaitingReason({ uid, priority }: SchedulingPod, nodes: ReadonlyMap<string, SchedulingNode>): string | null {
    const node = nodes.get(this.nodeOf(uid) ?? '');
    if (node === undefined) return null;
    for (const other of node.pods.values()) {
      if (other.terminating && other.priority < priority) return 'not eligible due to a terminating pod on the nominated node.';
    }
    return null;
  }

  /** The cluster as a pod may use it: nominations of pods with at least its priority count as occupied. */
  keepPlaces(pod: SchedulingPod, view: SchedulingView): SchedulingView {
    const kept = [...this.#byPod.values()].filter((each) => each.pod.uid !== pod.uid && each.pod.priority >= pod.priority);
    if (kept.length === 0) return view;
    const nodes = view.nodes.map((node) => {
      const coming = kept.filter((each) => each.node === node.name);
      if (coming.length === 0) return node;
      const draft = new NodeDraft(node);
      for (const each of coming) draft.add(each.pod);
      return draft;
    });
    return { ...view, nodes };
  }
}
