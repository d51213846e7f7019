// Zones for the pods of Karpenter's benchmark, so that each zone is a packing problem of its own, and a proof that the placed pods keep the
// rules that they state.
//
// Dealing is stricter than the rules. Pods with `my-label` go to the zones in turn, by the value of the label and whatever their kind, so
// that in this order the zones never differ by more than one such pod: no spread over zones has a larger skew then, whichever value it
// counts. On a node is at most one host-spread pod of each value: placed before the generic pods, none of them counts more than one.

import type { PodDemand } from '../../../src/core/packing/packing-problem.ts';
import { type MixedPod, ZONES } from './karpenter-mix.ts';

/** Indices of pods, in the order in which they are placed. Pods of kinds whose rules others could break come first. */
const PLACEMENT_ORDER = ['host-spread', 'zone-spread', 'generic', 'zone-affinity', 'host-anti-affinity'] as const;
const MAX_SKEW = 1;

export function placementOrder(pods: readonly MixedPod[]): number[] {
  return PLACEMENT_ORDER.flatMap((kind) => [...pods.keys()].filter((pod) => pods[pod]?.kind === kind));
}

/** Index of a zone by pod. */
export function dealZones(pods: readonly MixedPod[]): Uint8Array {
  const zoneOf = new Uint8Array(pods.length);
  const turns = new Map<string, number>();
  for (const pod of placementOrder(pods)) {
    const { kind, label } = pods[pod]!;
    const key = `${label.key}=${label.value}`;
    // Values begin in different zones, so that what is left over after the last round is in different zones, too.
    const turn = turns.get(key) ?? turns.size;
    turns.set(key, kind === 'zone-affinity' ? turn : turn + 1);
    zoneOf[pod] = turn % ZONES.length;
  }
  return zoneOf;
}

/** What a pod needs of its node, in a zone that has been chosen. */
export function demandOf({ kind, cpuMillicores, memoryMib, label }: MixedPod): PodDemand {
  const group =
    kind === 'host-spread'
      ? { name: `spread of ${label.value}`, perNode: 1, isNecessary: false }
      : kind === 'host-anti-affinity'
        ? { name: 'anti-affinity', perNode: 1, isNecessary: true }
        : null;
  return { cpuMillicores, memoryMib, gpus: 0, machineTypes: null, group };
}

/**
 * Places the pods one after the other, and checks the rule of each as kube-scheduler does, with no pod on an empty node somewhere.
 * @param nodeOf name of the node by pod @throws Error for the first pod whose rule is broken
 */
export function provePlacement(pods: readonly MixedPod[], zoneOf: Uint8Array, nodeOf: readonly string[]): void {
  const counts = new Map<string, number>();
  const countOf = (domain: string, { key }: MixedPod['label'], value: string | null): number =>
    counts.get(`${domain} ${key}=${value ?? ''}`) ?? 0;
  for (const pod of placementOrder(pods)) {
    const { kind, label, selected } = pods[pod]!;
    const [zone, node] = [ZONES[zoneOf[pod] ?? 0] ?? '', nodeOf[pod]];
    if (node === undefined) throw new Error(`pod ${pod} has no node`);
    const inZones = ZONES.map((each) => countOf(each, label, selected));
    const inZone = countOf(zone, label, selected);
    const onNode = countOf(node, label, selected);
    const self = Number(selected === label.value);
    const isKept = {
      generic: true,
      'zone-spread': inZone + self - Math.min(...inZones) <= MAX_SKEW,
      'host-spread': onNode + self <= MAX_SKEW,
      'zone-affinity': inZone > 0 || inZones.every((count) => count === 0),
      'host-anti-affinity': onNode === 0,
    }[kind];
    if (!isKept) throw new Error(`pod ${pod} breaks its rule (${kind}) in ${zone} on ${node}`);
    for (const domain of [zone, node]) {
      const key = `${domain} ${label.key}=${label.value}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
}
