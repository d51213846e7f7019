import type { Recommendation, SeriesSet } from '../../../../apis/http/types.generated.ts';
import { moneyFigure } from './arithmetic.ts';
import { h, styled, type PageElement } from '../dom.ts';
import { amount, moment, percent } from '../format.ts';
import { isOpen } from './recommendation-words.ts';
import type { ClusterView } from './run-rate.ts';

/** Maximum workloads listed in the sum; the others are one line. */
const LINES_SHOWN = 12;

/** Draws the savings of open recommendations, freed requests, and requests before and now. */
export function savings(view: ClusterView, recommendations: readonly Recommendation[], usage: SeriesSet | null): readonly PageElement[] {
  const open = recommendations.filter((item) => isOpen(item) && (item.savingsPerMonthUsd ?? 0) !== 0);
  const total = cents(open.map((item) => item.savingsPerMonthUsd ?? 0));
  const first = open
    .slice(0, LINES_SHOWN)
    .map((item) => ({ label: `${item.namespace}/${item.name}`, amount: item.savingsPerMonthUsd ?? 0 }));
  const rest = open.slice(LINES_SHOWN);
  const lines =
    rest.length === 0
      ? first
      : [...first, { label: `${rest.length} more`, amount: cents(rest.map((item) => item.savingsPerMonthUsd ?? 0)) }];
  const figure = moneyFigure({
    key: 'savings',
    amount: total,
    className: 'fig2 save',
    lines,
    totalLabel: 'Available per month',
    note: 'Freed requests at the prices of the pods’ nodes; increases are negative.',
  });
  const reclaimed = view.arithmetic?.reclaimedPerMonthUsd ?? null;
  const share =
    view.cluster.cost.perMonthUsd === null || view.cluster.cost.perMonthUsd === 0 ? null : total / view.cluster.cost.perMonthUsd;
  return [
    h(
      'div',
      { class: 'row', 'data-gap': 'wide' },
      h(
        'div',
        { class: 'grow' },
        figure,
        h('div', { class: 'sub' }, `available${share === null ? '' : ` · ${percent(share)} of run rate`}`),
      ),
      h(
        'div',
        { class: 'grow' },
        moneyFigure({ key: 'reclaimed', amount: reclaimed, className: 'fig2', lines: [], totalLabel: '', note: '' }),
        h('div', { class: 'sub' }, reclaimed === null ? 'no requests freed yet' : 'requests freed so far'),
      ),
    ),
    h('div', { class: 'then' }, ...(usage === null ? [] : [beforeAndNow(usage, 'cpu', 'CPU'), beforeAndNow(usage, 'memory', 'Memory')])),
  ];
}

/** Draws requests at the first known time and now; the difference is hatched. */
function beforeAndNow(usage: SeriesSet, resource: 'cpu' | 'memory', word: string): PageElement {
  const series = usage.series.find((each) => each.name === 'requested' && each.labels['resource'] === resource);
  const known = (series?.points ?? []).filter((point): point is readonly [number, number] => point[1] !== null);
  const [before, now] = [known[0], known.at(-1)];
  if (series === undefined || before === undefined || now === undefined)
    return h('p', { class: 'sub' }, `${word}: requests are not known yet.`);
  const unit = resource === 'cpu' ? 'millicores' : 'bytes';
  const name = resource === 'cpu' ? 'cores' : 'GiB';
  const change = before[1] === 0 ? 0 : (now[1] - before[1]) / before[1];
  const scale = Math.max(before[1], now[1], 1);
  const bar = [
    styled(h('i', { class: 'f-req' }), { width: `${(Math.min(before[1], now[1]) / scale) * 100}%` }),
    styled(h('i', { class: now[1] <= before[1] ? 'f-idle' : 'f-acc' }), { width: `${(Math.abs(before[1] - now[1]) / scale) * 100}%` }),
  ];
  const words = `${amount(before[1], unit)} → ${amount(now[1], unit)} ${name}`;
  return h(
    'div',
    {},
    h(
      'div',
      { class: 'words' },
      h('span', {}, `${word} requested since ${moment(before[0] * 1000)}`),
      h('span', {}, h('b', {}, words), ` ${percent(change)}`),
    ),
    h('div', { class: 'bar', role: 'img', 'aria-label': `${word} requested: ${words}` }, ...bar),
  );
}

function cents(amounts: readonly number[]): number {
  return amounts.reduce((sum, each) => sum + Math.round(each * 100), 0) / 100;
}
