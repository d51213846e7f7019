// A cluster of the object rules whose nodes and pods change: the reference for the columnar one.

import { NodeDraft } from '#kube/scheduling/node-draft';
import type { SchedulingNode, SchedulingPod, SchedulingView } from '#kube/scheduling/scheduling-model';

/** Copies of the nodes of a view, with the pods that the test puts there. */
export class ObjectCluster {
  readonly #view: SchedulingView;
  readonly #nodes = new Map<string, NodeDraft>();

  constructor(view: SchedulingView) {
    this.#view = view;
    for (const node of view.nodes) this.#nodes.set(node.name, new NodeDraft(node));
  }

  /** The cluster as it is now. @param without a node that is left out */
  view(without: string | null = null): SchedulingView {
    const { storage } = this.#view;
    const nodes = [...this.#nodes.values()].filter(({ name }) => name !== without);
    return { nodes, storage, namespaceLabels: (name) => this.#view.namespaceLabels(name) };
  }

  node(name: string): NodeDraft {
    const found = this.#nodes.get(name);
    if (found === undefined) throw new Error(`no node ${name}`);
    return found;
  }

  names(): readonly string[] {
    return [...this.#nodes.keys()];
  }

  /** Adds or replaces a node; its pods stay. */
  set(node: SchedulingNode): void {
    const pods = this.#nodes.get(node.name)?.pods ?? new Map<string, SchedulingPod>();
    const draft = new NodeDraft({ ...node, pods: new Map(), antiAffinePods: new Map(), requested: new Map() });
    for (const pod of pods.values()) draft.add(pod);
    this.#nodes.set(node.name, draft);
  }

  delete(name: string): void {
    this.#nodes.delete(name);
  }
}
