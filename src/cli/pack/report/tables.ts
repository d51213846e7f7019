import { nodesByShape } from '../../../core/packing/packing.ts';
import { RESOURCE_COUNT, type PackingProblem } from '../../../core/packing/packing-problem.ts';
import { printable } from '../../escape.ts';
import type { PricedPacking } from '../plan.ts';

/** Nodes of one machine type. */
export interface TypeTotals {
  readonly machineType: string;
  readonly nodes: number;
  readonly usdPerHour: number;
  readonly pods: number;
  /** Shares of the nodes' allocatable that the pods request, 0 to 1; null where the type has none. */
  readonly cpu: number | null;
  readonly memory: number | null;
}

/** Totals by machine type, the most expensive first. */
export function totalsByType(problem: PackingProblem, { packing }: PricedPacking): TypeTotals[] {
  const used = new Float64Array(problem.machineTypes.length * RESOURCE_COUNT);
  for (const { shape, classes, counts, copies } of packing.nodes) {
    classes.forEach((podClass, at) => {
      for (let resource = 0; resource < RESOURCE_COUNT; resource += 1) {
        const place = shape * RESOURCE_COUNT + resource;
        const request = problem.requests[podClass * RESOURCE_COUNT + resource] ?? 0;
        used[place] = (used[place] ?? 0) + request * (counts[at] ?? 0) * copies;
      }
    });
  }
  const share = (shape: number, resource: number, nodes: number): number | null => {
    const capacity = (problem.capacities[shape * RESOURCE_COUNT + resource] ?? 0) * nodes;
    return capacity === 0 ? null : (used[shape * RESOURCE_COUNT + resource] ?? 0) / capacity;
  };
  return nodesByShape(problem, packing)
    .flatMap((nodes, shape): TypeTotals[] => {
      const type = problem.machineTypes[shape];
      if (nodes === 0 || type === undefined) return [];
      const pods = used[shape * RESOURCE_COUNT + RESOURCE_COUNT - 1] ?? 0;
      const usdPerHour = nodes * type.usdPerHour;
      return [{ machineType: type.name, nodes, usdPerHour, pods, cpu: share(shape, 0, nodes), memory: share(shape, 1, nodes) }];
    })
    .sort((a, b) => b.usdPerHour - a.usdPerHour || (a.machineType < b.machineType ? -1 : 1));
}

/** Lines of the table of nodes by machine type. */
export function nodeTable(totals: readonly TypeTotals[], usdPerHour: number): string[] {
  const nodes = totals.reduce((sum, each) => sum + each.nodes, 0);
  const pods = totals.reduce((sum, each) => sum + each.pods, 0);
  return alignedTable(
    ['machine type', 'nodes', 'pods', '$/hour', 'CPU requested', 'memory requested'],
    [
      ...totals.map((each) => [
        printable(each.machineType),
        String(each.nodes),
        String(each.pods),
        each.usdPerHour.toFixed(2),
        percent(each.cpu),
        percent(each.memory),
      ]),
      ['total', String(nodes), String(pods), usdPerHour.toFixed(2), '', ''],
    ],
  );
}

/** A share as percent. */
export function percent(share: number | null): string {
  return share === null ? '–' : `${(share * 100).toFixed(1)} %`;
}

/** A table with its first column to the left and the others to the right. */
export function alignedTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(header), ...rows.map(line)];
}
