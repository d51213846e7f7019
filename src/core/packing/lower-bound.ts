// A lower bound of the cost of every packing: a linear program over classes and shapes, and a proof of its value that needs no trust in
// the solver.
//
// The program allows fractions of nodes and pods: x_t nodes of shape t hold y_ct pods of class c, every pod is placed, no shape is over its
// capacity or over the limit of a group, and no node has more of a class than fits on one: y_ct ≤ q_ct x_t.
//
// The proof takes prices of the program's dual: π_c for a pod, u_tr for a unit of a resource on a shape (a group is one, too), z_t for a
// node of a limited shape. Pods that share a node of shape t are worth at most V_t = Σ_r u_tr cap_tr + Σ_c q_ct max(0, π_c − Σ_r u_tr
// req_cr), fractions or not. Where V_t ≤ p_t + z_t for every shape, no packing costs less than Σ_c n_c π_c − Σ_t z_t max_t. Prices that
// break this are scaled down until they do not, so that rounding in the solver weakens the bound and never makes it wrong. Of free nodes,
// z_t is raised to V_t instead, since scaling would end at 0.

import { freeCapacity, freeNodeCount, isFree } from './free-nodes.ts';
import { type LinearProgram, LinearProgramBuilder, type LinearSolution } from './linear-program.ts';
import { openShapes, type PackingProblem, RESOURCE_COUNT } from './packing-problem.ts';
import { holdsAtLeast } from './useful-shapes.ts';

/** Prices of the dual, in dollars an hour. */
export interface DualPrices {
  /** For one pod, by class. */
  readonly perPod: Float64Array;
  /** For one unit: [shape * R + resource]. */
  readonly perUnit: Float64Array;
  /** For one more pod of a group on a node: [shape * groups + group]. */
  readonly perGroup: Float64Array;
  /** For one more node of a limited shape, by shape. */
  readonly perNode: Float64Array;
}

export interface BoundProgram {
  readonly program: LinearProgram;
  /** Reads the prices from the solution. */
  readonly pricesOf: (solution: LinearSolution) => DualPrices;
  /** Dollars an hour for a requested unit of each resource, on average over the nodes of the solution. */
  readonly unitPricesOf: (solution: LinearSolution) => Float64Array;
}

/** Rows of a shape in the program. */
interface ShapeRows {
  readonly shape: number;
  readonly units: readonly number[];
  readonly groups: readonly number[];
  /** Null: the shape is not limited. */
  readonly limit: number | null;
}

/** The program over all classes and the given shapes, those that any packing may be made of: see `boundingShapes`. */
export function boundProgram(problem: PackingProblem, shapes: readonly number[]): BoundProgram {
  const builder = new LinearProgramBuilder();
  const podRows = Array.from(problem.podCounts, (count) => builder.addRow(count, count));
  const shapeRows = shapes.map((shape): ShapeRows => {
    const most = problem.maxNodes[shape] ?? 0;
    return {
      shape,
      units: Array.from({ length: RESOURCE_COUNT }, () => builder.addRow(0, Infinity)),
      groups: Array.from(problem.groupLimits, () => builder.addRow(0, Infinity)),
      limit: most === Infinity ? null : builder.addRow(-most, Infinity),
    };
  });
  const nodeColumns = shapeRows.map((rows) => addShape(builder, problem, rows, podRows));
  const pricesIn = (solution: LinearSolution): DualPrices => pricesOf(problem, solution, podRows, shapeRows);
  return {
    program: builder.build(),
    pricesOf: pricesIn,
    unitPricesOf: (solution) => {
      const { perUnit } = pricesIn(solution);
      const paid = new Float64Array(RESOURCE_COUNT);
      shapes.forEach((shape, at) => {
        const nodes = solution.columnValues[nodeColumns[at] ?? 0] ?? 0;
        for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
          const place = shape * RESOURCE_COUNT + resource;
          paid[resource] = (paid[resource] ?? 0) + nodes * (problem.capacities[place] ?? 0) * (perUnit[place] ?? 0);
        }
      });
      return totalDemand(problem).map((demand, resource) => (demand === 0 ? 0 : (paid[resource] ?? 0) / demand));
    },
  };
}

