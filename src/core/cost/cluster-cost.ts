// Who pays for the cluster: every node's price, shared out to the pods on it by what they request; what nobody
// requests is idle. The parts add up to the whole, rounded cents included.

import { GiB, HOURS_PER_MONTH } from '../model/units.ts';
import type { OptionalResources } from '../model/resources.ts';
import type { Usd } from '../model/units.ts';
import type { SplitPrice } from './node-price.ts';

export interface PricedNode extends SplitPrice {
  readonly name: string;
  readonly perHourUsd: Usd;
  readonly capacityType: 'spot' | 'on-demand';
  /** What the same node costs on demand; null where unknown. */
  readonly onDemandPerHourUsd: Usd | null;
}

export interface RequestingPod {
  readonly namespace: string;
  /** `namespace/kind/name` of its workload. */
  readonly workload: string;
  /** null while unscheduled: it costs nothing yet. */
  readonly node: string | null;
  readonly requests: OptionalResources;
}

export interface ClusterCost {
  readonly perHourUsd: Usd;
  readonly perMonthUsd: Usd;
  /** Part of it that no pod requests. */
  readonly idlePerMonthUsd: Usd;
  /** What its spot nodes cost less than on demand. */
  readonly spotSavingsPerMonthUsd: Usd;
  /** Per month, in whole cents; with `idlePerMonthUsd` they add up to `perMonthUsd` to the cent. */
  readonly byWorkload: ReadonlyMap<string, Usd>;
  readonly byNamespace: ReadonlyMap<string, Usd>;
}

/** Attributes the cost of all nodes to the workloads on them. */
export function attributeClusterCost(nodes: readonly PricedNode[], pods: readonly RequestingPod[]): ClusterCost {
  const podsByNode = Map.groupBy(pods, (pod) => pod.node);
  const raw = new Map<string, Usd>();
  const namespaces = new Map<string, string>();
  let idle = 0;
  for (const node of nodes) {
    const here = podsByNode.get(node.name) ?? [];
    const wanted = here.map((pod) => requestsCostPerHour(pod.requests, node));
    const sum = wanted.reduce((total, each) => total + each, 0);
    // Requests may pass a node's capacity (it shrank, or pods were forced on it): they share what it costs, no more.
    const scale = sum > node.perHourUsd ? node.perHourUsd / sum : 1;
    for (const [index, pod] of here.entries()) {
      raw.set(pod.workload, (raw.get(pod.workload) ?? 0) + (wanted[index] ?? 0) * scale * HOURS_PER_MONTH);
      namespaces.set(pod.workload, pod.namespace);
    }
    idle += (node.perHourUsd - sum * scale) * HOURS_PER_MONTH;
  }
  const perHourUsd = nodes.reduce((total, node) => total + node.perHourUsd, 0);
  const workloads = [...raw.keys()].sort();
  const perMonthUsd = toCents(perHourUsd * HOURS_PER_MONTH) / 100;
  const cents = shareCents([...workloads.map((workload) => raw.get(workload) ?? 0), idle], toCents(perMonthUsd));
  const byWorkload = new Map(workloads.map((workload, index) => [workload, (cents[index] ?? 0) / 100]));
  const byNamespace = new Map<string, Usd>();
  for (const [index, workload] of workloads.entries()) {
    const namespace = namespaces.get(workload) ?? '';
    byNamespace.set(namespace, (toCents(byNamespace.get(namespace) ?? 0) + (cents[index] ?? 0)) / 100);
  }
  const spotSavings = nodes
    .filter((node) => node.capacityType === 'spot')
    .reduce((total, node) => total + Math.max(0, (node.onDemandPerHourUsd ?? node.perHourUsd) - node.perHourUsd), 0);
  return {
    perHourUsd,
    perMonthUsd,
    idlePerMonthUsd: (cents.at(-1) ?? 0) / 100,
    spotSavingsPerMonthUsd: toCents(spotSavings * HOURS_PER_MONTH) / 100,
    byWorkload,
    byNamespace,
  };
}

/** Cost of requests on a node with these rates, per hour. */
export function requestsCostPerHour(requests: OptionalResources, rates: SplitPrice): Usd {
  return ((requests.cpuMillicores ?? 0) / 1000) * rates.perCoreHourUsd + ((requests.memoryBytes ?? 0) / GiB) * rates.perGiBHourUsd;
}

/**
 * Rounds parts to whole cents that add up to `totalCents`: each is rounded down, and the cents left over go to the
 * largest remainders (the earlier part on a tie).
 */
export function shareCents(partsUsd: readonly Usd[], totalCents: number): number[] {
  const exact = partsUsd.map((part) => part * 100);
  const cents = exact.map(Math.floor);
  const left = totalCents - cents.reduce((sum, each) => sum + each, 0);
  const byRemainder = [...exact.keys()].sort((a, b) => remainder(exact, b) - remainder(exact, a) || a - b);
  // Whole rounds first: with few parts and a total that was itself rounded, a cent or two may go round twice.
  for (let given = 0; given < left; given++) {
    const index = byRemainder[given % byRemainder.length];
    if (index !== undefined) cents[index] = (cents[index] ?? 0) + 1;
  }
  for (let taken = 0; taken < -left; taken++) {
    const index = byRemainder.at(-1 - (taken % byRemainder.length));
    if (index !== undefined) cents[index] = (cents[index] ?? 0) - 1;
  }
  return cents;
}

function remainder(exact: readonly number[], index: number): number {
  const value = exact[index] ?? 0;
  return value - Math.floor(value);
}

function toCents(usd: Usd): number {
  return Math.round(usd * 100);
}
