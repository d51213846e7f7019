// Cluster Autoscaler with its least-waste expander, from its documentation: for each machine type the pending pods are placed
// first-fit-decreasing on nodes of that type alone; the type whose nodes would be left with the smallest share of unused CPU and memory
// grows, and the loop begins again with the pods that are still pending.
// https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md

import { OpenNodes } from '../packing/open-nodes.ts';
import type { Packing } from '../packing/packing.ts';
import { RESOURCE_COUNT, type PackingProblem } from '../packing/packing-problem.ts';
import { placeOn } from '../packing/first-fit.ts';

/** Most nodes that one group grows by in a loop: the estimator's `max-nodes-per-scaleup`. */
const MAX_NODES_PER_LOOP = 1000;

/** Null where pods are left over because of `maxNodes`. */
export function leastWaste(problem: PackingProblem): Packing | null {
  const nodes = new OpenNodes(problem);
  let left: Int32Array = problem.podCounts;
  while (left.some((count) => count > 0)) {
    let best: Option | null = null;
    for (const shape of problem.machineTypes.keys()) {
      const option = estimate(problem, shape, left, nodes.openLimit(shape));
      if (option !== null && (best === null || option.waste < best.waste)) best = option;
    }
    if (best === null) return null;
    nodes.append(best.nodes);
    ({ left } = best);
  }
  return nodes.toPacking();
}

interface Option {
  readonly nodes: OpenNodes;
  readonly waste: number;
  /** Pods that are still pending, by class. */
  readonly left: Int32Array;
}

/** Nodes of one type for the pending pods; null where it takes none. */
function estimate(problem: PackingProblem, shape: number, pending: Int32Array, limit: number): Option | null {
  const nodes = new OpenNodes(problem);
  const left = Int32Array.from(pending);
  const most = Math.min(MAX_NODES_PER_LOOP, limit);
  const used = new Float64Array(RESOURCE_COUNT);
  for (const podClass of byScore(problem, shape, pending)) {
    let count = left[podClass] ?? 0;
    for (let node = 0; node < nodes.count && count > 0; node += 1) count -= placeOn(nodes, node, podClass, count);
    while (count > 0 && nodes.count < most) count -= placeOn(nodes, nodes.open(shape), podClass, count);
    const placed = (left[podClass] ?? 0) - count;
    left[podClass] = count;
    for (let resource = 0; resource < RESOURCE_COUNT; resource += 1)
      used[resource] = (used[resource] ?? 0) + placed * (problem.requests[podClass * RESOURCE_COUNT + resource] ?? 0);
  }
  if (nodes.count === 0) return null;
  const unused = (resource: number): number => {
    const available = (problem.capacities[shape * RESOURCE_COUNT + resource] ?? 0) * nodes.count;
    return available === 0 ? 0 : (available - (used[resource] ?? 0)) / available;
  };
  return { nodes, waste: unused(0) + unused(1), left };
}

/** Classes that the shape holds, by the sum of their shares of CPU and memory, descending. */
function byScore({ requests, capacities, mostPerNode, machineTypes }: PackingProblem, shape: number, pending: Int32Array): number[] {
  const share = (podClass: number, resource: number): number => {
    const capacity = capacities[shape * RESOURCE_COUNT + resource] ?? 0;
    return capacity === 0 ? 0 : (requests[podClass * RESOURCE_COUNT + resource] ?? 0) / capacity;
  };
  const scores = Float64Array.from(pending, (_, podClass) => share(podClass, 0) + share(podClass, 1));
  return [...pending.keys()]
    .filter((podClass) => (pending[podClass] ?? 0) > 0 && (mostPerNode[podClass * machineTypes.length + shape] ?? 0) > 0)
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
}
