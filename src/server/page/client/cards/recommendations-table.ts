import type { Recommendation } from '../../../../apis/http/types.generated.ts';
import { bulletBar, type Bullet } from './bullet-bar.ts';
import { emptyState } from '../card.ts';
import { h, type Child, type PageElement } from '../dom.ts';
import { count, cpu, memory, money, percent, savingsText } from '../format.ts';
import { icon } from '../icons.ts';
import { isForDecision, isOpen, keyOf, perReplica, describeState } from './recommendation-words.ts';

/** Actions of a row. */
export interface RowActions {
  open(item: Recommendation): void;
  approve(item: Recommendation): void;
  reject(item: Recommendation): void;
}

export interface TableView {
  readonly items: readonly Recommendation[];
  readonly selected: string | null;
  /** Age of data that is too old to act on, which hides buttons; null: current. */
  readonly staleFor: string | null;
  readonly dryRun: boolean;
  /** False: the user only reads, and the rows have no buttons. */
  readonly canOperate: boolean;
  readonly busy: ReadonlySet<string>;
  /** Decisions made here that the records do not show yet, by key. */
  readonly decided: ReadonlyMap<string, string>;
}

/** Draws one row per workload: requests, usage, recommendation, state and savings. */
export function recommendationsTable(view: TableView, actions: RowActions): readonly PageElement[] {
  if (view.items.length === 0) {
    return [
      emptyState('No workload matches', 'Recommendations appear here once workloads have run for a day; change the filter to see others.'),
    ];
  }
  const rows = view.items.map((item) => ({ item, cpu: bulletOf(item, 'cpuMillicores'), memory: bulletOf(item, 'memoryBytes') }));
  const scale = (pick: (row: (typeof rows)[number]) => Bullet): number => Math.max(1, ...rows.map((row) => extent(pick(row))));
  const [cpuScale, memoryScale] = [scale((row) => row.cpu), scale((row) => row.memory)];
  const head = h(
    'thead',
    {},
    h(
      'tr',
      {},
      ...['Workload', 'CPU per pod', 'Memory per pod', 'State'].map((word) => h('th', { scope: 'col' }, word)),
      ...['Confidence', 'Requests, USD/month'].map((word) => h('th', { scope: 'col', class: 'num less' }, word)),
      h('th', { scope: 'col', class: 'num' }, 'If applied, USD/month'),
      h('th', { scope: 'col', class: 'acts' }, h('span', { class: 'visually-hidden' }, 'Actions')),
    ),
  );
  const body = rows.map((row) =>
    tableRow(row.item, view, actions, bulletCell(row.item, row.cpu, cpuScale, cpu), bulletCell(row.item, row.memory, memoryScale, memory)),
  );
  const sum = (pick: (item: Recommendation) => number | null): number =>
    view.items.reduce((total, item) => total + Math.round((pick(item) ?? 0) * 100), 0) / 100;
  const foot = h(
    'tfoot',
    {},
    h(
      'tr',
      {},
      h('td', {}, count(view.items.length, 'workload')),
      h('td', { class: 'opt' }),
      h('td', { class: 'opt' }),
      h('td', { class: 'opt' }),
      h('td', { class: 'opt less' }),
      h('td', { class: 'num opt less' }, money(sum((item) => item.costPerMonthUsd))),
      effectCell(
        'num',
        sum((item) => (isOpen(item) ? item.savingsPerMonthUsd : 0)),
      ),
      h('td', { class: 'opt acts' }),
    ),
  );
  return [h('div', { class: 'scroll' }, h('table', { class: 'data stackable' }, head, h('tbody', {}, ...body), foot))];
}

