// Nodes that exist, from CSV or Kubernetes objects.

import type { Labels } from '#kube/label-selector';
import type { NodeRecord, Taint } from '#kube/records/node';
import { readWholeAmounts } from '#kube/amounts';
import { MiB } from '#kube/units';
import { objectAt, WireError } from '#kube/wire';
import { Interner } from '../../../adapters/kubernetes/decode/interner.ts';
import { readNode } from '../../../adapters/kubernetes/decode/decode-node.ts';
import type { ExistingNode } from '../../../core/packing-rules/fix-nodes.ts';
import type { PoolOffering } from '../../../core/packing/packing-problem.ts';
import { nodeLabels, type PoolShape } from '../../../core/packing-rules/pool-shape.ts';
import type { ManifestObject } from '../../read-manifests.ts';
import { capacityType, labelValue } from '../input/label-cells.ts';
import { objectName, readTable, type TableColumn } from '../input/read-table.ts';

export interface ReadNodes {
  readonly nodes: readonly ExistingNode[];
  readonly problems: readonly string[];
}

const COLUMNS = {
  node: { isRequired: true, read: objectName() },
  machine_type: { isRequired: true, read: objectName() },
  zone: { isRequired: false, read: labelValue() },
  capacity_type: { isRequired: false, read: capacityType() },
} satisfies Record<string, TableColumn<unknown>>;

/** Reads nodes from CSV: `node,machine_type[,zone][,capacity_type]`. A node offers what its pool does. */
export function readNodesCsv(source: string, text: string, pools: readonly PoolShape[]): ReadNodes {
  const { rows, problems } = readTable(source, text, COLUMNS);
  const further: string[] = [];
  const lineOf = new Map<string, number>();
  const nodes = rows.flatMap(
    ({ line, values: { node = '', machine_type: machineType = '', zone, capacity_type: capacity }, columnOf }): ExistingNode[] => {
      const first = lineOf.get(node);
      if (first !== undefined && node !== '') {
        further.push(`${source}:${line}:${columnOf('node')}: node: ${JSON.stringify(node)} is also on line ${first}; names must be unique`);
      }
      lineOf.set(node, first ?? line);
      const offering = { machineType, zone: zone ?? null, capacityType: capacity ?? null };
      const found = poolFor({ offering, labels: nodeLabels(offering, {}), taints: null }, pools);
      if ('problem' in found) {
        if (machineType !== '') further.push(`${source}:${line}:${columnOf('machine_type')}: machine_type: ${found.problem}`);
        return [];
      }
      const { pool } = found;
      const { cpuMillicores, memoryMib, gpus, maxPods, usdPerHour, labels, taints } = pool;
      // What the pool does not state, the line does.
      const offer = { cpuMillicores, memoryMib, gpus, maxPods, labels: nodeLabels(offering, labels), taints };
      return [{ name: node, offering: pool.offering, pool: pool.name, usdPerHour, ...offer, stays: null }];
    },
  );
  if (problems.length === 0 && rows.length === 0) further.push(`${source}: has no node; add one line for each`);
  return { nodes, problems: [...problems, ...further] };
}

const INSTANCE_TYPE = 'node.kubernetes.io/instance-type';
const GPU = 'nvidia.com/gpu';

interface Offered {
  readonly offering: PoolOffering;
  readonly labels: Labels;
  /** Null: not known. */
  readonly taints: readonly Taint[] | null;
}

/** The pool that a node is of: of its machine type, zone and capacity type, where the pool states them. Of several, labels and taints decide. */
function poolFor(
  { offering, labels, taints }: Offered,
  pools: readonly PoolShape[],
): { readonly pool: PoolShape } | { readonly problem: string } {
  const { machineType, zone, capacityType } = offering;
  const ofType = pools.filter((pool) => pool.offering.machineType === machineType);
  if (ofType.length === 0) return { problem: `machine type ${unknownType(machineType)}` };
  const offered = ofType.filter(({ offering: of }) => {
    const isInZone = of.zone === null || zone === null || of.zone === zone;
    return isInZone && (of.capacityType === null || capacityType === null || of.capacityType === capacityType);
  });
  const at = [machineType, zone, capacityType].filter((part) => part !== null).join(', ');
  if (offered.length === 0) return { problem: `no pool is of ${at}, so that its price is unknown; add one` };
  const alike = taints === null ? offered : offered.filter((pool) => isAlike(pool, { labels, taints }, offered));
  const [pool] = alike.length === 0 ? offered : alike;
  if (pool === undefined || new Set((alike.length === 0 ? offered : alike).map(({ usdPerHour }) => usdPerHour)).size > 1)
    return { problem: `several pools are of ${at}, with different prices; state zone and capacity type of the node, or keep one pool` };
  return { pool };
}

