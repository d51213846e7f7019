import type { Packing } from '../../core/packing/packing.ts';
import { csvCell } from '../csv-cell.ts';
import { assignedNodes } from './assigned-nodes.ts';
import type { PackInput } from './input/read-input.ts';

/**
 * The packing as CSV, `pod,node,machine_type`, with `zone` and `capacity_type` where pools state them, in the order of the nodes. Nodes
 * are numbered within their pool.
 */
export function packingCsv(input: PackInput, packing: Packing): string {
  const { pods, problem } = input;
  const offerings = problem.machineTypes.map(({ offering }) => offering);
  const columns = [
    ...(offerings.some((offering) => (offering?.zone ?? null) !== null) ? (['zone'] as const) : []),
    ...(offerings.some((offering) => (offering?.capacityType ?? null) !== null) ? (['capacityType'] as const) : []),
  ];
  const lines = [['pod,node,machine_type', ...columns.map((column) => (column === 'zone' ? 'zone' : 'capacity_type'))].join(',')];
  for (const { name, shape, pods: assigned } of assignedNodes(input, packing)) {
    const offering = offerings[shape];
    const pool = [offering?.machineType ?? problem.machineTypes[shape]?.name ?? '', ...columns.map((column) => offering?.[column] ?? '')];
    const node = [name, ...pool].map((cell) => csvCell(cell)).join(',');
    for (const index of assigned) {
      const pod = pods[index];
      if (pod === undefined) continue;
      for (const each of pod.item?.pods ?? [pod]) lines.push(`${csvCell(each.name)},${node}`);
    }
  }
  lines.push('');
  return lines.join('\n');
}
