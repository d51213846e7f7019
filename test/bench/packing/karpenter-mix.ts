// The pods and machine types of Karpenter's scheduling benchmark, as its documentation and source describe them: five equal kinds of pods,
// random sizes from two short lists, 400 types that grow by one core, 2 GiB and ten pods each.
// https://github.com/kubernetes-sigs/karpenter/blob/main/pkg/controllers/provisioning/scheduling/scheduling_benchmark_test.go

import type { MachineType } from '../../../src/core/packing/packing-problem.ts';
import type { Random } from '../../../src/ports/random.ts';

const KINDS = ['generic', 'zone-spread', 'host-spread', 'zone-affinity', 'host-anti-affinity'] as const;
const CPU_MILLICORES = [100, 250, 500, 1000, 1500];
const MEMORY_MIB = [100, 256, 512, 1024, 2048, 4096];
const LABELS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const TYPES = 400;
export const ZONES = ['test-zone-1', 'test-zone-2', 'test-zone-3'] as const;
/** Reserved on each node. */
const OVERHEAD = { cpuMillicores: 100, memoryMib: 10 };

export interface MixedPod {
  readonly kind: (typeof KINDS)[number];
  readonly cpuMillicores: number;
  readonly memoryMib: number;
  readonly label: { readonly key: string; readonly value: string };
  /** Value of the label of the pods that the rule of the kind counts, which may be the pod itself or not; null: no rule. */
  readonly selected: string | null;
}

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

/** A fifth of the pods of each kind, and generic ones for the rest. */
export function mixedPods(count: number, random: Random): MixedPod[] {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random.next() * from.length)] as T;
  const fifth = Math.floor(count / KINDS.length);
  return Array.from({ length: count }, (_, at) => {
    const kind = at < fifth * KINDS.length ? (KINDS[Math.floor(at / fifth)] ?? 'generic') : 'generic';
    const demand = { kind, cpuMillicores: pick(CPU_MILLICORES), memoryMib: pick(MEMORY_MIB) };
    const value = pick(LABELS);
    switch (kind) {
      case 'generic':
        return { ...demand, label: { key: 'my-label', value }, selected: null };
      case 'zone-spread':
      case 'host-spread':
        return { ...demand, label: { key: 'my-label', value }, selected: pick(LABELS) };
      case 'zone-affinity':
        return { ...demand, label: { key: 'my-affinity', value }, selected: value };
      case 'host-anti-affinity':
        return { ...demand, label: { key: 'app', value: 'nginx' }, selected: 'nginx' };
    }
  });
}
