import type { Cluster, ClusterArithmetic } from '../../../../apis/http/types.generated.ts';
import { moneyFigure } from './arithmetic.ts';
import { h, styled, type PageElement } from '../dom.ts';
import { money, percent } from '../format.ts';

/** The cluster record with the breakdown of its cost. */
export interface ClusterView {
  readonly cluster: Cluster;
  readonly arithmetic: ClusterArithmetic | null;
}

/** Parts of the run rate, in drawing order. */
const PARTS = [
  { fill: 'f-used', name: 'Used', field: 'usedPerMonthUsd' },
  { fill: 'f-req', name: 'Requested, unused', field: 'requestedUnusedPerMonthUsd' },
  { fill: 'f-idle', name: 'Idle capacity', field: 'idlePerMonthUsd' },
] as const;

/** Draws the monthly cost of the cluster as a sum of machines, and its parts. */
export function runRate({ cluster, arithmetic }: ClusterView): readonly PageElement[] {
  const total = cluster.cost.perMonthUsd;
  const lines = (arithmetic?.lines ?? []).map((line) => ({
    label: `${line.quantity} × ${line.label} · $${line.perHourUsd.toFixed(6)}/h × 730 h${line.estimate ? ', estimate' : ''}`,
    amount: line.perMonthUsd,
  }));
  const sources = [...new Set((arithmetic?.lines ?? []).map((line) => line.source))].join('; ');
  const figure = moneyFigure({
    key: 'run-rate',
    amount: total,
    className: 'figure',
    lines,
    totalLabel: 'Run rate per month',
    note: `Prices: ${sources}`,
  });
  const { nodes } = cluster;
  const what = `${nodes.total} nodes: ${nodes.onDemand} on demand, ${nodes.spot} spot`;
  return [h('div', { class: 'row wrap' }, figure, h('span', { class: 't2' }, what)), ...split(arithmetic, total)];
}

function split(arithmetic: ClusterArithmetic | null, total: number | null): readonly PageElement[] {
  if (arithmetic === null || total === null || total <= 0) return [];
  if (arithmetic.usedPerMonthUsd === null) return [h('p', { class: 'sub' }, 'The used part appears once usage has been read.')];
  const parts = PARTS.map((part) => ({ ...part, amount: arithmetic[part.field] ?? 0 }));
  const bar = parts.map(({ fill, name, amount }) =>
    styled(h('i', { class: fill, title: `${name} ${money(amount)}` }), { width: `${(amount / total) * 100}%` }),
  );
  const label = parts.map(({ name, amount }) => `${name} ${money(amount)}`).join(', ');
  return [
    h('div', { class: 'split', role: 'img', 'aria-label': label }, ...bar),
    h(
      'dl',
      { class: 'keys' },
      ...parts.map(({ fill, name, amount }) =>
        h(
          'div',
          {},
          h('dt', {}, h('span', { class: `sw ${fill}` }), name),
          h('dd', {}, money(amount), ' ', h('small', {}, percent(amount / total))),
        ),
      ),
    ),
  ];
}
