import type { Packing } from '../../core/packing/packing.ts';
import type { PackInput } from './input/read-input.ts';

/** A node of a packing with the pods of the input on it. */
export interface AssignedNode {
  /** Unique: that of its pool, with a number; of a node that exists, its own. */
  readonly name: string;
  readonly shape: number;
  /** Indices of pods of the input. */
  readonly pods: readonly number[];
}

/** Gives the pods of each class to its places, in the order of the input. Nodes are numbered within their pool. */
export function* assignedNodes({ pods, classOf, problem, existing }: PackInput, packing: Packing): Generator<AssignedNode> {
  const waiting = Array.from({ length: problem.classCount }, (): number[] => []);
  // Backwards, so that `pop` takes the pods of a class in their order.
  for (let index = pods.length - 1; index >= 0; index -= 1) waiting[classOf[index] ?? 0]?.push(index);
  const nodesOf = new Map<number, number>();
  const ownNames = new Map(existing?.shapes.map(({ name, nodes }) => [name, nodes]));
  for (const { shape, classes, counts, copies } of packing.nodes) {
    for (let copy = 0; copy < copies; copy += 1) {
      const number = (nodesOf.get(shape) ?? 0) + 1;
      nodesOf.set(shape, number);
      const assigned = classes.flatMap((podClass, at) => Array.from({ length: counts[at] ?? 0 }, () => waiting[podClass]?.pop() ?? -1));
      const pool = problem.machineTypes[shape]?.name ?? '';
      yield { name: ownNames.get(pool)?.[number - 1] ?? `${pool}-${number}`, shape, pods: assigned };
    }
  }
}
