// Pools of a cluster: the machine types that its nodes have, at the prices of the catalogue.

import type { Labels } from '#kube/label-selector';
import type { SchedulingRules } from '#kube/pod-spec/scheduling-rules';
import type { Taint } from '#kube/records/node';
import { SPOT_LABELS } from '../../../adapters/kubernetes/decode/decode-node.ts';
import type { OfferingPrice, PriceCatalogue } from '../../../core/cost/price-catalogue.ts';
import { isSharedCore } from '../../../core/cost/shared-core.ts';
import type { ExistingNode } from '../../../core/packing-rules/fix-nodes.ts';
import { RESOURCE_COUNT } from '../../../core/packing/packing-problem.ts';
import { isEveryTaintTolerated } from '../../../core/packing-rules/eligible-shapes.ts';
import { HOSTNAME_LABEL, type PoolShape } from '../../../core/packing-rules/pool-shape.ts';
import type { NamedPod } from '../input/read-pods-csv.ts';
import { isControlPlane, type UnpricedNode } from '../nodes/read-nodes.ts';

/** Nodes that are alike: of a machine type, zone, capacity type, price and taints. It has the labels that all of them have. */
export interface DerivedPool extends PoolShape {
  readonly price: OfferingPrice;
  /** Names. */
  readonly nodes: readonly string[];
}

export interface DerivedPools {
  readonly pools: readonly DerivedPool[];
  readonly nodes: readonly ExistingNode[];
  /** Names of nodes with spot capacity. */
  readonly spotNodes: ReadonlySet<string>;
  readonly notes: readonly string[];
}

const CORDON = 'node.kubernetes.io/unschedulable';

/**
 * Prices the nodes, and makes a pool of those that are alike, without those of the control plane and with shared cores. Nodes without a
 * machine type are problems.
 */
export function derivePools(found: readonly UnpricedNode[], catalogue: PriceCatalogue, problems: string[]): DerivedPools {
  const priced = found.flatMap(({ record, source: _, ...node }): Priced[] => {
    const { machineType, capacityType, zone, region } = record;
    if (machineType === null) {
      problems.push(`node ${node.name} has no label node.kubernetes.io/instance-type, so that its price is unknown; add the label`);
      return [];
    }
    const price = catalogue.priceOf({ machineType, capacityType, zone, region }, record.capacity);
    if (price === null) {
      problems.push(`node ${node.name}: its machine type ${machineType} has no price; state it with --prices`);
      return [];
    }
    const offering = { machineType, zone, capacityType };
    // Its pool has no max.
    const existing: ExistingNode = { ...node, offering, pool: null, usdPerHour: price.perHourUsd };
    return [
      {
        node: existing,
        price,
        taints: node.taints.filter(({ key, effect }) => key !== CORDON && effect !== 'PreferNoSchedule'),
      },
    ];
  });
  const names = new Map<string, number>();
  const bought = priced.filter(({ node }) => !isControlPlane(node.labels));
  const shared = bought.filter(({ node }) => isSharedCore(node.offering.machineType));
  const groups = [
    ...Map.groupBy(
      bought.filter((each) => !shared.includes(each)),
      keyOf,
    ).values(),
  ].sort((a, b) => b.length - a.length);
  return {
    pools: groups.flatMap((group) => poolOf(group, names)),
    nodes: priced.map(({ node }) => node),
    spotNodes: new Set(priced.filter(({ node }) => isSpot(node)).map(({ node }) => node.name)),
    notes: sharedCoreNotes(shared.map(({ node }) => node.offering.machineType)),
  };
}

interface Priced {
  readonly node: ExistingNode;
  readonly price: OfferingPrice;
  readonly taints: readonly Taint[];
}

/** @param machineTypes of nodes with shared cores */
function sharedCoreNotes(machineTypes: readonly string[]): string[] {
  if (machineTypes.length === 0) return [];
  const names = [...new Set(machineTypes)].sort().join(', ');
  return [`machine types with shared cores sustain less CPU than they state, and no node of them is added: ${names}`];
}

function isSpot({ offering }: Pick<PoolShape, 'offering'>): boolean {
  return offering.capacityType === 'spot';
}

function keyOf({ node, taints }: Priced): string {
  return JSON.stringify([node.offering, node.usdPerHour, taints.map(({ key, value, effect }) => [key, value, effect])]);
}

