import type { BoundKind } from '../../../core/packing/choose-bound.ts';
import { printable } from '../../escape.ts';
import type { PackingTotals, PackSummary } from './summary.ts';

/** What each lower bound is, in words. */
export const BOUND_TEXTS: Readonly<Record<BoundKind, string>> = {
  classes: 'linear program over pod classes and machine types',
  'merged-classes': 'linear program over machine types and pod classes that are merged by rounding their requests down',
  resources: 'linear program over resources and machine types',
  'single-resource': 'the most expensive resource at its lowest price, because the solver was not done in time',
};

/** Lines of the result. */
export function printTables(summary: PackSummary): string[] {
  const { pods, classes, requested, lowerBound } = summary;
  const gpus = requested.gpus > 0 ? `, ${requested.gpus} GPUs` : '';
  return [
    `${pods} pods of ${classes} sizes: ${requested.cores.toFixed(1)} cores, ${requested.memoryGib.toFixed(1)} GiB${gpus}`,
    '',
    ...nodeTable(summary),
    '',
    ...alignedTable(['', 'nodes', '$/hour', 'over the bound'], [...summary.methods.map(methodRow), boundRow(lowerBound.usdPerHour)]),
    '',
    `Lower bound: ${BOUND_TEXTS[lowerBound.kind]}. No packing of these pods costs less.`,
    `One more core costs about $${lowerBound.usdPerCore.toFixed(4)} an hour, one more GiB $${lowerBound.usdPerGib.toFixed(4)}.`,
    `Checked: every pod once, no node over its allocatable, every filter kept, costs added up again.`,
  ];
}

function methodRow({ method, nodes, usdPerHour, gap }: PackingTotals): string[] {
  if (nodes === null || usdPerHour === null) return [method, 'none found', '', ''];
  return [method, String(nodes), usdPerHour.toFixed(2), percent(gap)];
}

function boundRow(usdPerHour: number): string[] {
  return ['lower bound', '', usdPerHour.toFixed(2), ''];
}

function nodeTable({ machineTypes, pods, methods }: PackSummary): string[] {
  const own = methods[0];
  return alignedTable(
    ['machine type', 'nodes', 'pods', '$/hour', 'CPU requested', 'memory requested'],
    [
      ...machineTypes.map((each) => [
        printable(each.machineType),
        String(each.nodes),
        String(each.pods),
        each.usdPerHour.toFixed(2),
        percent(each.cpuRequested),
        percent(each.memoryRequested),
      ]),
      ['total', String(own?.nodes ?? 0), String(pods), (own?.usdPerHour ?? 0).toFixed(2), '', ''],
    ],
  );
}

/** A share as percent. */
export function percent(share: number | null): string {
  return share === null ? '–' : `${(share * 100).toFixed(1)} %`;
}

/** A table with its first column to the left and the others to the right. */
function alignedTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(header), ...rows.map(line)];
}
