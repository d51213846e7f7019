// Proves a packing by the filters of kube-scheduler: for each pod, whether the scheduler would take it on its node if it came last, with all
// others where the packing has them. The search has no part in it; the caller states which DaemonSets run on a shape, and which claims are
// known. Pods are interned by what the filters read of them, and nodes by their shape and pods, so that equal questions are asked once.

import type { Amounts } from '#kube/amounts';
import type { Labels } from '#kube/label-selector';
import type { Taint } from '#kube/records/node';
import { isLabelSelectorMatch } from '#kube/match-labels';
import { Feasibility } from '#kube/scheduling/feasibility';
import { NodeDraft } from '#kube/scheduling/node-draft';
import type { SchedulingNode, SchedulingPod, SchedulingView } from '#kube/scheduling/scheduling-model';
import type { StorageView } from '#kube/scheduling/volumes/storage-model';

/** A shape of nodes as kube-scheduler sees it. */
export interface ProofShape {
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly allocatable: Amounts;
  /** Pods that run on each node of the shape, by kind. */
  readonly daemons: readonly number[];
}

/** A node of the packing. */
export interface ProofNode {
  readonly name: string;
  readonly shape: number;
  /** Kind of each pod, in any order. */
  readonly kinds: readonly number[];
}

export interface Placement {
  /** What the filters read of a pod, one for each kind of equal pods. Their names are unique. */
  readonly kinds: readonly SchedulingPod[];
  readonly shapes: readonly ProofShape[];
  readonly nodes: readonly ProofNode[];
  readonly storage: StorageView;
}

/** A pod that kube-scheduler would refuse on its node. */
export interface RefusedPod {
  readonly kind: number;
  readonly node: string;
  readonly reasons: readonly string[];
}

const HOSTNAME = 'kubernetes.io/hostname';
/** Refusals after which the proof ends: one is a fault of this program. */
const MAX_REFUSED = 10;

/** The first pods that kube-scheduler would refuse; none: the packing is proven. */
export function provePlacement(placement: Placement): RefusedPod[] {
  const proof = new Proof(placement);
  const refused: RefusedPod[] = [];
  for (const [kind, nodes] of questionsOf(placement)) {
    for (const refusal of proof.refusals(kind, nodes)) {
      refused.push(refusal);
      if (refused.length >= MAX_REFUSED) return refused;
    }
  }
  return refused;
}

/** Nodes by kind on which a pod of that kind is to be proven. Equal nodes answer equally, whatever else there is in the cluster. */
function questionsOf({ kinds, nodes }: Placement): Map<number, number[]> {
  const asked = new Set<string>();
  const questions = new Map<number, number[]>();
  nodes.forEach((node, at) => {
    const content = `${node.shape}:${[...node.kinds].sort((a, b) => a - b).join(',')}`;
    if (asked.has(content)) return;
    asked.add(content);
    for (const kind of new Set(node.kinds)) {
      if (kinds[kind] === undefined) throw new RangeError(`pod kind ${kind} is not in the list`);
      const known = questions.get(kind);
      if (known === undefined) questions.set(kind, [at]);
      else known.push(at);
    }
  });
  return questions;
}

/** Asks the filters for a pod of a kind on some nodes, each time without one pod of it there. */
class Proof {
  readonly #kinds: readonly SchedulingPod[];
  readonly #storage: StorageView;
  /** With all of their pods. */
  readonly #nodes: readonly NodeDraft[];
  /** The same without pods: what the filters read of the cluster begins with them. */
  readonly #emptyNodes: readonly SchedulingNode[];
  /** Nodes that have a pod of a kind, with the number of pods. */
  readonly #placesOf: readonly ReadonlyMap<number, number>[];
  readonly #allKinds: readonly number[];
  /** Kinds whose rules concern pods that have none. */
  readonly #antiAffineKinds: readonly number[];