function tableRow(item: Recommendation, view: TableView, actions: RowActions, cpuCell: PageElement, memoryCell: PageElement): PageElement {
  const key = keyOf(item);
  const stateLabel = describeState(item);
  const freed = isOpen(item) ? item.savingsPerMonthUsd : null;
  const details = [item.kind, count(item.replicas, 'replica'), item.mode];
  return h(
    'tr',
    { 'aria-selected': String(view.selected === key), 'data-row': key },
    h(
      'td',
      { class: 'two' },
      h(
        'button',
        {
          class: 'name',
          type: 'button',
          'data-key': `open-${key}`,
          'aria-label': `${item.namespace}/${item.name}: details and actions`,
          onclick: () => actions.open(item),
        },
        `${item.namespace}/${item.name}`,
      ),
      h('div', { class: 'sub' }, details.join(' · ')),
    ),
    cpuCell,
    memoryCell,
    h('td', { class: 'two' }, h('span', { class: `chip ${stateLabel.tone}` }, icon(stateLabel.icon, true), stateLabel.word)),
    h('td', { class: 'num two opt less' }, percent(item.confidence)),
    h('td', { class: 'num two opt less t2' }, money(item.costPerMonthUsd)),
    effectCell('num two strong', freed),
    h('td', { class: 'num two acts' }, ...rowButtons(item, view, actions)),
  );
}

function rowButtons(item: Recommendation, view: TableView, actions: RowActions): readonly Child[] {
  if (!view.canOperate || !isForDecision(item)) return [];
  if (view.staleFor !== null) return [h('span', { class: 'sub' }, `data ${view.staleFor} old`)];
  const key = keyOf(item);
  const decided = view.decided.get(key);
  if (decided !== undefined) return [h('span', { class: 'sub' }, decided)];
  const disabled = view.busy.has(key);
  const object = `${item.namespace}/${item.name}`;
  return [
    h(
      'button',
      {
        class: 'btn sm',
        type: 'button',
        disabled,
        'data-key': `approve-${key}`,
        'aria-label': `Approve ${object}`,
        onclick: () => actions.approve(item),
      },
      view.dryRun ? 'Approve (dry-run)' : 'Approve',
    ),
    ' ',
    h(
      'button',
      {
        class: 'btn sm bare',
        type: 'button',
        disabled,
        'data-key': `reject-${key}`,
        'aria-label': `Reject ${object}`,
        onclick: () => actions.reject(item),
      },
      'Reject',
    ),
  ];
}

function bulletOf(item: Recommendation, field: 'cpuMillicores' | 'memoryBytes'): Bullet {
  return {
    request: perReplica(item, (container) => container.current.requests, field),
    // Memory is sized for its peak, CPU for its 95th percentile.
    used: perReplica(item, (container) => (field === 'cpuMillicores' ? container.usage.p95 : container.usage.max), field),
    proposed: perReplica(item, (container) => container.recommended.requests, field),
    limit: perReplica(item, (container) => container.current.limits, field),
    usedWord: field === 'cpuMillicores' ? 'p95' : 'peak',
  };
}

/** Maximum of a column's scale. Limits are excluded, since one far above the rest would compress the other bars. */
function extent({ request, used, proposed }: Bullet): number {
  return Math.max(request ?? 0, used ?? 0, proposed ?? 0) * 1.06;
}

function bulletCell(item: Recommendation, bullet: Bullet, scale: number, format: (value: number | null) => string): PageElement {
  // Differences within the tolerance are no recommendations, and only recommendations are highlighted.
  const isRecommended =
    (isOpen(item) || item.state === 'blocked') && bullet.proposed !== null && bullet.request !== null && bullet.proposed !== bullet.request;
  const stateLabel = isRecommended
    ? [`${format(bullet.request)} → `, h('span', { class: 'save strong' }, format(bullet.proposed))]
    : [`requests ${format(bullet.request)}`];
  return h(
    'td',
    { class: 'two opt' },
    bulletBar(isRecommended ? bullet : { ...bullet, proposed: null }, scale, format),
    h('div', { class: 'sub' }, ...stateLabel),
  );
}

function effectCell(className: string, savingsPerMonthUsd: number | null): PageElement {
  const text = savingsPerMonthUsd === null ? '—' : savingsText(savingsPerMonthUsd);
  return h('td', { class: (savingsPerMonthUsd ?? 0) > 0 ? `${className} save` : className }, text);
}
