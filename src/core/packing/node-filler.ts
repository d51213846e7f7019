import { type PackingProblem, RESOURCE_COUNT } from './packing-problem.ts';

/** Fills one empty node class by class. The result stays in the filler until the next fill, so that a fill allocates nothing. */
export class NodeFiller {
  readonly #problem: PackingProblem;
  readonly #free = new Float64Array(RESOURCE_COUNT);
  /** Pods on the node by group; zero between fills. */
  readonly #groupPods: Int32Array;
  /** Classes on the node, in the first `length` places, each with its count. */
  readonly classes: Int32Array;
  readonly counts: Int32Array;
  length = 0;
  /** Pods on the node. */
  pods = 0;

  constructor(problem: PackingProblem) {
    this.#problem = problem;
    this.#groupPods = new Int32Array(problem.groupLimits.length);
    this.classes = new Int32Array(problem.classCount);
    this.counts = new Int32Array(problem.classCount);
  }

  /** Adds of each class, in the given order, as many pods as fit. @param left pods by class that may be placed */
  fill(shape: number, order: readonly number[], left: Int32Array): void {
    const { capacities } = this.#problem;
    for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
      this.#free[resource] = capacities[shape * RESOURCE_COUNT + resource] ?? 0;
    }
    this.length = 0;
    this.pods = 0;
    const { requests } = this.#problem;
    const free = this.#free;
    for (const podClass of order) {
      const wanted = left[podClass] ?? 0;
      const at = podClass * RESOURCE_COUNT;
      // Most classes end here: nothing is left of them, or the node is full.
      if (wanted === 0 || (requests[at] ?? 0) > (free[0] ?? 0) || (requests[at + 1] ?? 0) > (free[1] ?? 0)) continue;
      const count = this.#roomFor(shape, podClass, wanted);
      if (count <= 0) continue;
      this.#add(podClass, count);
      if ((free[RESOURCE_COUNT - 1] ?? 0) <= 0) break;
    }
    this.#clearGroups();
  }

  /** What the pods of the node are worth together. */
  worth(perPod: Float64Array): number {
    let sum = 0;
    for (let at = 0; at < this.length; at += 1) sum += (perPod[this.classes[at] ?? 0] ?? 0) * (this.counts[at] ?? 0);
    return sum;
  }

  #roomFor(shape: number, podClass: number, wanted: number): number {
    const { requests, mostPerNode, machineTypes, groupOf, groupLimits } = this.#problem;
    const at = podClass * RESOURCE_COUNT;
    let room = Math.min(wanted, mostPerNode[podClass * machineTypes.length + shape] ?? 0);
    for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
      const request = requests[at + resource] ?? 0;
      const free = this.#free[resource] ?? 0;
      if (request > free) return 0;
      // A product is exact, and most often decides without the division.
      if (request * room > free) room = Math.floor(free / request);
    }
    const group = groupOf[podClass] ?? -1;
    return group < 0 ? room : Math.min(room, (groupLimits[group] ?? 0) - (this.#groupPods[group] ?? 0));
  }

  #add(podClass: number, count: number): void {
    const { requests, groupOf } = this.#problem;
    for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
      this.#free[resource] = (this.#free[resource] ?? 0) - (requests[podClass * RESOURCE_COUNT + resource] ?? 0) * count;
    }
    const group = groupOf[podClass] ?? -1;
    if (group >= 0) this.#groupPods[group] = (this.#groupPods[group] ?? 0) + count;
    this.classes[this.length] = podClass;
    this.counts[this.length] = count;
    this.length += 1;
    this.pods += count;
  }

  #clearGroups(): void {
    for (let at = 0; at < this.length; at += 1) {
      const group = this.#problem.groupOf[this.classes[at] ?? 0] ?? -1;
      if (group >= 0) this.#groupPods[group] = 0;
    }
  }
}
