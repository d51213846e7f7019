// Karpenter's provisioning, from its documentation and source: pods by CPU, then memory, descending; a pod goes to the claim with the
// fewest pods that can take it; a claim keeps the machine types that still hold all of its pods, and the cheapest of them is launched.
// https://karpenter.sh/docs/concepts/scheduling/

import { mergeNodes, type PackedNodes, type Packing } from '../packing/packing.ts';
import { RESOURCE_COUNT, type PackingProblem } from '../packing/packing-problem.ts';

/** Most types of a claim, the cheapest ones. */
const MAX_TYPES = 600;

/** Null where pods are left over because of `maxNodes`: a type counts once for each claim that is launched with it. */
export function karpenterLike(problem: PackingProblem): Packing | null {
  const claims = new Claims(problem);
  for (const podClass of byCpuThenMemory(problem)) {
    for (let pod = 0; pod < (problem.podCounts[podClass] ?? 0); pod += 1) if (!claims.add(podClass)) return null;
  }
  return claims.launch();
}

function byCpuThenMemory({ requests, podCounts }: PackingProblem): number[] {
  const request = (podClass: number, resource: number): number => requests[podClass * RESOURCE_COUNT + resource] ?? 0;
  return [...podCounts.keys()].sort((a, b) => request(b, 0) - request(a, 0) || request(b, 1) - request(a, 1) || a - b);
}

interface Claim {
  readonly requested: Float64Array;
  readonly pods: Map<number, number>;
  podCount: number;
  /** Types that hold its pods, ascending by price. */
  types: readonly number[];
}

class Claims {
  readonly #problem: PackingProblem;
  readonly #types: readonly number[];
  /** Ascending by pods; of equal ones the older first. */
  readonly #claims: Claim[] = [];
  /** The same class fits no claim that refused it before: claims only fill up. By class, with the claims that are to be tried. */
  #refusing: { podClass: number; readonly claims: Set<Claim> } = { podClass: -1, claims: new Set() };

  constructor(problem: PackingProblem) {
    this.#problem = problem;
    this.#types = [...problem.machineTypes.keys()]
      .sort((a, b) => (problem.usdPerHour[a] ?? 0) - (problem.usdPerHour[b] ?? 0) || a - b)
      .slice(0, MAX_TYPES);
  }

  /** Places a pod. False: no type takes it. */
  add(podClass: number): boolean {
    if (this.#refusing.podClass !== podClass) this.#refusing = { podClass, claims: new Set() };
    for (const [at, claim] of this.#claims.entries()) {
      if (this.#refusing.claims.has(claim)) continue;
      const types = this.#typesWith(claim, podClass);
      if (types.length === 0) {
        this.#refusing.claims.add(claim);
        continue;
      }
      this.#place(claim, podClass, types);
      this.#restoreOrder(at);
      return true;
    }
    const claim: Claim = { requested: new Float64Array(RESOURCE_COUNT), pods: new Map(), podCount: 0, types: this.#types };
    const types = this.#typesWith(claim, podClass);
    if (types.length === 0) return false;
    this.#place(claim, podClass, types);
    this.#claims.unshift(claim);
    this.#restoreOrder(0);
    return true;
  }

  /** The cheapest type of each claim that may still be bought. */
  launch(): Packing | null {
    const used = new Int32Array(this.#problem.machineTypes.length);
    const nodes: PackedNodes[] = [];
    for (const { pods, types } of this.#claims) {
      const shape = types.find((type) => (used[type] ?? 0) < (this.#problem.maxNodes[type] ?? 0));
      if (shape === undefined) return null;
      used[shape] = (used[shape] ?? 0) + 1;
      const sorted = [...pods].sort(([a], [b]) => a - b);
      nodes.push({ shape, classes: sorted.map(([podClass]) => podClass), counts: sorted.map(([, count]) => count), copies: 1 });
    }
    return mergeNodes(nodes);
  }

  /** Types of the claim that hold one more pod. */
  #typesWith({ requested, pods, types }: Claim, podClass: number): number[] {
    const { requests, capacities, mostPerNode, machineTypes, groupOf, groupLimits } = this.#problem;
    const group = groupOf[podClass] ?? -1;
    if (group >= 0) {
      let inGroup = 0;
      for (const [other, count] of pods) if (groupOf[other] === group) inGroup += count;
      if (inGroup >= (groupLimits[group] ?? 0)) return [];
    }
    return types.filter((type) => {
      if ((mostPerNode[podClass * machineTypes.length + type] ?? 0) === 0) return false;
      for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
        const needed = (requested[resource] ?? 0) + (requests[podClass * RESOURCE_COUNT + resource] ?? 0);
        if (needed > (capacities[type * RESOURCE_COUNT + resource] ?? 0)) return false;
      }
      return true;
    });
  }

  #place(claim: Claim, podClass: number, types: readonly number[]): void {
    for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
      claim.requested[resource] = (claim.requested[resource] ?? 0) + (this.#problem.requests[podClass * RESOURCE_COUNT + resource] ?? 0);
    }
    claim.pods.set(podClass, (claim.pods.get(podClass) ?? 0) + 1);
    claim.podCount += 1;
    claim.types = types;
  }

  /** Moves a claim that got a pod behind those with as many. */
  #restoreOrder(from: number): void {
    const claim = this.#claims[from];
    if (claim === undefined) return;
    let at = from;
    for (let next = this.#claims[at + 1]; next !== undefined && next.podCount <= claim.podCount; next = this.#claims[at + 1]) {
      this.#claims[at] = next;
      at += 1;
    }
    this.#claims[at] = claim;
  }
}
