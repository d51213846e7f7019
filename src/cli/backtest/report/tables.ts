// Tables of a backtest: all workloads together, then each.

import { METHOD_TITLES, METHODS } from '../../../core/backtest/methods.ts';
import { type Resource, RESOURCES } from '../../../core/backtest/time-grid.ts';
import { figureColumns, RESOURCE_TITLES, writeChange } from './columns.ts';
import { printable } from '../../escape.ts';
import { gainAndRisk } from './gain-and-risk.ts';
import type { BacktestSummary, OverallTotals, WorkloadTotals } from './summary.ts';

export function printTables(summary: BacktestSummary): string[] {
  return RESOURCES.flatMap((resource) => {
    const overall = summary.overall[resource];
    return overall === undefined ? [] : [...overallTable(resource, overall), '', ...workloadTable(resource, summary.workloads), ''];
  });
}

function overallTable(resource: Resource, overall: OverallTotals): string[] {
  const columns = figureColumns(resource);
  const rows = METHODS.map((method) => [
    METHOD_TITLES[method],
    ...columns.map(({ figure, write }) => write(overall.methods[method][figure])),
  ]);
  const against = ['Evenkeel against VPA', ...columns.map(({ figure }) => writeChange(overall.againstVpa[figure]))];
  const title = `${RESOURCE_TITLES[resource]}: ${overall.workloads} ${overall.workloads === 1 ? 'workload' : 'workloads'}, ${overall.scoredDays.toFixed(1)} days scored`;
  return [title, gainAndRisk(resource, overall), ...aligned([['', ...columns.map((column) => column.title)], ...rows, against])];
}

/** One line per workload: all values of Evenkeel, the main values of other methods. */
function workloadTable(resource: Resource, workloads: readonly WorkloadTotals[]): string[] {
  const columns = figureColumns(resource).filter(({ figure }) => figure !== 'worstDecileOverrun');
  const beside = columns.filter(({ figure }) => figure === 'slack' || figure === 'overrun' || figure === 'costJ');
  const header = [
    `${RESOURCE_TITLES[resource]} by workload`,
    'days',
    ...columns.map((column) => column.title),
    ...beside.map((column) => `VPA ${column.title}`),
    'KRR cost J',
    'day max J',
    'hour max J',
  ];
  const rows = workloads.flatMap(({ name, resources }) => {
    const scored = resources[resource];
    if (scored === undefined) return [];
    const { evenkeel, vpa, krr, clairvoyantDay, clairvoyantHour } = scored.methods;
    const evenkeelCells = columns.map(({ figure, write }) => write(evenkeel[figure]));
    const vpaCells = beside.map(({ figure, write }) => write(vpa[figure]));
    const costs = [krr, clairvoyantDay, clairvoyantHour].map((figures) => figures.costJ.toFixed(3));
    return [[printable(name), scored.scoredDays.toFixed(1), ...evenkeelCells, ...vpaCells, ...costs]];
  });
  return aligned([header, ...rows]);
}

/** Aligns the first column to the left, the others to the right. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