function poolOf(group: readonly Priced[], names: Map<string, number>): DerivedPool[] {
  const [first] = group;
  if (first === undefined) return [];
  const { node, price, taints } = first;
  const { machineType, zone, capacityType } = node.offering;
  const base = [machineType, zone, capacityType].filter((part) => part !== null).join('-');
  const number = (names.get(base) ?? 0) + 1;
  names.set(base, number);
  const least = (of: (node: ExistingNode) => number): number => Math.min(...group.map((each) => of(each.node)));
  return [
    {
      name: number === 1 ? base : `${base} #${number}`,
      ...{ offering: node.offering, price, taints, labels: commonLabels(group.map((each) => each.node.labels)) },
      nodes: group.map((each) => each.node.name),
      // The least of its nodes: a packing must hold on any of them.
      cpuMillicores: least(({ cpuMillicores }) => cpuMillicores),
      memoryMib: least(({ memoryMib }) => memoryMib),
      gpus: least(({ gpus }) => gpus),
      maxPods: least(({ maxPods }) => maxPods),
      usdPerHour: node.usdPerHour,
      maxNodes: null,
    },
  ];
}

function commonLabels([first = {}, ...others]: readonly Labels[]): Labels {
  return Object.fromEntries(
    Object.entries(first).filter(([key, value]) => key !== HOSTNAME_LABEL && others.every((labels) => labels[key] === value)),
  );
}

/** Where prices come from, with the machine types whose price is an estimate. */
export function priceSources(pools: readonly DerivedPool[]): string[] {
  return [...Map.groupBy(pools, ({ price }) => price.source)].map(([source, same]) => {
    if (same[0]?.price.estimate !== true) return source;
    return `${source} (${[...new Set(same.map(({ offering }) => offering.machineType))].join(', ')}; state what you pay with --prices)`;
  });
}

/** Subtracts what pods of DaemonSets and static pods request on the node of each pool where that is most. */
export function daemonSubtraction(pools: readonly DerivedPool[], pods: readonly NamedPod[]): (offered: PoolShape) => PoolShape {
  const requested = new Map<string, Float64Array>();
  for (const { place, demand } of pods) {
    // Pods that are being deleted are not on every node of the pool.
    if (place?.movement !== 'goes') continue;
    const sums = requested.get(place.node) ?? new Float64Array(RESOURCE_COUNT);
    [demand.cpuMillicores, demand.memoryMib, demand.gpus, 1].forEach(
      (amount, resource) => (sums[resource] = (sums[resource] ?? 0) + amount),
    );
    requested.set(place.node, sums);
  }
  const nodesOf = new Map(pools.map(({ name, nodes }) => [name, nodes]));
  return (offered) => {
    const nodes = nodesOf.get(offered.name) ?? [];
    const most = (resource: number): number => nodes.reduce((max, name) => Math.max(max, requested.get(name)?.[resource] ?? 0), 0);
    return {
      ...offered,
      cpuMillicores: Math.max(0, offered.cpuMillicores - most(0)),
      memoryMib: Math.max(0, offered.memoryMib - most(1)),
      gpus: Math.max(0, offered.gpus - most(2)),
      maxPods: Math.max(0, offered.maxPods - most(3)),
    };
  };
}

/**
 * Which pools a pod may use: those whose taints it tolerates, and spot ones where it runs on a spot node now or asks for one, since what
 * runs on demand may not bear an interruption.
 */
export class PoolChoice {
  readonly #pools: readonly DerivedPool[];
  readonly #spotNodes: ReadonlySet<string>;

  constructor(pools: readonly DerivedPool[], spotNodes: ReadonlySet<string>) {
    this.#pools = pools;
    this.#spotNodes = spotNodes;
  }

  get hasSpot(): boolean {
    return this.#pools.some(isSpot);
  }

  /** @param anySpot whether every pod may use spot nodes */
  mayUseSpot({ place, rules }: NamedPod, anySpot: boolean): boolean {
    return anySpot || (place !== null && this.#spotNodes.has(place.node)) || (rules !== null && asksForSpot(rules));
  }

  /** @param anySpot whether every pod may use spot nodes */
  restrict(pod: NamedPod, anySpot: boolean): NamedPod {
    const { demand, rules } = pod;
    const mayBeInterrupted = this.mayUseSpot(pod, anySpot);
    const allowed = this.#pools.filter((pool) => {
      const { name, taints } = pool;
      if (isSpot(pool) && !mayBeInterrupted) return false;
      if (!isEveryTaintTolerated(rules?.tolerations ?? [], taints)) return false;
      return demand.machineTypes === null || demand.machineTypes.includes(name);
    });
    if (allowed.length === this.#pools.length) return pod;
    return { ...pod, demand: { ...demand, machineTypes: allowed.map(({ name }) => name) } };
  }
}

const SPOT_KEYS: ReadonlySet<string> = new Set(SPOT_LABELS.map(([key]) => key));

/** Whether node selector or affinity name the capacity type: they decide which one. */
function asksForSpot({ nodeSelector, nodeTerms }: Pick<SchedulingRules, 'nodeSelector' | 'nodeTerms'>): boolean {
  const keys = [...Object.keys(nodeSelector), ...(nodeTerms ?? []).flatMap(({ labels }) => labels.map(({ key }) => key))];
  return keys.some((key) => SPOT_KEYS.has(key.toLowerCase()));
}
