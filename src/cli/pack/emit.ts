import type { Packing } from '../../core/packing/packing.ts';
import { csvCell } from '../csv-cell.ts';
import type { PackInput } from './input/read-input.ts';

/**
 * The packing as CSV, `pod,node,machine_type`, with `zone` and `capacity_type` where pools state them, in the order of the nodes. Nodes
 * are numbered within their pool.
 */
export function packingCsv({ pods, classOf, problem }: PackInput, packing: Packing): string {
  const waiting = Array.from({ length: problem.classCount }, (): number[] => []);
  // Backwards, so that `pop` takes the pods of a class in their order.
  for (let index = pods.length - 1; index >= 0; index -= 1) waiting[classOf[index] ?? 0]?.push(index);
  const offerings = problem.machineTypes.map(({ offering }) => offering);
  const columns = [
    ...(offerings.some((offering) => (offering?.zone ?? null) !== null) ? (['zone'] as const) : []),
    ...(offerings.some((offering) => (offering?.capacityType ?? null) !== null) ? (['capacityType'] as const) : []),
  ];
  const lines = [['pod,node,machine_type', ...columns.map((column) => (column === 'zone' ? 'zone' : 'capacity_type'))].join(',')];
  const nodesOf = new Map<number, number>();
  for (const { shape, classes, counts, copies } of packing.nodes) {
    const offering = offerings[shape];
    const type = [offering?.machineType ?? problem.machineTypes[shape]?.name ?? '', ...columns.map((column) => offering?.[column] ?? '')]
      .map((cell) => csvCell(cell))
      .join(',');
    for (let copy = 0; copy < copies; copy += 1) {
      const number = (nodesOf.get(shape) ?? 0) + 1;
      nodesOf.set(shape, number);
      const node = csvCell(`${problem.machineTypes[shape]?.name ?? ''}-${number}`);
      classes.forEach((podClass, at) => {
        for (let pod = 0; pod < (counts[at] ?? 0); pod += 1) {
          lines.push(`${csvCell(pods[waiting[podClass]?.pop() ?? -1]?.name ?? '')},${node},${type}`);
        }
      });
    }
  }
  lines.push('');
  return lines.join('\n');
}
