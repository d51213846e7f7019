// Search for a cheap packing under a budget of steps. It begins with the cheaper of two packings, by worth and by first fit, and then takes
// a few nodes apart and packs their pods again, as long as that costs no more. (Schrimpf et al., "Record breaking optimization results
// using the ruin and recreate principle", 2000.) One rule covers emptying a node, merging and splitting nodes, swapping pods, and a
// cheaper machine type for what a node holds.
//
// A step is one attempt to fill one node. The same problem, prices, random numbers and steps give the same packing, in however many
// parts the steps are run.

import { firstFitWithOneType } from './first-fit.ts';
import { NodeFiller } from './node-filler.ts';
import { mergeNodes, type Packing, packingCost } from './packing.ts';
import type { PackingProblem } from './packing-problem.ts';
import { usefulShapes } from './useful-shapes.ts';

export interface SearchDependencies {
  /** What a pod of each class is worth, in dollars an hour, as in `DualPrices`: it decides what is packed first and which nodes pay. */
  readonly perPod: Float64Array;
  /** Uniform in [0, 1), by seed. */
  readonly random: () => number;
  /** A packing to begin with where the others cost more, or there are none; absent: none. */
  readonly start?: Packing | null;
}

interface Node {
  readonly shape: number;
  readonly classes: readonly number[];
  readonly counts: readonly number[];
  /** What its pods are worth for its price: the less, the more likely it is taken apart. */
  readonly rating: number;
}

interface NodeLimits {
  /** Pods that are left. */
  readonly pods: number;
  readonly budgetUsd: number;
  readonly noise: number;
}

/** Machine types that are tried for the first packing by first fit. */
const FIRST_FIT_TYPES = 3;
/**
 * With more classes a fill is long. Then the first packing tries every shape for every so many nodes alone, and else those that were best
 * in such a review.
 */
const MAX_CLASSES_PER_REVIEW = 300;
const NODES_PER_REVIEW = 16;
const FAVOURITES = 8;
/** The last pods are few, and other shapes are best for them. */
const MIN_PODS_PER_REVIEW = 300;
/**
 * Most that a node of the first packing costs, by what it would cost if all that are needed were equal. With 1.3 to 3 the
 * first packings of Karpenter's benchmark are within 4 %, without it 16 % higher.
 */
const MAX_OVER_MEAN = 2;
/** Most nodes that are taken apart at once. With 4 or 10 the result on recorded pods is the same within 0.3 %. */
const MAX_REPACKED_NODES = 6;
/** Most that the order of the classes is varied, relative to their worth. */
const MAX_ORDER_NOISE = 1;
/** Most that the choice of a shape is varied. Without it, the search ends 0.7 % higher on recorded pods. */
const SHAPE_NOISE = 0.05;
/** How often the search goes on with a node that is better for its price, where one node would hold all pods that are left. */
const SPLIT_SHARE = 0.5;
/** Costs that differ by less are equal: sums of prices in another order. In dollars an hour. */
const EQUAL_USD = 1e-9;

export class PackingSearch {
  readonly #problem: PackingProblem;
  /** `perPod`, and a little where that is 0, so that such pods are packed in more than one order. */
  readonly #worth: Float64Array;
  readonly #random: () => number;
  readonly #start: Packing | null;
  /** The node that is filled next, and the best one of the shapes that are compared. They change places, so that a fill copies nothing. */
  #filler: NodeFiller;
  #best: NodeFiller;
  /** Ascending by price. */
  readonly #shapes: readonly number[];
  /** Pods by class that are to be packed; zero between steps. */
  readonly #left: Int32Array;
  readonly #sortKeys: Float64Array;
  /** Worth for its price of the last node of each shape. */
  readonly #scores: Float64Array;
  /** Nodes by shape. */
  readonly #used: Int32Array;
  readonly #nodes: Node[] = [];
  #hasPacking: boolean;
  #steps = 0;
  #allowedSteps = 0;

  constructor(problem: PackingProblem, { perPod, random, start = null }: SearchDependencies) {
    this.#problem = problem;
    this.#start = start;
    this.#worth = positiveWorth(perPod);
    this.#random = random;
    this.#filler = new NodeFiller(problem);
    this.#best = new NodeFiller(problem);
    this.#shapes = usefulShapes(problem);
    this.#left = new Int32Array(problem.classCount);
    this.#sortKeys = new Float64Array(problem.classCount);
    this.#scores = new Float64Array(problem.machineTypes.length);
    this.#used = new Int32Array(problem.machineTypes.length);
    this.#hasPacking = this.#begin(0);
  }

