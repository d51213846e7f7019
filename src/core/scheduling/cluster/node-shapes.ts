import type { SchedulingNode } from '#kube/scheduling/scheduling-model';
import { labelOf } from '#kube/scheduling/scheduling-model';
import { grownInts } from '../columns/shared-arrays.ts';
import type { NodeColumns } from '../columns/snapshot-columns.ts';

/** A label with more values is no part of a shape: rules that read it are evaluated for each node. */
const MAX_VALUES = 64;

/**
 * Shapes of nodes: taints, cordon, declared features and the labels that rules read. All nodes of a shape have the same answer to a
 * static rule.
 */
export class NodeShapes {
  /** A node of each shape. */
  readonly shapes: SchedulingNode[] = [];
  /** By index, without pods; null: the index is free. */
  readonly nodes: (SchedulingNode | null)[] = [];
  readonly #columns: NodeColumns;
  readonly #onShape: (shape: number, node: SchedulingNode) => void;
  readonly #byText = new Map<string, number>();
  readonly #labelKeys = new Set<string>();
  readonly #identityKeys = new Set<string>();

  constructor(columns: NodeColumns, onShape: (shape: number, node: SchedulingNode) => void) {
    this.#columns = columns;
    this.#onShape = onShape;
  }

  /** Whether a label is no part of shapes, because too many values are in use. */
  isIdentity(key: string): boolean {
    return this.#identityKeys.has(key);
  }

  /** Makes labels a part of shapes. */
  readLabels(keys: readonly string[]): void {
    const added = keys.filter((key) => !this.#labelKeys.has(key) && !this.#identityKeys.has(key));
    if (added.length === 0) return;
    for (const key of added) (this.#hasManyValues(key) ? this.#identityKeys : this.#labelKeys).add(key);
    this.shapes.length = 0;
    this.#byText.clear();
    for (const [index, node] of this.nodes.entries()) if (node !== null) this.#assign(index, node);
  }

  /** Sets the node of an index. */
  set(index: number, node: SchedulingNode): void {
    this.nodes[index] = node;
    this.#columns.shape = grownInts(this.#columns.shape, index + 1);
    this.#assign(index, node);
  }

  clear(index: number): void {
    this.nodes[index] = null;
  }

  #assign(index: number, node: SchedulingNode): void {
    const labels = [...this.#labelKeys].map((key) => labelOf(node.labels, key) ?? null);
    const text = JSON.stringify([labels, node.taints, node.unschedulable, [...node.declaredFeatures]]);
    let shape = this.#byText.get(text);
    if (shape === undefined) {
      shape = this.shapes.length;
      this.#byText.set(text, shape);
      this.shapes.push(node);
      this.#onShape(shape, node);
    }
    this.#columns.shape[index] = shape;
  }

  #hasManyValues(key: string): boolean {
    const values = new Set<string>();
    for (const node of this.nodes) {
      const value = node === null ? undefined : labelOf(node.labels, key);
      if (value !== undefined) values.add(value);
    }
    return values.size > MAX_VALUES;
  }
}