/** Requests of all pods together, by resource. */
export function totalDemand({ requests, podCounts }: PackingProblem): Float64Array {
  const totals = new Float64Array(RESOURCE_COUNT);
  requests.forEach((request, at) => {
    const resource = at % RESOURCE_COUNT;
    totals[resource] = (totals[resource] ?? 0) + request * (podCounts[Math.floor(at / RESOURCE_COUNT)] ?? 0);
  });
  return totals;
}

/** Returns the column of the shape's nodes. */
function addShape(builder: LinearProgramBuilder, problem: PackingProblem, rows: ShapeRows, podRows: readonly number[]): number {
  const { shape, units, groups, limit } = rows;
  const { classCount, requests, capacities, groupOf, groupLimits, mostPerNode, machineTypes } = problem;
  const node: (readonly [number, number])[] = [
    ...units.map((row, resource) => [row, capacities[shape * RESOURCE_COUNT + resource] ?? 0] as const),
    ...groups.map((row, group) => [row, groupLimits[group] ?? 0] as const),
    ...(limit === null ? [] : [[limit, -1] as const]),
  ];
  for (let podClass = 0; podClass < classCount; podClass += 1) {
    const most = mostPerNode[podClass * machineTypes.length + shape] ?? 0;
    if (most === 0) continue;
    const mostRow = builder.addRow(0, Infinity);
    node.push([mostRow, most]);
    const groupRow = groups[groupOf[podClass] ?? -1];
    builder.addColumn(0, [
      [podRows[podClass] ?? 0, 1],
      ...units.map((row, resource) => [row, -(requests[podClass * RESOURCE_COUNT + resource] ?? 0)] as const),
      ...(groupRow === undefined ? [] : [[groupRow, -1] as const]),
      [mostRow, -1],
    ]);
  }
  return builder.addColumn(problem.usdPerHour[shape] ?? 0, node);
}

function pricesOf(
  problem: PackingProblem,
  { rowDuals }: LinearSolution,
  podRows: readonly number[],
  shapeRows: readonly ShapeRows[],
): DualPrices {
  const prices = noPrices(problem);
  const priceOf = (row: number): number => Math.max(0, rowDuals[row] ?? 0);
  podRows.forEach((row, podClass) => (prices.perPod[podClass] = priceOf(row)));
  for (const { shape, units, groups, limit } of shapeRows) {
    units.forEach((row, resource) => (prices.perUnit[shape * RESOURCE_COUNT + resource] = priceOf(row)));
    groups.forEach((row, group) => (prices.perGroup[shape * problem.groupLimits.length + group] = priceOf(row)));
    if (limit !== null) prices.perNode[shape] = priceOf(limit);
  }
  return prices;
}

function noPrices({ classCount, machineTypes, groupLimits }: PackingProblem): DualPrices {
  return {
    perPod: new Float64Array(classCount),
    perUnit: new Float64Array(machineTypes.length * RESOURCE_COUNT),
    perGroup: new Float64Array(machineTypes.length * groupLimits.length),
    perNode: new Float64Array(machineTypes.length),
  };
}

/** Relative error of the sums of a proof, and more: without it, a bound may be above the optimum by the last digits. */
const ROUNDING = 1e-12;

/** The bound that prices prove over the given shapes, in dollars an hour, at least 0. */
export function provenBound(problem: PackingProblem, shapes: readonly number[], prices: DualPrices): number {
  let scale = 1;
  let bound = 0;
  problem.podCounts.forEach((count, podClass) => (bound += count * (prices.perPod[podClass] ?? 0)));
  for (const shape of shapes) {
    const worth = worthOfNode(problem, shape, prices);
    const price = isFree(problem, shape) ? worth : (prices.perNode[shape] ?? 0);
    if (price > 0) bound -= (problem.maxNodes[shape] ?? 0) * price;
    if (worth - price > 0) scale = Math.min(scale, (problem.usdPerHour[shape] ?? 0) / (worth - price));
  }
  return Math.max(0, bound * scale * (1 - ROUNDING));
}

