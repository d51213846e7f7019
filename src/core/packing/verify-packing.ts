// Checks a packing against its problem, by no code that made it: demands are added up pod by pod class again.

import type { Packing, PackedNodes } from './packing.ts';
import { PACKED_RESOURCES, RESOURCE_COUNT, type PackingProblem } from './packing-problem.ts';

/** A rule that a packing breaks. */
export interface PackingViolation {
  readonly code: 'pod-count' | 'capacity' | 'filter' | 'group' | 'max-nodes' | 'cost' | 'malformed';
  readonly message: string;
}

/** Relative difference of two sums of the same prices in another order. */
const COST_TOLERANCE = 1e-9;

/**
 * Every violation: pods missing or placed twice, nodes over capacity, filters and groups not kept, more nodes of a type than `maxNodes`,
 * and a cost that is not the sum of the nodes' prices.
 */
export function verifyPacking(problem: PackingProblem, packing: Packing, usdPerHour: number): PackingViolation[] {
  const violations = packing.nodes.flatMap((nodes) => violationsOfNode(problem, nodes));
  const placed = new Float64Array(problem.classCount);
  const nodes = new Float64Array(problem.machineTypes.length);
  let cost = 0;
  for (const { shape, classes, counts, copies } of packing.nodes) {
    classes.forEach((podClass, at) => (placed[podClass] = (placed[podClass] ?? 0) + (counts[at] ?? 0) * copies));
    nodes[shape] = (nodes[shape] ?? 0) + copies;
    cost += (problem.machineTypes[shape]?.usdPerHour ?? NaN) * copies;
  }
  problem.podCounts.forEach((expected, podClass) => {
    const actual = placed[podClass] ?? 0;
    if (actual !== expected) violations.push({ code: 'pod-count', message: `class ${podClass}: ${actual} of ${expected} pods are placed` });
  });
  problem.machineTypes.forEach(({ name, maxNodes }, shape) => {
    const count = nodes[shape] ?? 0;
    if (maxNodes !== null && count > maxNodes)
      violations.push({ code: 'max-nodes', message: `${count} nodes of ${name}, at most ${maxNodes}` });
  });
  if (!(Math.abs(cost - usdPerHour) <= COST_TOLERANCE * Math.max(1, cost))) {
    violations.push({ code: 'cost', message: `the nodes cost $${cost} an hour, not $${usdPerHour}` });
  }
  return violations;
}

function violationsOfNode(problem: PackingProblem, { shape, classes, counts, copies }: PackedNodes): PackingViolation[] {
  const type = problem.machineTypes[shape];
  const isWhole = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;
  const areKnown = classes.every((each) => Number.isInteger(each) && each >= 0 && each < problem.classCount);
  if (type === undefined || !isWhole(copies) || !areKnown || classes.length !== counts.length || !counts.every(isWhole)) {
    return [{ code: 'malformed', message: `nodes of shape ${shape}: an unknown shape or class, or a count that is not a positive number` }];
  }
  const violations: PackingViolation[] = [];
  const offered = [type.cpuMillicores, type.memoryMib, type.gpus, type.maxPods];
  PACKED_RESOURCES.forEach((resource, at) => {
    const used = classes.reduce((sum, each, place) => sum + (problem.requests[each * RESOURCE_COUNT + at] ?? 0) * (counts[place] ?? 0), 0);
    const capacity = offered[at] ?? 0;
    if (used > capacity) violations.push({ code: 'capacity', message: `a node of ${type.name} has ${used} ${resource} of ${capacity}` });
  });
  const perGroup = new Map<number, number>();
  classes.forEach((each, place) => {
    if ((problem.mostPerNode[each * problem.machineTypes.length + shape] ?? 0) === 0)
      violations.push({ code: 'filter', message: `class ${each} must not be on a node of ${type.name}` });
    const group = problem.groupOf[each] ?? -1;
    if (group >= 0) perGroup.set(group, (perGroup.get(group) ?? 0) + (counts[place] ?? 0));
  });
  for (const [group, count] of perGroup) {
    const limit = problem.groupLimits[group] ?? 0;
    if (count > limit) violations.push({ code: 'group', message: `a node of ${type.name} has ${count} pods of a group, at most ${limit}` });
  }
  return violations;
}
