import { columnsOf, type PackingProblem, type PodDemand, RESOURCE_COUNT } from './packing-problem.ts';

export interface MergedClasses {
  readonly problem: PackingProblem;
  /** Merged class by class. */
  readonly mergedOf: Int32Array;
}

/** Steps of the grid within a doubling of an amount, the finest first. */
const STEPS_PER_DOUBLING = [64, 32, 16, 8, 4, 2, 1];

/**
 * A problem with at most `maxClasses` classes, none of whose packings costs more than the same packing of the given problem: requests are
 * rounded down to a grid, the finest that is coarse enough. Null where filters and groups alone make more classes.
 */
export function mergeClasses(problem: PackingProblem, maxClasses: number): MergedClasses | null {
  for (const steps of STEPS_PER_DOUBLING) {
    const classes = new Map<string, { readonly demand: PodDemand; readonly index: number }>();
    const counts: number[] = [];
    const mergedOf = new Int32Array(problem.classCount);
    for (let podClass = 0; podClass < problem.classCount && classes.size <= maxClasses; podClass += 1) {
      const demand = roundedDemand(problem, podClass, steps);
      const key = JSON.stringify(demand);
      const known = classes.get(key) ?? { demand, index: classes.size };
      classes.set(key, known);
      mergedOf[podClass] = known.index;
      counts[known.index] = (counts[known.index] ?? 0) + (problem.podCounts[podClass] ?? 0);
    }
    if (classes.size > maxClasses) continue;
    const demands = [...classes.values()].map(({ demand }) => demand);
    return { problem: columnsOf(demands, counts, problem.machineTypes), mergedOf };
  }
  return null;
}

function roundedDemand(problem: PackingProblem, podClass: number, stepsPerDoubling: number): PodDemand {
  const { requests, groupOf, groupLimits, necessaryGroups, mostPerNode, machineTypes } = problem;
  const amount = (resource: number): number => roundDown(requests[podClass * RESOURCE_COUNT + resource] ?? 0, stepsPerDoubling);
  const isExcluded = (shape: number): boolean => {
    return (mostPerNode[podClass * machineTypes.length + shape] ?? 0) === 0 && fitsBySize(problem, podClass, shape);
  };
  const allowed = machineTypes.filter((_, shape) => !isExcluded(shape)).map(({ name }) => name);
  const group = groupOf[podClass] ?? -1;
  return {
    cpuMillicores: amount(0),
    memoryMib: amount(1),
    gpus: requests[podClass * RESOURCE_COUNT + 2] ?? 0,
    podCount: requests[podClass * RESOURCE_COUNT + 3] ?? 1,
    machineTypes: allowed.length === machineTypes.length ? null : allowed,
    group: group < 0 ? null : { name: String(group), perNode: groupLimits[group] ?? 0, isNecessary: necessaryGroups[group] === 1 },
  };
}

function fitsBySize({ requests, capacities }: PackingProblem, podClass: number, shape: number): boolean {
  for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
    const request = requests[podClass * RESOURCE_COUNT + resource] ?? 0;
    if (request > (capacities[shape * RESOURCE_COUNT + resource] ?? 0)) return false;
  }
  return true;
}

/** The largest number of the grid 2^(k / steps) that is not more, as a whole number. */
function roundDown(amount: number, stepsPerDoubling: number): number {
  if (amount <= 1) return amount;
  const exponent = Math.floor(Math.log2(amount) * stepsPerDoubling + 1e-9) / stepsPerDoubling;
  return Math.min(amount, Math.floor(2 ** exponent));
}