/** V_t of the comment above. */
function worthOfNode(problem: PackingProblem, shape: number, prices: DualPrices): number {
  const { classCount, capacities, groupLimits, mostPerNode, machineTypes } = problem;
  let worth = 0;
  for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
    const at = shape * RESOURCE_COUNT + resource;
    worth += (prices.perUnit[at] ?? 0) * (capacities[at] ?? 0);
  }
  groupLimits.forEach((limit, group) => (worth += (prices.perGroup[shape * groupLimits.length + group] ?? 0) * limit));
  for (let podClass = 0; podClass < classCount; podClass += 1) {
    const left = (prices.perPod[podClass] ?? 0) - unitsPrice(problem, shape, podClass, prices);
    if (left > 0) worth += left * (mostPerNode[podClass * machineTypes.length + shape] ?? 0);
  }
  return worth;
}

/** What a pod pays on a shape for its resources and its place in its group. */
function unitsPrice(problem: PackingProblem, shape: number, podClass: number, { perUnit, perGroup }: DualPrices): number {
  const group = problem.groupOf[podClass] ?? -1;
  let price = group < 0 ? 0 : (perGroup[shape * problem.groupLimits.length + group] ?? 0);
  for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
    price += (perUnit[shape * RESOURCE_COUNT + resource] ?? 0) * (problem.requests[podClass * RESOURCE_COUNT + resource] ?? 0);
  }
  return price;
}

/**
 * The program over resources and groups alone, for problems with too many classes: Σ_t cap_tr x_t ≥ D_r, and as many nodes as each group
 * needs, where D_r is what free nodes do not hold. A pod is worth what its requests and its place in its group cost. Its bound is at most that of `boundProgram`.
 */
export function resourceProgram(problem: PackingProblem, shapes: readonly number[]): BoundProgram {
  const builder = new LinearProgramBuilder();
  const free = freeCapacity(problem);
  const freeNodes = freeNodeCount(problem);
  const unitRows = Array.from(totalDemand(problem), (demand, resource) => builder.addRow(demand - (free[resource] ?? 0), Infinity));
  const groupRows = Array.from(podsByGroup(problem), (pods, group) =>
    builder.addRow(pods - (problem.groupLimits[group] ?? 0) * freeNodes, Infinity),
  );
  for (const shape of shapes) {
    if (isFree(problem, shape)) continue;
    builder.addColumn(problem.usdPerHour[shape] ?? 0, [
      ...unitRows.map((row, resource) => [row, problem.capacities[shape * RESOURCE_COUNT + resource] ?? 0] as const),
      ...groupRows.map((row, group) => [row, problem.groupLimits[group] ?? 0] as const),
    ]);
  }
  const pricesIn = (rows: readonly number[], { rowDuals }: LinearSolution): Float64Array =>
    Float64Array.from(rows, (row) => Math.max(0, rowDuals[row] ?? 0));
  return {
    program: builder.build(),
    pricesOf: (solution) => pricesByUnit(problem, pricesIn(unitRows, solution), pricesIn(groupRows, solution)),
    unitPricesOf: (solution) => pricesIn(unitRows, solution),
  };
}

function podsByGroup({ groupLimits, groupOf, podCounts }: PackingProblem): Float64Array {
  const pods = new Float64Array(groupLimits.length);
  groupOf.forEach((group, podClass) => {
    if (group >= 0) pods[group] = (pods[group] ?? 0) + (podCounts[podClass] ?? 0);
  });
  return pods;
}

