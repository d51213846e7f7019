// Pods as classes and machine types as shapes, in columns: what a packing is computed from. Amounts are whole millicores, GPUs and pods, and
// MiB with the fraction of a whole number of bytes. Sums are exact up to 8 PiB: a number has 53 binary digits, of which a byte takes 20.

/** Resources of a column, in order. Each pod requests one of `pods`, and pods that share a node as many as they are. */
export const PACKED_RESOURCES = ['cpu', 'memory', 'gpu', 'pods'] as const;
export const RESOURCE_COUNT = PACKED_RESOURCES.length;

/** What one pod needs of its node. */
export interface PodDemand {
  readonly cpuMillicores: number;
  /** MiB, to the byte. */
  readonly memoryMib: number;
  readonly gpus: number;
  /** Names of the machine types that its filters allow; null: every one. */
  readonly machineTypes: readonly string[] | null;
  /** At most `perNode` pods of the group share a node (anti-affinity or spread by hostname); null: no such rule. */
  readonly group: PodGroup | null;
  /** Pods that it is the sum of, which must share a node; absent: 1. */
  readonly podCount?: number;
}

export interface PodGroup {
  readonly name: string;
  readonly perNode: number;
  /** Whether more on a node is always forbidden. A hard spread allows more where all nodes have as many: bounds leave such a group out. */
  readonly isNecessary: boolean;
}

/** What a pool buys. */
export interface PoolOffering {
  readonly machineType: string;
  /** Null: not stated. */
  readonly zone: string | null;
  readonly capacityType: 'spot' | 'on-demand' | null;
}

/** A machine type that may be bought, with what its node offers to pods. */
export interface MachineType {
  /** Unique: the machine type, with what distinguishes pools of the same type. */
  readonly name: string;
  /** What the pool buys; absent: the machine type of that name. */
  readonly offering?: PoolOffering;
  /** Allocatable. */
  readonly cpuMillicores: number;
  /** Allocatable MiB, to the byte. */
  readonly memoryMib: number;
  readonly gpus: number;
  readonly maxPods: number;
  readonly usdPerHour: number;
  /** Most nodes of the type; null: any number. */
  readonly maxNodes: number | null;
}

/** Classes of equal pods by shapes of nodes. `R` is RESOURCE_COUNT. */
export interface PackingProblem {
  readonly classCount: number;
  /** [class * R + resource]. */
  readonly requests: Float64Array;
  /** Pods by class. */
  readonly podCounts: Int32Array;
  /** Index into `groupLimits`; -1: none. */
  readonly groupOf: Int32Array;
  /** Most pods of a group on one node. */
  readonly groupLimits: Int32Array;
  /** By group: 1 where its limit is necessary. */
  readonly necessaryGroups: Uint8Array;
  readonly machineTypes: readonly MachineType[];
  /** [shape * R + resource]. */
  readonly capacities: Float64Array;
  readonly usdPerHour: Float64Array;
  /** Infinity: any number. */
  readonly maxNodes: Float64Array;
  /** [class * shapes + shape]: pods of the class that an empty node of the shape holds; 0: it does not fit, or a filter excludes it. */
  readonly mostPerNode: Int32Array;
}

export interface ClassifiedPods {
  readonly problem: PackingProblem;
  /** Class by index of the pod. */
  readonly classOf: Int32Array;
}

/**
 * Merges pods of equal demands into classes. Classes are sorted by their demands, so that the order of the pods changes nothing.
 * @throws RangeError where a pod names a machine type that is not in the list
 */
export function classifyPods(pods: readonly PodDemand[], machineTypes: readonly MachineType[]): ClassifiedPods {
  const members = new Map<string, number[]>();
  // Pods of a workload share one object, and a key may be long.
  const membersOf = new Map<PodDemand, number[]>();
  pods.forEach((pod, index) => {
    const key = membersOf.has(pod) ? '' : keyOf(pod);
    const known = membersOf.get(pod) ?? members.get(key) ?? [];
    if (known.length === 0) members.set(key, known);
    membersOf.set(pod, known);
    known.push(index);
  });
  const classes = [...members.values()]
    .map((indices) => ({ indices, demand: demandAt(pods, indices) }))
    .sort((a, b) => compareDemands(a.demand, b.demand));
  const classOf = new Int32Array(pods.length);
  classes.forEach(({ indices }, at) => {
    for (const index of indices) classOf[index] = at;
  });
  const counts = classes.map(({ indices }) => indices.length);
  return {
    problem: columnsOf(
      classes.map(({ demand }) => demand),
      counts,
      machineTypes,
    ),
    classOf,
  };
}

