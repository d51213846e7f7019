// The pods that are worth most on one node: an integer knapsack, by branch and bound.

import { type PackingProblem, RESOURCE_COUNT } from './packing-problem.ts';

/** Pods of a node. */
export interface Pattern {
  readonly shape: number;
  readonly classes: readonly number[];
  readonly counts: readonly number[];
  readonly worth: number;
}

export interface BestPattern {
  readonly pattern: Pattern;
  /** No pattern of the shape is worth more. Equal to the pattern's worth where the search was not cut off. */
  readonly upperBound: number;
}

/** Shares of the first resource in the sizes by which a rest is bounded; the others are of the second. */
const WEIGHTS = [0, 0.25, 0.5, 0.75, 1];

/** Searches by descending worth for the size. @param maxSteps after which the search is cut off */
export function findBestPattern(problem: PackingProblem, shape: number, perPod: Float64Array, maxSteps: number): BestPattern {
  return new PatternSearch(problem, shape, perPod).run(maxSteps);
}

class PatternSearch {
  readonly #problem: PackingProblem;
  readonly #shape: number;
  readonly #perPod: Float64Array;
  /** Classes that fit and are worth something. */
  readonly #order: readonly number[];
  /** [place in the order * weights + weight]: highest worth for the size from there on. */
  readonly #densities: Float64Array;
  readonly #free: Float64Array;
  readonly #counts: Int32Array;
  #best: Int32Array;
  #bestWorth = 0;
  #stepsLeft = 0;

  constructor(problem: PackingProblem, shape: number, perPod: Float64Array) {
    this.#problem = problem;
    this.#shape = shape;
    this.#perPod = perPod;
    const density = (podClass: number, weight: number): number => (perPod[podClass] ?? 0) / this.#sizeOf(podClass, weight);
    this.#order = [...perPod.keys()]
      .filter((podClass) => (perPod[podClass] ?? 0) > 0 && this.#most(podClass) > 0)
      .sort((a, b) => density(b, 0.5) - density(a, 0.5) || a - b);
    this.#densities = new Float64Array((this.#order.length + 1) * WEIGHTS.length);
    for (let at = this.#order.length - 1; at >= 0; at -= 1) {
      WEIGHTS.forEach((weight, index) => {
        const next = this.#densities[(at + 1) * WEIGHTS.length + index] ?? 0;
        this.#densities[at * WEIGHTS.length + index] = Math.max(next, density(this.#order[at] ?? 0, weight));
      });
    }
    this.#free = problem.capacities.slice(shape * RESOURCE_COUNT, (shape + 1) * RESOURCE_COUNT);
    this.#counts = new Int32Array(this.#order.length);
    this.#best = new Int32Array(this.#order.length);
  }

  run(maxSteps: number): BestPattern {
    this.#stepsLeft = maxSteps;
    const rootBound = this.#restBound(0);
    this.#branch(0, 0);
    const places = [...this.#best.keys()].filter((at) => (this.#best[at] ?? 0) > 0);
    const sorted = places.sort((a, b) => (this.#order[a] ?? 0) - (this.#order[b] ?? 0));
    const pattern: Pattern = {
      shape: this.#shape,
      classes: sorted.map((at) => this.#order[at] ?? 0),
      counts: sorted.map((at) => this.#best[at] ?? 0),
      worth: this.#bestWorth,
    };
    return { pattern, upperBound: this.#stepsLeft > 0 ? this.#bestWorth : Math.max(rootBound, this.#bestWorth) };
  }

  #branch(at: number, worth: number): void {
    if (worth > this.#bestWorth) {
      this.#bestWorth = worth;
      this.#best = this.#counts.slice();
    }
    const podClass = this.#order[at];
    if (podClass === undefined || this.#stepsLeft <= 0) return;
    const most = this.#room(podClass);
    for (let count = most; count >= 0; count -= 1) {
      this.#stepsLeft -= 1;
      this.#take(podClass, count);
      this.#counts[at] = count;
      const sum = worth + count * (this.#perPod[podClass] ?? 0);
      if (sum + this.#restBound(at + 1) > this.#bestWorth) this.#branch(at + 1, sum);
      this.#take(podClass, -count);
    }
    this.#counts[at] = 0;
  }

  /** No pods from this place on that fit into what is free are worth more: fractions of the densest, by the tightest of the sizes. */
  #restBound(at: number): number {
    let bound = Infinity;
    WEIGHTS.forEach((weight, index) => {
      const density = this.#densities[at * WEIGHTS.length + index] ?? 0;
      // Where a class has no size, any number of it would fit.
      if (density !== Infinity) bound = Math.min(bound, density * this.#freeSize(weight));
    });
    if (bound !== Infinity) return bound;
    // Then at most the pods that a node may have, each of the highest worth.
    return (this.#free[RESOURCE_COUNT - 1] ?? 0) * this.#order.slice(at).reduce((most, each) => Math.max(most, this.#perPod[each] ?? 0), 0);
  }

  #freeSize(weight: number): number {
    return weight * this.#shareOf(this.#free, 0, 0) + (1 - weight) * this.#shareOf(this.#free, 0, 1);
  }

  #sizeOf(podClass: number, weight: number): number {
    const at = podClass * RESOURCE_COUNT;
    return weight * this.#shareOf(this.#problem.requests, at, 0) + (1 - weight) * this.#shareOf(this.#problem.requests, at, 1);
  }

  /** Amount of a resource as a share of the shape's capacity. */
  #shareOf(amounts: Float64Array, at: number, resource: number): number {
    const capacity = this.#problem.capacities[this.#shape * RESOURCE_COUNT + resource] ?? 0;
    return capacity === 0 ? 0 : (amounts[at + resource] ?? 0) / capacity;
  }

  #most(podClass: number): number {
    const { mostPerNode, machineTypes, podCounts } = this.#problem;
    return Math.min(mostPerNode[podClass * machineTypes.length + this.#shape] ?? 0, podCounts[podClass] ?? 0);
  }

  #room(podClass: number): number {
    let room = this.#most(podClass);
    for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
      const request = this.#problem.requests[podClass * RESOURCE_COUNT + resource] ?? 0;
      if (request > 0) room = Math.min(room, Math.floor((this.#free[resource] ?? 0) / request));
    }
    return room;
  }

  #take(podClass: number, count: number): void {
    for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
      const request = this.#problem.requests[podClass * RESOURCE_COUNT + resource] ?? 0;
      this.#free[resource] = (this.#free[resource] ?? 0) - request * count;
    }
  }
}
