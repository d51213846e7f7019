import type { NodeRecord } from '#kube/records/node';
import { aNodeRecord } from './records.ts';
import { amounts, T0 } from './rightsizing.ts';

/** A node with 16 CPUs and 64 GiB, ready since the start of the test. */
export function aLargeNode(name: string): NodeRecord {
  const size = { cpuMillicores: 16_000, memoryBytes: amounts(null, '64Gi').memoryBytes! };
  return aNodeRecord({ name, createdAt: T0, capacity: size, allocatable: size, machineType: 'e2-standard-16' });
}