/** The same of demands that are classes already. @param counts pods by class */
export function columnsOf(demands: readonly PodDemand[], counts: readonly number[], machineTypes: readonly MachineType[]): PackingProblem {
  const groups = new Map<string, { readonly index: number; readonly perNode: number; readonly isNecessary: boolean }>();
  const groupOf = Int32Array.from(demands, ({ group }) => {
    if (group === null) return -1;
    const key = groupKey(group);
    const known = groups.get(key) ?? { index: groups.size, perNode: group.perNode, isNecessary: group.isNecessary };
    groups.set(key, known);
    return known.index;
  });
  const requests = Float64Array.from(
    demands.flatMap(({ cpuMillicores, memoryMib, gpus, podCount = 1 }) => [cpuMillicores, memoryMib, gpus, podCount]),
  );
  const capacities = Float64Array.from(
    machineTypes.flatMap(({ cpuMillicores, memoryMib, gpus, maxPods }) => [cpuMillicores, memoryMib, gpus, maxPods]),
  );
  const groupLimits = Int32Array.from([...groups.values()], ({ perNode }) => perNode);
  const necessaryGroups = Uint8Array.from([...groups.values()], ({ isNecessary }) => Number(isNecessary));
  return {
    classCount: demands.length,
    requests,
    podCounts: Int32Array.from(counts),
    groupOf,
    groupLimits,
    necessaryGroups,
    machineTypes,
    capacities,
    usdPerHour: Float64Array.from(machineTypes, (type) => type.usdPerHour),
    maxNodes: Float64Array.from(machineTypes, ({ maxNodes }) => maxNodes ?? Infinity),
    mostPerNode: mostPerNodeOf(demands, machineTypes, { requests, capacities, groupOf, groupLimits }),
  };
}

type FitColumns = Pick<PackingProblem, 'requests' | 'capacities' | 'groupOf' | 'groupLimits'>;

function mostPerNodeOf(demands: readonly PodDemand[], machineTypes: readonly MachineType[], columns: FitColumns): Int32Array {
  const most = new Int32Array(demands.length * machineTypes.length);
  const shapeOf = new Map(machineTypes.map(({ name }, shape) => [name, shape]));
  demands.forEach(({ machineTypes: allowed }, at) => {
    const shapes = allowed === null ? machineTypes.keys() : allowed.map((name) => shapeNamed(shapeOf, name));
    const group = columns.groupOf[at] ?? -1;
    const limit = group < 0 ? Infinity : (columns.groupLimits[group] ?? 0);
    for (const shape of shapes) {
      const copies = copiesByResources(columns.requests, at, columns.capacities, shape);
      most[at * machineTypes.length + shape] = Math.min(limit, copies);
    }
  });
  return most;
}

/** The problem without the groups whose limits are not necessary: every valid placement of the pods solves it, so that its bounds hold. */
export function relaxProblem(problem: PackingProblem): PackingProblem {
  if (problem.necessaryGroups.every((isNecessary) => isNecessary === 1)) return problem;
  const { requests, capacities, machineTypes } = problem;
  const groupOf = problem.groupOf.map((group) => (group >= 0 && problem.necessaryGroups[group] === 1 ? group : -1));
  const mostPerNode = problem.mostPerNode.map((most, at) => {
    const podClass = Math.floor(at / machineTypes.length);
    if (most === 0 || groupOf[podClass] === problem.groupOf[podClass]) return most;
    return copiesByResources(requests, podClass, capacities, at % machineTypes.length);
  });
  return { ...problem, groupOf, mostPerNode };
}

/** Shapes that hold a pod: others are in no packing. */
export function openShapes({ classCount, machineTypes, mostPerNode }: PackingProblem): number[] {
  const holdsSome = new Uint8Array(machineTypes.length);
  for (let podClass = 0; podClass < classCount; podClass += 1) {
    const row = podClass * machineTypes.length;
    for (let shape = 0; shape < machineTypes.length; shape += 1) if ((mostPerNode[row + shape] ?? 0) > 0) holdsSome[shape] = 1;
  }
  return [...machineTypes.keys()].filter((shape) => holdsSome[shape] === 1);
}

/** Pods of a class that the capacity of a shape holds. */
function copiesByResources(requests: Float64Array, podClass: number, capacities: Float64Array, shape: number): number {
  let copies = Infinity;
  for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
    const request = requests[podClass * RESOURCE_COUNT + resource] ?? 0;
    if (request > 0) copies = Math.min(copies, Math.floor((capacities[shape * RESOURCE_COUNT + resource] ?? 0) / request));
  }
  return copies;
}

function shapeNamed(shapeOf: ReadonlyMap<string, number>, name: string): number {
  const shape = shapeOf.get(name);
  if (shape === undefined) throw new RangeError(`machine type ${name} is not in the list`);
  return shape;
}

function demandAt(pods: readonly PodDemand[], indices: readonly number[]): PodDemand {
  const demand = pods[indices[0] ?? -1];
  if (demand === undefined) throw new RangeError('a class has no pod');
  return demand;
}

function keyOf({ cpuMillicores, memoryMib, gpus, machineTypes, group, podCount = 1 }: PodDemand): string {
  const filters = machineTypes === null && group === null ? '' : JSON.stringify([machineTypes, group === null ? null : groupKey(group)]);
  return `${cpuMillicores}/${memoryMib}/${gpus}/${podCount === 1 ? '' : podCount}/${filters}`;
}

function groupKey({ name, perNode }: PodGroup): string {
  return `${perNode} ${name}`;
}

function compareDemands(a: PodDemand, b: PodDemand): number {
  const byResource = b.cpuMillicores - a.cpuMillicores || b.memoryMib - a.memoryMib || b.gpus - a.gpus;
  if (byResource !== 0) return byResource;
  const [keyA, keyB] = [keyOf(a), keyOf(b)];
  if (keyA === keyB) return 0;
  return keyA < keyB ? -1 : 1;
}
