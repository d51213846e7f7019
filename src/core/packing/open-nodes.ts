import { mergeNodes, type Packing } from './packing.ts';
import { RESOURCE_COUNT, type PackingProblem } from './packing-problem.ts';

/** Nodes that pods are placed on one class after the other, in columns. */
export class OpenNodes {
  readonly #problem: PackingProblem;
  readonly #shapes: number[] = [];
  readonly #used: Int32Array;
  /** [node * R + resource]; grows by doubling. */
  #free = new Float64Array(64 * RESOURCE_COUNT);
  /** Class and count in turn, by node. */
  readonly #pods: number[][] = [];

  constructor(problem: PackingProblem) {
    this.#problem = problem;
    this.#used = new Int32Array(problem.machineTypes.length);
  }

  get count(): number {
    return this.#shapes.length;
  }

  /** Whether one more node of the shape may be opened. */
  canOpen(shape: number): boolean {
    return this.openLimit(shape) > 0;
  }

  /** Nodes of the shape that may still be opened. */
  openLimit(shape: number): number {
    return (this.#problem.maxNodes[shape] ?? 0) - (this.#used[shape] ?? 0);
  }

  /** Adds all nodes of another list. */
  append(others: OpenNodes): void {
    others.#shapes.forEach((shape, other) => {
      const node = this.open(shape);
      const pods = others.#pods[other] ?? [];
      for (let at = 0; at < pods.length; at += 2) this.place(node, pods[at] ?? 0, pods[at + 1] ?? 0);
    });
  }

  /** Opens an empty node. Returns its index. */
  open(shape: number): number {
    const node = this.#shapes.length;
    if ((node + 1) * RESOURCE_COUNT > this.#free.length) {
      const grown = new Float64Array(this.#free.length * 2);
      grown.set(this.#free);
      this.#free = grown;
    }
    for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
      this.#free[node * RESOURCE_COUNT + resource] = this.#problem.capacities[shape * RESOURCE_COUNT + resource] ?? 0;
    }
    this.#shapes.push(shape);
    this.#pods.push([]);
    this.#used[shape] = (this.#used[shape] ?? 0) + 1;
    return node;
  }

  /** Pods of a class that still fit on a node, at most `wanted`. */
  roomFor(node: number, podClass: number, wanted: number): number {
    const { requests, mostPerNode, machineTypes, groupOf, groupLimits } = this.#problem;
    let room = Math.min(wanted, mostPerNode[podClass * machineTypes.length + (this.#shapes[node] ?? 0)] ?? 0);
    for (let resource = 0; resource < RESOURCE_COUNT && room > 0; resource += 1) {
      const request = requests[podClass * RESOURCE_COUNT + resource] ?? 0;
      if (request > 0) {
        const free = this.#free[node * RESOURCE_COUNT + resource] ?? 0;
        if (request * room > free) room = Math.floor(free / request);
      }
    }
    const group = groupOf[podClass] ?? -1;
    return group < 0 || room <= 0 ? room : Math.min(room, (groupLimits[group] ?? 0) - this.#podsOfGroup(node, group));
  }

  /** Places pods on a node. The caller has checked `roomFor`. */
  place(node: number, podClass: number, count: number): void {
    for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
      const at = node * RESOURCE_COUNT + resource;
      this.#free[at] = (this.#free[at] ?? 0) - (this.#problem.requests[podClass * RESOURCE_COUNT + resource] ?? 0) * count;
    }
    this.#pods[node]?.push(podClass, count);
  }

  /** The nodes with a pod on them. */
  toPacking(): Packing {
    const nodes = this.#pods.flatMap((pods, node) => {
      if (pods.length === 0) return [];
      const counts = new Map<number, number>();
      for (let at = 0; at < pods.length; at += 2) {
        const podClass = pods[at] ?? 0;
        counts.set(podClass, (counts.get(podClass) ?? 0) + (pods[at + 1] ?? 0));
      }
      const sorted = [...counts].sort(([a], [b]) => a - b);
      return [
        {
          shape: this.#shapes[node] ?? 0,
          classes: sorted.map(([podClass]) => podClass),
          counts: sorted.map(([, count]) => count),
          copies: 1,
        },
      ];
    });
    return mergeNodes(nodes);
  }

  #podsOfGroup(node: number, group: number): number {
    const pods = this.#pods[node] ?? [];
    let count = 0;
    for (let at = 0; at < pods.length; at += 2) if (this.#problem.groupOf[pods[at] ?? 0] === group) count += pods[at + 1] ?? 0;
    return count;
  }
}