  /** Steps so far. Those of the first packing count, too. */
  get steps(): number {
    return this.#steps;
  }

  /** Dollars an hour of the cheapest packing so far; null where there is none. */
  get usdPerHour(): number | null {
    if (!this.#hasPacking) return null;
    return this.#used.reduce((sum, count, shape) => sum + count * (this.#problem.usdPerHour[shape] ?? 0), 0);
  }

  /** The cheapest packing so far; null where none was found within `maxNodes`. */
  get best(): Packing | null {
    if (!this.#hasPacking) return null;
    return mergeNodes(
      this.#nodes.map(({ shape, classes, counts }) => {
        const order = [...classes.keys()].sort((a, b) => (classes[a] ?? 0) - (classes[b] ?? 0));
        return { shape, classes: order.map((at) => classes[at] ?? 0), counts: order.map((at) => counts[at] ?? 0), copies: 1 };
      }),
    );
  }

  /** Runs further steps. */
  run(steps: number): void {
    this.#allowedSteps += steps;
    while (this.#steps < this.#allowedSteps) {
      if (this.#hasPacking) this.#repackSome();
      else this.#hasPacking = this.#begin(MAX_ORDER_NOISE);
    }
  }

  /** Takes the cheaper of a packing by worth and one by first fit. @param noise of the former's order; 0: none */
  #begin(noise: number): boolean {
    const starts = [this.#packAll(noise), firstFitWithOneType(this.#problem, FIRST_FIT_TYPES), this.#start].filter(
      (packing) => packing !== null,
    );
    const [cheapest] = starts.toSorted((a, b) => packingCost(this.#problem, a) - packingCost(this.#problem, b));
    if (cheapest === undefined) return false;
    this.#used.fill(0);
    for (const { shape, classes, counts, copies } of cheapest.nodes) {
      const worth = classes.reduce((sum, podClass, at) => sum + (this.#worth[podClass] ?? 0) * (counts[at] ?? 0), 0);
      const node = { shape, classes, counts, rating: worth / (this.#problem.usdPerHour[shape] ?? 0) };
      for (let copy = 0; copy < copies; copy += 1) this.#keep(node);
    }
    return true;
  }

  /** A packing of all pods, most worth first, with as many copies of each node as there are pods for. */
  #packAll(noise: number): Packing | null {
    this.#left.set(this.#problem.podCounts);
    this.#used.fill(0);
    // A step, also where no node is filled.
    this.#steps += 1;
    let order = this.#byWorth([...this.#left.keys()], noise);
    let pods = this.#problem.podCounts.reduce((sum, count) => sum + count, 0);
    const nodes: { shape: number; classes: readonly number[]; counts: readonly number[]; copies: number }[] = [];
    let favourites: readonly number[] = [];
    while (pods > 0) {
      const isReviewed = order.length <= MAX_CLASSES_PER_REVIEW || nodes.length % NODES_PER_REVIEW === 0 || pods < MIN_PODS_PER_REVIEW;
      // After a packing that was not within `maxNodes`, nodes of every size are tried.
      const limits = noise === 0 ? { pods, budgetUsd: this.#firstBudget(), noise } : { pods, budgetUsd: Infinity, noise: SHAPE_NOISE };
      const node =
        this.#bestNode(order, limits, isReviewed ? this.#shapes : favourites) ??
        this.#bestNode(order, { ...limits, budgetUsd: Infinity }, this.#shapes);
      if (node === null) break;
      if (isReviewed) favourites = this.#bestScored();
      const copies = this.#copiesOf(node);
      pods -= this.#takePods(node, copies);
      this.#used[node.shape] = (this.#used[node.shape] ?? 0) + copies;
      nodes.push({ ...node, copies });
      order = order.filter((podClass) => (this.#left[podClass] ?? 0) > 0);
    }
    this.#left.fill(0);
    if (pods > 0) return null;
    return mergeNodes(
      nodes.map(({ shape, classes, counts, copies }) => {
        const places = [...classes.keys()].sort((a, b) => (classes[a] ?? 0) - (classes[b] ?? 0));
        return { shape, classes: places.map((at) => classes[at] ?? 0), counts: places.map((at) => counts[at] ?? 0), copies };
      }),
    );
  }

  /**
   * Most that the next node of the first packing costs. Where pods must be apart, their number is that of the nodes: a node that is much
   * larger than the mean takes pods that the others need to be full.
   */
  #firstBudget(): number {
    const { groupLimits, groupOf, necessaryGroups } = this.#problem;
    if (groupLimits.length === 0) return Infinity;
    const podsByGroup = new Int32Array(groupLimits.length);
    let worth = 0;
    for (const [podClass, count] of this.#left.entries()) {
      worth += count * (this.#worth[podClass] ?? 0);
      const group = groupOf[podClass] ?? -1;
      if (group >= 0 && necessaryGroups[group] === 1) podsByGroup[group] = (podsByGroup[group] ?? 0) + count;
    }
    const nodes = podsByGroup.reduce((most, pods, group) => Math.max(most, Math.ceil(pods / (groupLimits[group] ?? 1))), 0);
    return nodes === 0 ? Infinity : (MAX_OVER_MEAN * worth) / nodes;
  }

  /** Nodes like this one that can be filled from what is left. */
  #copiesOf({ shape, classes, counts }: Node): number {
    let copies = (this.#problem.maxNodes[shape] ?? 0) - (this.#used[shape] ?? 0);
    classes.forEach((podClass, at) => (copies = Math.min(copies, Math.floor((this.#left[podClass] ?? 0) / (counts[at] ?? 1)))));
    return copies;
  }

  /** Takes a few nodes apart and packs their pods again; keeps the result where it costs less, or the same with no more nodes. */
  #repackSome(): void {
    const count = Math.min(this.#nodes.length, 2 + Math.floor(this.#random() * (MAX_REPACKED_NODES - 1)));
    const removed = this.#removeNodes(count);
    const classes: number[] = [];
    let pods = 0;
    let oldCost = 0;
    for (const node of removed) {
      oldCost += this.#problem.usdPerHour[node.shape] ?? 0;
      node.classes.forEach((podClass, at) => {
        const more = node.counts[at] ?? 0;
        if (this.#left[podClass] === 0) classes.push(podClass);
        this.#left[podClass] = (this.#left[podClass] ?? 0) + more;
        pods += more;
      });
    }
    const added = this.#packWithin(classes, pods, { nodes: count, usd: oldCost });
    for (const podClass of classes) this.#left[podClass] = 0;
    for (const node of added ?? removed) this.#keep(node);
    // An attempt that may fill no node still ends.
    this.#steps += 1;
  }

  /** Removes random nodes: each time the worse one of two. On recorded pods the search ends up to 0.3 % lower than with equal chances. */
  #removeNodes(count: number): Node[] {
    const removed: Node[] = [];
    for (let removal = 0; removal < count; removal += 1) {
      const [one, other] = [this.#randomNode(), this.#randomNode()];
      const at = (this.#nodes[one]?.rating ?? 0) <= (this.#nodes[other]?.rating ?? 0) ? one : other;
      const node = this.#nodes[at];
      const last = this.#nodes.pop();
      if (node === undefined || last === undefined) break;
      if (node !== last) this.#nodes[at] = last;
      removed.push(node);
      this.#used[node.shape] = (this.#used[node.shape] ?? 0) - 1;
    }
    return removed;
  }

  #randomNode(): number {
    return Math.floor(this.#random() * this.#nodes.length);
  }

  #keep(node: Node): void {
    this.#nodes.push(node);
    this.#used[node.shape] = (this.#used[node.shape] ?? 0) + 1;
  }

  /** Nodes for what is left of some classes that cost less than the old ones, or the same and are no more; null where they do not. */
  #packWithin(classes: readonly number[], pods: number, old: { readonly nodes: number; readonly usd: number }): Node[] | null {
    const order = this.#byWorth(classes, MAX_ORDER_NOISE * this.#random());
    const nodes: Node[] = [];
    let podsLeft = pods;
    let cost = 0;
    while (podsLeft > 0) {
      const budgetUsd = old.usd + (nodes.length < old.nodes ? EQUAL_USD : -EQUAL_USD) - cost;
      const limits = { pods: podsLeft, budgetUsd, noise: SHAPE_NOISE };
      const node = this.#bestNode(order, limits, this.#shapes);
      if (node === null) break;
      podsLeft -= this.#takePods(node, 1);
      cost += this.#problem.usdPerHour[node.shape] ?? 0;
      this.#used[node.shape] = (this.#used[node.shape] ?? 0) + 1;
      nodes.push(node);
    }
    for (const { shape } of nodes) this.#used[shape] = (this.#used[shape] ?? 0) - 1;
    return podsLeft === 0 ? nodes : null;
  }

  /** Classes by descending worth of a pod, varied by up to `noise`. */
  #byWorth(classes: readonly number[], noise: number): number[] {
    for (const podClass of classes) {
      this.#sortKeys[podClass] = (this.#worth[podClass] ?? 0) * this.#variation(noise);
    }
    return classes.toSorted((a, b) => (this.#sortKeys[b] ?? 0) - (this.#sortKeys[a] ?? 0) || a - b);
  }

  /**
   * The filled node with the most worth for its price, or the cheapest that holds all of the pods; null where no shape within the budget
   * holds a pod.
   */
  #bestNode(order: readonly number[], { pods, budgetUsd, noise }: NodeLimits, shapes: readonly number[]): Node | null {
    let bestShape = -1;
    let bestScore = -Infinity;
    let bestRating = 0;
    for (const shape of shapes) {
      this.#scores[shape] = -Infinity;
      const price = this.#problem.usdPerHour[shape] ?? 0;
      if (price > budgetUsd) break;
      if (!this.#canOpen(shape)) continue;
      this.#filler.fill(shape, order, this.#left);
      this.#steps += 1;
      if (this.#filler.pods === 0) continue;
      const rating = this.#filler.worth(this.#worth) / price;
      const score = rating * this.#variation(noise);
      this.#scores[shape] = score;
      if (price === 0 || this.#filler.pods === pods) {
        // Every further shape costs more. Two cheaper nodes may still cost less than this one: now and then they are tried.
        if (noise > 0 && bestScore > score && this.#random() < SPLIT_SHARE) break;
        return nodeOf(shape, this.#filler, rating);
      }
      if (score > bestScore) {
        bestScore = score;
        bestShape = shape;
        bestRating = rating;
        [this.#filler, this.#best] = [this.#best, this.#filler];
      }
    }
    return bestShape < 0 ? null : nodeOf(bestShape, this.#best, bestRating);
  }

  #canOpen(shape: number): boolean {
    return (this.#used[shape] ?? 0) < (this.#problem.maxNodes[shape] ?? 0);
  }

  /** A random factor near 1, up to `noise` from it. */
  #variation(noise: number): number {
    return noise === 0 ? 1 : 1 + noise * (2 * this.#random() - 1);
  }

  /** The shapes with the best scores of the last review, ascending by price. */
  #bestScored(): number[] {
    const score = (shape: number): number => this.#scores[shape] ?? 0;
    const best = new Set(this.#shapes.toSorted((a, b) => score(b) - score(a) || a - b).slice(0, FAVOURITES));
    return this.#shapes.filter((shape) => best.has(shape));
  }

  /** Takes the pods of a node from what is left. Returns their number. */
  #takePods({ classes, counts }: Node, copies: number): number {
    let pods = 0;
    classes.forEach((podClass, at) => {
      const count = (counts[at] ?? 0) * copies;
      this.#left[podClass] = (this.#left[podClass] ?? 0) - count;
      pods += count;
    });
    return pods;
  }
}

function nodeOf(shape: number, { classes, counts, length }: NodeFiller, rating: number): Node {
  return { shape, classes: [...classes.subarray(0, length)], counts: [...counts.subarray(0, length)], rating };
}

/** Share of the mean worth that a pod is worth at least. */
const MIN_WORTH = 1e-3;

function positiveWorth(perPod: Float64Array): Float64Array {
  const sum = perPod.reduce((total, worth) => total + worth, 0);
  const least = sum === 0 ? 1 : (MIN_WORTH * sum) / perPod.length;
  return perPod.map((worth) => Math.max(worth, least));
}
