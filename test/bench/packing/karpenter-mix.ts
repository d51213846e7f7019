// The pods and machine types of Karpenter's scheduling benchmark, as its documentation and source describe them: five equal kinds of pods,
// random sizes from two short lists, 400 types that grow by one core, 2 GiB and ten pods each.
// https://github.com/kubernetes-sigs/karpenter/blob/main/pkg/controllers/provisioning/scheduling/scheduling_benchmark_test.go

import type { MachineType, PodDemand } from '../../../src/core/packing/packing-problem.ts';
import type { Random } from '../../../src/ports/random.ts';

const CPU_MILLICORES = [100, 250, 500, 1000, 1500];
const MEMORY_MIB = [100, 256, 512, 1024, 2048, 4096];
const LABELS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const TYPES = 400;
export const ZONES = 3;
/** Reserved on each node. */
const OVERHEAD = { cpuMillicores: 100, memoryMib: 10 };

export function mixedMachineTypes(): MachineType[] {
  return Array.from({ length: TYPES }, (_, at) => {
    const cores = at + 1;
    const memoryMib = cores * 2 * 1024;
    return {
      name: `fake-it-${at}`,
      cpuMillicores: cores * 1000 - OVERHEAD.cpuMillicores,
      memoryMib: memoryMib - OVERHEAD.memoryMib,
      gpus: 0,
      maxPods: cores * 10,
      usdPerHour: 0.1 * cores + (0.1 * memoryMib * 1024 * 1024) / 1e9,
      maxNodes: null,
    };
  });
}

/**
 * Pods by zone. Zones decide about kinds: a group with spread over zones is in each of them with the same number, a group with affinity to
 * its zone in one. Spread over hosts with a skew of one, and anti-affinity between hosts, allow one pod of the group on a node.
 */
export function mixedPods(count: number, random: Random): PodDemand[][] {
  const pick = <T>(from: readonly [T, ...T[]] | readonly T[]): T => from[Math.floor(random.next() * from.length)] as T;
  const zones = Array.from({ length: ZONES }, (): PodDemand[] => []);
  const placed = new Map<string, number>();
  const zoneOfGroup = new Map(LABELS.map((label, at) => [label, at % ZONES]));
  const kinds = ['generic', 'zone-spread', 'host-spread', 'zone-affinity', 'host-anti-affinity'] as const;
  for (let pod = 0; pod < count; pod += 1) {
    const kind = kinds[pod % kinds.length] ?? 'generic';
    const label = pick(LABELS);
    const group =
      kind === 'host-spread'
        ? { name: label, perNode: 1, isNecessary: false }
        : kind === 'host-anti-affinity'
          ? { name: 'nginx', perNode: 1, isNecessary: true }
          : null;
    const demand = { cpuMillicores: pick(CPU_MILLICORES), memoryMib: pick(MEMORY_MIB), gpus: 0, machineTypes: null, group };
    // Kinds without a rule about zones are dealt out, too.
    const key = kind === 'zone-spread' ? `${kind} ${label}` : kind;
    const turn = placed.get(key) ?? 0;
    placed.set(key, turn + 1);
    zones[kind === 'zone-affinity' ? (zoneOfGroup.get(label) ?? 0) : turn % ZONES]?.push(demand);
  }
  return zones;
}