/** Prices that are the same on every shape: a pod costs its units and its place in its group. */
function pricesByUnit(problem: PackingProblem, unitPrices: Float64Array, groupPrices: Float64Array): DualPrices {
  const prices = noPrices(problem);
  for (const shape of problem.machineTypes.keys()) {
    prices.perUnit.set(unitPrices, shape * RESOURCE_COUNT);
    prices.perGroup.set(groupPrices, shape * groupPrices.length);
  }
  for (const podClass of problem.podCounts.keys()) prices.perPod[podClass] = unitsPrice(problem, 0, podClass, prices);
  return prices;
}

/** Prices that need no solver: only the resource that costs most has one, its lowest of any shape. */
export function singleResourcePrices(problem: PackingProblem): { readonly prices: DualPrices; readonly unitPrices: Float64Array } {
  const { capacities, usdPerHour } = problem;
  const shapes = openShapes(problem);
  const lowest = Array.from({ length: RESOURCE_COUNT }, (_, resource) => {
    const prices = shapes.flatMap((shape) => {
      const capacity = capacities[shape * RESOURCE_COUNT + resource] ?? 0;
      return capacity === 0 || isFree(problem, shape) ? [] : [(usdPerHour[shape] ?? 0) / capacity];
    });
    return prices.length === 0 ? 0 : Math.min(...prices);
  });
  const free = freeCapacity(problem);
  const costs = Array.from(
    totalDemand(problem),
    (demand, resource) => Math.max(0, demand - (free[resource] ?? 0)) * (lowest[resource] ?? 0),
  );
  const dearest = costs.indexOf(Math.max(...costs));
  const unitPrices = Float64Array.from(lowest, (price, resource) => (resource === dearest ? price : 0));
  return { prices: pricesByUnit(problem, unitPrices, new Float64Array(problem.groupLimits.length)), unitPrices };
}

/**
 * Shapes without those that another one replaces in the linear program at no higher cost: taken in such a number that it costs no more, it
 * has at least the capacity and holds at least as many pods of each class.
 */
export function boundingShapes(problem: PackingProblem): number[] {
  const kept: number[] = [];
  // Each is compared with those that are kept, so that of two that replace each other one stays. Cheap capacity first: it replaces most.
  const prices = pricesPerCapacity(problem);
  const byPrice = openShapes(problem).sort((a, b) => (prices[a] ?? 0) - (prices[b] ?? 0) || a - b);
  for (const shape of byPrice) if (!kept.some((other) => replaces(problem, other, shape))) kept.push(shape);
  return kept.filter((shape) => !kept.some((other) => other !== shape && replaces(problem, other, shape))).sort((a, b) => a - b);
}

/** Price by the sum of the shares of the largest CPU and memory, by shape: an order that makes `boundingShapes` fast, nothing else. */
function pricesPerCapacity({ usdPerHour, capacities, machineTypes }: PackingProblem): Float64Array {
  const capacityOf = (shape: number, resource: number): number => capacities[shape * RESOURCE_COUNT + resource] ?? 0;
  const [cpu = 1, memory = 1] = [0, 1].map((resource) =>
    machineTypes.reduce((most, _, shape) => Math.max(most, capacityOf(shape, resource)), 1),
  );
  return usdPerHour.map((price, shape) => price / (1e-9 + capacityOf(shape, 0) / cpu + capacityOf(shape, 1) / memory));
}

function replaces(problem: PackingProblem, other: number, shape: number): boolean {
  if (problem.maxNodes[other] !== Infinity) return false;
  const [price = 0, otherPrice = 0] = [problem.usdPerHour[shape], problem.usdPerHour[other]];
  // Of free nodes there may be any number.
  const factor = otherPrice === 0 ? Number.MAX_SAFE_INTEGER : price / otherPrice;
  // A group's limit does not grow with the node.
  if (problem.groupLimits.length > 0 && factor < 1) return false;
  return holdsAtLeast(problem, other, shape, factor);
}
