// Columns of tables and reports, and the format of their values.

import type { MethodTotals } from '../../../core/backtest/score.ts';
import type { Resource } from '../../../core/backtest/time-grid.ts';

export interface FigureColumn {
  readonly figure: keyof MethodTotals;
  readonly title: string;
  readonly write: (value: number) => string;
}

const share = (digits: number) => (value: number) => (Number.isFinite(value) ? `${(value * 100).toFixed(digits)} %` : '-');
const plain = (digits: number) => (value: number) => (Number.isFinite(value) ? value.toFixed(digits) : '-');

/** Memory overruns are rare and each may cause an OOM kill, so they have one more digit. */
export function figureColumns(resource: Resource): readonly FigureColumn[] {
  const fine = resource === 'memory' ? 3 : 2;
  return [
    { figure: 'slack', title: 'slack', write: share(1) },
    { figure: 'sparePerUsed', title: 'spare/used', write: plain(2) },
    { figure: 'overrun', title: 'overrun', write: share(fine) },
    { figure: 'worstDecileOverrun', title: 'worst decile', write: share(fine) },
    { figure: 'unserved', title: 'unserved', write: share(fine) },
    { figure: 'episodesPerWeek', title: resource === 'memory' ? 'OOM/week' : 'episodes/week', write: plain(1) },
    { figure: 'changesPerDay', title: 'changes/day', write: plain(2) },
    { figure: 'costJ', title: 'cost J', write: plain(3) },
    { figure: 'refusedOverrun', title: 'raises refused 90 min', write: share(fine) },
  ];
}

/** `-25 %`, `+4 %`, `0 %`; a dash for null. */
export function writeChange(change: number | null): string {
  if (change === null || !Number.isFinite(change)) return '-';
  const percent = Math.round(change * 100);
  return `${percent > 0 ? '+' : ''}${percent === 0 ? 0 : percent} %`;
}

export const RESOURCE_TITLES: Readonly<Record<Resource, string>> = { cpu: 'CPU', memory: 'Memory' };