/** Whether a node has the taints of a pool, and its labels by which the pools differ. */
function isAlike(pool: PoolShape, { labels, taints }: Pick<PoolShape, 'labels' | 'taints'>, pools: readonly PoolShape[]): boolean {
  const isTainted = pool.taints.every(({ key, value, effect }) =>
    taints.some((taint) => taint.key === key && taint.value === value && taint.effect === effect),
  );
  const differing = Object.entries(pool.labels).filter(([key, value]) => pools.some((other) => other.labels[key] !== value));
  return isTainted && differing.every(([key, value]) => labels[key] === value);
}

function unknownType(machineType: string): string {
  return `${JSON.stringify(machineType)} is in no pool, so that its price is unknown; add it to the pools`;
}

/** A node with what it offers, before it has a price. */
export interface UnpricedNode extends Omit<ExistingNode, 'usdPerHour' | 'pool' | 'offering'> {
  readonly source: string;
  readonly record: NodeRecord;
}

/** Reads the Nodes among objects. */
export function readNodeObjects(objects: readonly ManifestObject[], problems: string[]): UnpricedNode[] {
  const interner = new Interner();
  const sourceOf = new Map<string, string>();
  return objects
    .filter(({ object }) => object.kind === 'Node')
    .flatMap(({ source, object }): UnpricedNode[] => {
      try {
        const record = readNode(object, interner);
        const first = sourceOf.get(record.name);
        if (first !== undefined) {
          problems.push(`${source}: node ${record.name} is also in ${first}; names must be unique`);
          return [];
        }
        sourceOf.set(record.name, source);
        return [{ source, record, ...offerOf(object, record) }];
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        problems.push(`${source}: Node ${object.metadata.name ?? ''}: ${error.message}`);
        return [];
      }
    });
}

function offerOf(object: ManifestObject['object'], record: NodeRecord): Omit<UnpricedNode, 'source' | 'record'> {
  const { name, allocatable, podCapacity, labels, taints, unschedulable } = record;
  const status = objectAt(object, 'status');
  const cordon = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' } as const;
  return {
    name,
    cpuMillicores: Math.floor(allocatable.cpuMillicores),
    memoryMib: allocatable.memoryBytes / MiB,
    gpus: readWholeAmounts(objectAt(status, 'allocatable', 'status.allocatable')).get(GPU) ?? 0,
    maxPods: podCapacity,
    labels,
    taints: unschedulable && !taints.some(({ key }) => key === cordon.key) ? [...taints, cordon] : taints,
    stays: whyItStays(record),
  };
}

const CONTROL_PLANE = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

export function isControlPlane(labels: Labels): boolean {
  return CONTROL_PLANE.some((label) => labels[label] !== undefined);
}

function whyItStays({ labels, annotations }: NodeRecord): string | null {
  if (isControlPlane(labels)) return 'it is of the control plane';
  const isKept =
    annotations['cluster-autoscaler.kubernetes.io/scale-down-disabled'] === 'true' || annotations['karpenter.sh/do-not-disrupt'] === 'true';
  return isKept ? 'an annotation of the node forbids its removal' : null;
}

/** Gives nodes the prices of their pools. */
export function priceNodes(nodes: readonly UnpricedNode[], pools: readonly PoolShape[], problems: string[]): ExistingNode[] {
  return nodes.flatMap(({ source, record, ...node }): ExistingNode[] => {
    const { machineType, zone, capacityType: capacity } = record;
    const found =
      machineType === null
        ? { problem: `has no label ${INSTANCE_TYPE}, so that its price is unknown; add the label` }
        : poolFor({ offering: { machineType, zone, capacityType: capacity }, ...node }, pools);
    if (machineType !== null && 'pool' in found) {
      return [
        {
          ...node,
          offering: { machineType, zone, capacityType: found.pool.offering.capacityType },
          pool: found.pool.name,
          usdPerHour: found.pool.usdPerHour,
        },
      ];
    }
    problems.push(`${source}: Node ${node.name}: ${'problem' in found ? found.problem : ''}`);
    return [];
  });
}
