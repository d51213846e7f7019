import type { Recommendation, Resources } from '../../../../apis/http/types.generated.ts';
import { moneyFigure } from './arithmetic.ts';
import { h, styled, type PageElement } from '../dom.ts';
import { amount, money, percent, savingsText } from '../format.ts';
import { isOpen } from './recommendation-words.ts';
import type { ClusterView } from './run-rate.ts';

/** Maximum workloads listed in the sum; the others are one line. */
const LINES_SHOWN = 12;

/** Draws what open recommendations would free, what resizes have freed, what removed nodes save, and requests as deployed and now. */
export function savings(view: ClusterView, recommendations: readonly Recommendation[]): readonly PageElement[] {
  const { cluster, arithmetic } = view;
  return [
    h(
      'div',
      { class: 'row at-start', 'data-gap': 'wide' },
      available(recommendations),
      figure(money(arithmetic?.reclaimedPerMonthUsd ?? null), 'freed: requests below the deployed; the bill falls when nodes go'),
      figure(money(cluster.cost.realizedSavingsPerMonthUsd), 'realised: nodes that are no longer needed'),
    ),
    ...(arithmetic === null
      ? []
      : [
          h(
            'div',
            { class: 'then' },
            asDeployedAndNow(arithmetic.deployedRequests, cluster.requested, 'cpu'),
            asDeployedAndNow(arithmetic.deployedRequests, cluster.requested, 'memory'),
          ),
        ]),
  ];
}

function available(recommendations: readonly Recommendation[]): PageElement {
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
  const text = moneyFigure({
    key: 'savings',
    amount: Math.abs(total),
    className: total > 0 ? 'fig2 save' : 'fig2',
    lines,
    totalLabel: total < 0 ? 'More needed per month' : 'Available per month',
    note: 'Requests of the open recommendations at the prices of the pods’ nodes.',
    lineText: savingsText,
  });
  return h(
    'div',
    { class: 'grow' },
    text,
    h('div', { class: 'sub' }, `${total < 0 ? 'more needed' : 'available'}: by applying the open recommendations`),
  );
}

function figure(text: string, legend: string): PageElement {
  return h('div', { class: 'grow' }, h('span', { class: 'fig2' }, text), h('div', { class: 'sub' }, legend));
}

/** Draws requests as deployed and now; the difference is hatched. */
function asDeployedAndNow(deployed: Resources, now: Resources, resource: 'cpu' | 'memory'): PageElement {
  const isCpu = resource === 'cpu';
  const [before, after] = isCpu ? [deployed.cpuMillicores, now.cpuMillicores] : [deployed.memoryBytes, now.memoryBytes];
  const [unit, name] = isCpu ? (['millicores', 'cores'] as const) : (['bytes', 'GiB'] as const);
  const change = before === 0 ? 0 : (after - before) / before;
  const scale = Math.max(before, after, 1);
  const bar = [
    styled(h('i', { class: 'f-req' }), { width: `${(Math.min(before, after) / scale) * 100}%` }),
    styled(h('i', { class: after <= before ? 'f-idle' : 'f-acc' }), { width: `${(Math.abs(before - after) / scale) * 100}%` }),
  ];
  const words = `${amount(before, unit)} → ${amount(after, unit)} ${name}`;
  const title = `${isCpu ? 'CPU' : 'Memory'} requested, as deployed and now`;
  return h(
    'div',
    {},
    h('div', { class: 'words' }, h('span', {}, title), h('span', {}, h('b', {}, words), ` ${percent(change)}`)),
    h('div', { class: 'bar', role: 'img', 'aria-label': `${title}: ${words}` }, ...bar),
  );
}

function cents(amounts: readonly number[]): number {
  return amounts.reduce((sum, each) => sum + Math.round(each * 100), 0) / 100;
}
