// Pods and machine types for tests of packings, and the optimum of small problems by exhaustive search.

import fc from 'fast-check';
import {
  classifyPods,
  type MachineType,
  type PackingProblem,
  type PodDemand,
  RESOURCE_COUNT,
} from '../../src/core/packing/packing-problem.ts';

export function aPodDemand(demand: Partial<PodDemand> = {}): PodDemand {
  return { cpuMillicores: 1000, memoryMib: 1024, gpus: 0, machineTypes: null, group: null, ...demand };
}

export function aMachineType(type: Partial<MachineType> = {}): MachineType {
  return { name: 'small', cpuMillicores: 2000, memoryMib: 4096, gpus: 0, maxPods: 110, usdPerHour: 0.1, maxNodes: null, ...type };
}

/** Problems of one to six pods and one to three machine types, some of which no packing solves. */
export function smallProblems(): fc.Arbitrary<PackingProblem> {
  return fc
    .array(machineTypes(), { minLength: 1, maxLength: 3 })
    .map((types) => types.map((type, at) => ({ ...type, name: `type-${at}` })))
    .chain((types) =>
      fc.array(podDemands(types.map(({ name }) => name)), { minLength: 1, maxLength: 6 }).map((pods) => classifyPods(pods, types).problem),
    );
}

function machineTypes(): fc.Arbitrary<MachineType> {
  return fc.record({
    name: fc.constant(''),
    cpuMillicores: fc.integer({ min: 1000, max: 6000 }),
    memoryMib: fc.integer({ min: 1000, max: 6000 }),
    gpus: fc.constantFrom(0, 1, 2),
    maxPods: fc.integer({ min: 1, max: 6 }),
    usdPerHour: fc.constantFrom(0, 0.1, 0.15, 0.2, 0.3, 0.45, 0.6),
    maxNodes: fc.constantFrom(null, null, null, null, null, 0, 1, 2, 3),
  });
}

function podDemands(types: readonly string[]): fc.Arbitrary<PodDemand> {
  return fc.record({
    cpuMillicores: fc.oneof(fc.constantFrom(0, 250, 500, 1000), fc.integer({ min: 0, max: 2000 })),
    memoryMib: fc.oneof(fc.constantFrom(0, 256, 512, 1024), fc.integer({ min: 0, max: 2000 })),
    gpus: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1),
    machineTypes: fc.oneof(
      { weight: 5, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.subarray([...types], { minLength: 1 }) },
    ),
    group: fc.constantFrom(
      null,
      null,
      null,
      { name: 'apart', perNode: 1, isNecessary: true },
      { name: 'pairs', perNode: 2, isNecessary: false },
    ),
  });
}

/** The lowest cost of any packing, by trying every one; Infinity where there is none. For a handful of pods. */
export function optimalCost(problem: PackingProblem): number {
  const pods = [...problem.podCounts].flatMap((count, podClass) => Array.from({ length: count }, () => podClass));
  const nodes: { readonly shape: number; readonly pods: number[] }[] = [];
  let best = Infinity;
  const place = (at: number, cost: number): void => {
    if (cost >= best) return;
    const podClass = pods[at];
    if (podClass === undefined) {
      best = cost;
      return;
    }
    for (const node of nodes) {
      if (!holds(problem, node.shape, [...node.pods, podClass])) continue;
      node.pods.push(podClass);
      place(at + 1, cost);
      node.pods.pop();
    }
    problem.machineTypes.forEach(({ usdPerHour, maxNodes }, shape) => {
      const used = nodes.filter((node) => node.shape === shape).length;
      if (used >= (maxNodes ?? Infinity) || !holds(problem, shape, [podClass])) return;
      nodes.push({ shape, pods: [podClass] });
      place(at + 1, cost + usdPerHour);
      nodes.pop();
    });
  };
  place(0, 0);
  return best;
}

function holds(problem: PackingProblem, shape: number, pods: readonly number[]): boolean {
  const type = problem.machineTypes[shape]!;
  const offered = [type.cpuMillicores, type.memoryMib, type.gpus, type.maxPods];
  const fits = offered.every((capacity, resource) => {
    return pods.reduce((sum, podClass) => sum + problem.requests[podClass * RESOURCE_COUNT + resource]!, 0) <= capacity;
  });
  const isAllowed = pods.every((podClass) => problem.mostPerNode[podClass * problem.machineTypes.length + shape]! > 0);
  const groups = Map.groupBy(pods, (podClass) => problem.groupOf[podClass]!);
  return fits && isAllowed && [...groups].every(([group, members]) => group < 0 || members.length <= problem.groupLimits[group]!);
}