  constructor({ kinds, shapes, nodes, storage }: Placement) {
    this.#kinds = kinds;
    this.#storage = storage;
    this.#emptyNodes = nodes.map(({ name, shape }) => emptyNode(name, shapes[shape]));
    const placesOf = kinds.map(() => new Map<number, number>());
    this.#nodes = nodes.map(({ kinds: placed, shape }, at) => {
      const all = [...(shapes[shape]?.daemons ?? []), ...placed];
      for (const kind of all) placesOf[kind]?.set(at, (placesOf[kind].get(at) ?? 0) + 1);
      return this.#filled(this.#emptyNodes[at], all);
    });
    this.#placesOf = placesOf;
    this.#allKinds = [...kinds.keys()];
    this.#antiAffineKinds = this.#allKinds.filter((kind) => (kinds[kind]?.antiAffinity.length ?? 0) > 0);
  }

  *refusals(kind: number, nodes: readonly number[]): Generator<RefusedPod> {
    const pod = this.#kinds[kind];
    if (pod === undefined) return;
    const feasibility = new Feasibility(pod, this.#viewFor(pod));
    for (const at of nodes) {
      const node = this.#nodes[at];
      const placed = node === undefined ? undefined : [...node.pods.values()].find((each) => each.name === pod.name);
      if (node === undefined || placed === undefined) continue;
      feasibility.update(placed, node, -1);
      node.remove(placed);
      const reasons = feasibility.excluded === null ? feasibility.refusalOf(node)?.reasons : [feasibility.excluded];
      node.add(placed);
      feasibility.update(placed, node, 1);
      if (reasons !== undefined) yield { kind, node: node.name, reasons };
    }
  }

  /**
   * The cluster with the pods that rules of the pod select, or whose rules select it. No filter counts others, and nodes without pods count
   * for hard spreads alone.
   */
  #viewFor(pod: SchedulingPod): SchedulingView {
    const added = new Map<number, number[]>();
    for (const kind of readsOtherPods(pod) ? this.#allKinds : this.#antiAffineKinds) {
      const other = this.#kinds[kind];
      if (other === undefined || !areRelated(pod, other)) continue;
      for (const [at, count] of this.#placesOf[kind] ?? []) {
        const known = added.get(at) ?? [];
        added.set(at, known);
        for (let copy = 0; copy < count; copy += 1) known.push(kind);
      }
    }
    const filled = new Map([...added].map(([at, kinds]) => [at, this.#filled(this.#emptyNodes[at], kinds)] as const));
    const isSpread = pod.spread.some(({ hard }) => hard);
    const nodes = isSpread ? this.#emptyNodes.map((node, at) => filled.get(at) ?? node) : [...filled.values()];
    return { nodes, storage: this.#storage, namespaceLabels: () => ({}) };
  }

  #filled(node: SchedulingNode | undefined, kinds: readonly number[]): NodeDraft {
    if (node === undefined) throw new RangeError('a node is not in the list');
    const draft = new NodeDraft(node);
    kinds.forEach((kind, at) => {
      const pod = this.#kinds[kind];
      if (pod === undefined) throw new RangeError(`pod kind ${kind} is not in the list`);
      draft.add({ ...pod, uid: String(at) });
    });
    return draft;
  }
}

function emptyNode(name: string, shape: ProofShape | undefined): SchedulingNode {
  if (shape === undefined) throw new RangeError(`the shape of node ${name} is not in the list`);
  return {
    name,
    labels: { ...shape.labels, [HOSTNAME]: name },
    taints: shape.taints,
    unschedulable: false,
    allocatable: shape.allocatable,
    declaredFeatures: new Set(),
    pods: new Map(),
    antiAffinePods: new Map(),
    requested: new Map(),
  };
}

/** Whether the filters of a pod read other pods, besides those with anti-affinity. */
function readsOtherPods({ affinity, antiAffinity, spread, claims }: SchedulingPod): boolean {
  return affinity.length + antiAffinity.length + spread.length + claims.length > 0;
}

/** Whether a rule of one pod may select the other, in whatever namespace, or both mount a claim. */
function areRelated(pod: SchedulingPod, other: SchedulingPod): boolean {
  const selectors = [...pod.affinity, ...pod.antiAffinity, ...pod.spread].map(({ selector }) => selector);
  if (selectors.some((selector) => selector !== null && isLabelSelectorMatch(selector, other.labels))) return true;
  if (other.antiAffinity.some(({ selector }) => selector !== null && isLabelSelectorMatch(selector, pod.labels))) return true;
  return pod.claims.some(({ name }) => other.claims.some((claim) => claim.name === name));
}
