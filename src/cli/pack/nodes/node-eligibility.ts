import type { SchedulingRules } from '#kube/pod-spec/scheduling-rules';
import { type FixedShape, nodeKindOf } from '../../../core/packing-rules/fix-nodes.ts';
import { isEveryTaintTolerated, isNodeSelected } from '../../../core/packing-rules/eligible-shapes.ts';

/** Rules of a pod that labels and taints of a node are held against; null: a pod without rules. */
export type NodeRules = Pick<SchedulingRules, 'nodeSelector' | 'nodeTerms' | 'tolerations'> | null;

/** Which fixed nodes pods may be added to. Answers are computed once for pods and nodes that are alike. */
export class NodeEligibility {
  readonly #shapes: readonly { readonly shape: FixedShape; readonly kind: string }[];
  readonly #answers = new Map<string, ReadonlyMap<string, boolean>>();

  constructor(shapes: readonly FixedShape[]) {
    this.#shapes = shapes.map((shape) => ({ shape, kind: nodeKindOf(shape) }));
  }

  /** Names of the shapes. @param group of the pod; null: none */
  shapesFor(rules: NodeRules, group: string | null): string[] {
    const key = rules === null ? '' : JSON.stringify([rules.nodeSelector, rules.nodeTerms, rules.tolerations]);
    const known = this.#answers.get(key) ?? this.#answersFor(rules);
    this.#answers.set(key, known);
    return this.#shapes
      .filter(({ shape, kind }) => known.get(kind) === true && (group === null || !shape.groups.includes(group)))
      .map(({ shape }) => shape.name);
  }

  #answersFor(rules: NodeRules): ReadonlyMap<string, boolean> {
    return new Map(this.#shapes.map(({ shape, kind }) => [kind, isAllowedOn(rules, shape)]));
  }
}

function isAllowedOn(rules: NodeRules, { labels, taints }: FixedShape): boolean {
  const { nodeSelector, nodeTerms, tolerations } = rules ?? { nodeSelector: {}, nodeTerms: null, tolerations: [] };
  return isNodeSelected({ nodeSelector, nodeTerms }, labels) && isEveryTaintTolerated(tolerations, taints);
}
