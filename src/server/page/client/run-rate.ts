import type { Cluster, ClusterArithmetic } from '../../../apis/http/types.generated.ts';
import { moneyFigure } from './arithmetic.ts';
import { h, styled, type PageElement } from './dom.ts';
import { money, percent } from './format.ts';

/** The cluster's record with the arithmetic behind its cost. */
export interface ClusterView {
  readonly cluster: Cluster;
  readonly arithmetic: ClusterArithmetic | null;
}

/** The parts of the run rate, in the order in which they are drawn. */
const PARTS = [
  { fill: 'f-used', name: 'Used', field: 'usedPerMonthUsd' },
  { fill: 'f-req', name: 'Requested, unused', field: 'requestedUnusedPerMonthUsd' },
  { fill: 'f-idle', name: 'Idle capacity', field: 'idlePerMonthUsd' },
] as const;

/** What the cluster costs a month, as a sum of machines, and what becomes of it. */
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
    totalLabel: 'Run rate a month',
    note: `Prices: ${sources}`,
  });
  const { nodes } = cluster;
  const what = `${nodes.total} nodes: ${nodes.onDemand} on demand, ${nodes.spot} spot`;
  return [h('div', { class: 'row wrap' }, figure, h('span', { class: 't2' }, what)), ...split(arithmetic, total)];
}

function split(arithmetic: ClusterArithmetic | null, total: number | null): readonly PageElement[] {
  if (arithmetic === null || total === null || total <= 0) return [];
  if (arithmetic.usedPerMonthUsd === null) return [h('p', { class: 'sub' }, 'How much of it is used shows once usage has been read.')];
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
