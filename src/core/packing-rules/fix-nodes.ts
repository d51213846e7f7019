// Nodes that exist, as a packing takes them. Pods that cannot move keep their node, which is paid for whatever else happens: such a node is
// a shape without a price, of which there is one, with the capacity that its staying pods leave. All other nodes are given up, and what they
// cost is what a packing competes with.

import type { Amounts } from '#kube/amounts';
import type { Labels } from '#kube/label-selector';
import type { Taint } from '#kube/records/node';
import { withHeadroom } from './daemon-sets.ts';
import type { PoolShape } from './pool-shape.ts';
import { type PodGroup, type PoolOffering, RESOURCE_COUNT } from '../packing/packing-problem.ts';

/** A node that exists. */
export interface ExistingNode {
  readonly name: string;
  readonly offering: PoolOffering;
  /** Name of the pool that it counts for; null: of none. */
  readonly pool: string | null;
  readonly usdPerHour: number;
  /** Allocatable. */
  readonly cpuMillicores: number;
  readonly memoryMib: number;
  readonly gpus: number;
  readonly maxPods: number;
  readonly labels: Labels;
  /** With that of a cordon. */
  readonly taints: readonly Taint[];
  /** Why the node itself has to stay; null: its pods decide. */
  readonly stays: string | null;
}

/** Where a pod runs, and what becomes of it where its node goes. */
export interface PodPlace {
  readonly node: string;
  /** `goes`: with its node, as pods of DaemonSets and static pods do; `ends`: it is being deleted. Both take no place elsewhere. */
  readonly movement: 'moves' | 'stays' | 'goes' | 'ends';
  /** Why it stays; null: it does not. */
  readonly why: string | null;
  /** Whether it has rules about other pods that a packing does not understand, so that none may join it. */
  readonly isApart: boolean;
  /** What it takes of its node where that is not what it requests, as during a resize, memory in bytes; absent: its requests. */
  readonly held?: Amounts;
}

/** Whether a pod takes no place elsewhere where its node goes. */
export function goesWithNode({ movement }: PodPlace): boolean {
  return movement === 'goes' || movement === 'ends';
}

export interface PlacedPod {
  readonly place: PodPlace;
  /** Requests by resource, in the order of PACKED_RESOURCES. */
  readonly requests: readonly number[];
  readonly group: PodGroup | null;
}

/** Equal free nodes, as a machine type at no price. */
export interface FixedShape extends PoolShape {
  /** Names of the nodes. */
  readonly nodes: readonly string[];
  /** Groups of which a pod stays here: a further one would be against its rule. */
  readonly groups: readonly string[];
}

/** A node that stays. */
export interface StayingNode {
  readonly node: ExistingNode;
  /** Pods that stay with it, by the reason. */
  readonly podsByReason: ReadonlyMap<string, number>;
  /** Requests of the pods that stay or go with it, by resource. */
  readonly requested: Float64Array;
}

export interface FixedNodes {
  /** Dollars an hour of all nodes. */
  readonly nowUsdPerHour: number;
  /** Dollars an hour of those that stay. */
  readonly usdPerHour: number;
  readonly staying: readonly StayingNode[];
  /** Those of them on which something is left, equal ones together. */
  readonly shapes: readonly FixedShape[];
}

/**
 * Splits the nodes into those that stay and those that are given up.
 * @param headroom share of CPU, memory and pods of a node that stays free, 0 to 1
 * @throws RangeError where a pod is on an unknown node
 */
export function fixNodes(nodes: readonly ExistingNode[], pods: readonly PlacedPod[], headroom = 0): FixedNodes {
  const loads = new Map(nodes.map((node) => [node.name, newLoad(node)]));
  for (const pod of pods) {
    const load = loads.get(pod.place.node);
    if (load === undefined) throw new RangeError(`node ${pod.place.node} is not in the list`);
    addPod(load, pod);
  }
  const staying = [...loads.values()].filter(({ node, podsByReason }) => node.stays !== null || podsByReason.size > 0);
  return {
    nowUsdPerHour: sumOf(nodes),
    usdPerHour: sumOf(staying.map(({ node }) => node)),
    staying,
    shapes: mergeShapes(staying.filter(({ isClosed }) => !isClosed).map((load) => shapeOf(load, headroom))),
  };
}

interface Load {
  readonly node: ExistingNode;
  readonly podsByReason: Map<string, number>;
  readonly requested: Float64Array;
  readonly groups: Set<string>;
  isClosed: boolean;
}

function newLoad(node: ExistingNode): Load {
  return { node, podsByReason: new Map(), requested: new Float64Array(RESOURCE_COUNT), groups: new Set(), isClosed: false };
}

function addPod(load: Load, { place, requests, group }: PlacedPod): void {
  if (place.movement === 'moves') return;
  requests.forEach((amount, resource) => (load.requested[resource] = (load.requested[resource] ?? 0) + amount));
  if (place.isApart) load.isClosed = true;
  // Its rules count as long as it runs.
  if (group !== null) load.groups.add(group.name);
  if (goesWithNode(place)) return;
  load.podsByReason.set(place.why ?? '', (load.podsByReason.get(place.why ?? '') ?? 0) + 1);
}

function sumOf(nodes: readonly ExistingNode[]): number {
  return nodes.reduce((sum, { usdPerHour }) => sum + usdPerHour, 0);
}

function shapeOf({ node, requested, groups }: Load, headroom: number): FixedShape {
  const shape: PoolShape = { ...node, name: `node ${node.name}`, usdPerHour: 0, maxNodes: 1 };
  const offered = withHeadroom(shape, headroom);
  const left = (amount: number, resource: number): number => Math.max(0, amount - (requested[resource] ?? 0));
  return {
    offering: node.offering,
    name: `node ${node.name}`,
    nodes: [node.name],
    cpuMillicores: left(offered.cpuMillicores, 0),
    memoryMib: left(offered.memoryMib, 1),
    gpus: left(offered.gpus, 2),
    maxPods: left(offered.maxPods, 3),
    usdPerHour: 0,
    maxNodes: 1,
    labels: node.labels,
    taints: node.taints,
    groups: [...groups].sort(),
  };
}

/** Joins nodes on which the same is left; host names do not count. */
function mergeShapes(shapes: readonly FixedShape[]): FixedShape[] {
  const merged = new Map<string, FixedShape>();
  for (const shape of shapes) {
    if (shape.maxPods === 0) continue;
    const { nodes, labels, taints, groups, cpuMillicores, memoryMib, gpus, maxPods } = shape;
    const key = JSON.stringify([cpuMillicores, memoryMib, gpus, maxPods, groups, nodeKindOf({ labels, taints })]);
    const known = merged.get(key);
    merged.set(key, known === undefined ? shape : { ...known, nodes: [...known.nodes, ...nodes], maxNodes: known.nodes.length + 1 });
  }
  return [...merged.values()];
}

const OWN_LABELS: ReadonlySet<string> = new Set(['kubernetes.io/hostname']);

/** Equal for nodes with the same taints and the same labels, host names aside. */
export function nodeKindOf({ labels, taints }: Pick<ExistingNode, 'labels' | 'taints'>): string {
  const shared = Object.entries(labels).filter(([key]) => !OWN_LABELS.has(key));
  const entries = shared.sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
  return JSON.stringify([entries, taints.map(({ key, value, effect }) => [key, value, effect])]);
}
