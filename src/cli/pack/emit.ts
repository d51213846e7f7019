import type { PoolOffering } from '../../core/packing/packing-problem.ts';
import type { Packing } from '../../core/packing/packing.ts';
import { csvCell } from '../csv-cell.ts';
import { assignedNodes } from './assigned-nodes.ts';
import type { PackInput } from './input/read-input.ts';

/**
 * The packing as CSV, `pod,node,machine_type`, with `zone` and `capacity_type` where pools state them, in the order of the nodes. Nodes
 * are numbered within their pool. Those that exist and stay come first, with their names and the pods that stay on them.
 */
export function packingCsv(input: PackInput, packing: Packing): string {
  const { pods, problem } = input;
  const offerings = problem.machineTypes.map(({ offering }) => offering);
  const offeringOf = new Map(input.existing?.staying.map(({ node }) => [node.name, node.offering]));
  const columns = [
    ...(offerings.some((offering) => (offering?.zone ?? null) !== null) ? (['zone'] as const) : []),
    ...(offerings.some((offering) => (offering?.capacityType ?? null) !== null) ? (['capacityType'] as const) : []),
  ];
  const lines = [['pod,node,machine_type', ...columns.map((column) => (column === 'zone' ? 'zone' : 'capacity_type'))].join(',')];
  lines.push(...stayingLines(input, columns));
  for (const { name, shape, pods: assigned } of assignedNodes(input, packing)) {
    const offering = offeringOf.get(name) ?? offerings[shape];
    const node = nodeCells(name, offering ?? null, problem.machineTypes[shape]?.name ?? '', columns);
    for (const index of assigned) {
      const pod = pods[index];
      if (pod === undefined) continue;
      for (const each of pod.item?.pods ?? [pod]) lines.push(`${csvCell(each.name)},${node}`);
    }
  }
  lines.push('');
  return lines.join('\n');
}

type OfferingColumn = 'zone' | 'capacityType';

function nodeCells(name: string, offering: PoolOffering | null, type: string, columns: readonly OfferingColumn[]): string {
  const cells = [name, offering?.machineType ?? type, ...columns.map((column) => offering?.[column] ?? '')];
  return cells.map((cell) => csvCell(cell)).join(',');
}

function stayingLines({ existing }: PackInput, columns: readonly OfferingColumn[]): string[] {
  if (existing === null) return [];
  const offeringOf = new Map(existing.staying.map(({ node }) => [node.name, node.offering]));
  return existing.stayingPods.map(({ name, place }) => {
    const node = place?.node ?? '';
    return `${csvCell(name)},${nodeCells(node, offeringOf.get(node) ?? null, '', columns)}`;
  });
}
