// Packs the pods of Karpenter's benchmark zone by zone, and proves the result.

import { packingCost } from '../../../src/core/packing/packing.ts';
import { classifyPods, type ClassifiedPods } from '../../../src/core/packing/packing-problem.ts';
import type { Packing } from '../../../src/core/packing/packing.ts';
import { verifyPacking } from '../../../src/core/packing/verify-packing.ts';
import { type MixedPod, mixedMachineTypes, ZONES } from './karpenter-mix.ts';
import { dealZones, demandOf, provePlacement } from './mix-zones.ts';
import { nodeCount, packBriefly } from './pack-briefly.ts';

export interface MixPacking {
  /** From the pods to the packings of all zones. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly nodes: number;
  readonly usdPerHour: number;
}

interface PackedZone extends ClassifiedPods {
  /** Indices of its pods. */
  readonly pods: readonly number[];
  readonly packing: Packing;
}

/** @throws Error where the packing breaks a rule, of a pod or of a node */
export async function packMix(pods: readonly MixedPod[], effort: Parameters<typeof packBriefly>[1]): Promise<MixPacking> {
  const machineTypes = mixedMachineTypes();
  const started = performance.now();
  const cpu = process.cpuUsage();
  const zoneOf = dealZones(pods);
  const byZone = ZONES.map((): number[] => []);
  zoneOf.forEach((zone, pod) => byZone[zone]?.push(pod));
  const zones: PackedZone[] = [];
  for (const inZone of byZone) {
    const classified = classifyPods(
      inZone.map((pod) => demandOf(pods[pod]!)),
      machineTypes,
    );
    zones.push({ ...classified, pods: inZone, packing: await packBriefly(classified.problem, effort) });
  }
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - started) / 1000;
  for (const { problem, packing } of zones) {
    const [violation] = verifyPacking(problem, packing, packingCost(problem, packing));
    if (violation !== undefined) throw new Error(`the packing is wrong: ${violation.message}`);
  }
  provePlacement(pods, zoneOf, nodesByPod(pods.length, zones));
  return {
    seconds,
    cpuSeconds: (user + system) / 1e6,
    nodes: zones.reduce((sum, { packing }) => sum + nodeCount(packing), 0),
    usdPerHour: zones.reduce((sum, { problem, packing }) => sum + packingCost(problem, packing), 0),
  };
}

/** Name of the node by pod: pods of a class are equal, so that any of them goes where the class does. */
function nodesByPod(count: number, zones: readonly PackedZone[]): string[] {
  const nodeOf = new Array<string>(count);
  zones.forEach(({ pods, classOf, problem, packing }, zone) => {
    const waiting = Array.from({ length: problem.classCount }, (): number[] => []);
    pods.forEach((pod, at) => waiting[classOf[at] ?? 0]?.push(pod));
    packing.nodes.forEach(({ classes, counts, copies }, at) => {
      for (let copy = 0; copy < copies; copy += 1) {
        classes.forEach((podClass, place) => {
          const placed = waiting[podClass]?.splice(-(counts[place] ?? 0)) ?? [];
          for (const pod of placed) nodeOf[pod] = `node-${zone}-${at}-${copy}`;
        });
      }
    });
  });
  return nodeOf;
}
