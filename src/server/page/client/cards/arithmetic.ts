import { h, type PageElement } from '../dom.ts';
import { money } from '../format.ts';

/** A line of a sum. */
export interface SumLine {
  readonly label: string;
  readonly amount: number;
}

/**
 * An amount that expands into its sum: the lines, a rule, the total and the source of the prices. `lineText` formats the lines and the
 * total, `money` by default.
 */
export function moneyFigure(figure: {
  readonly key: string;
  readonly amount: number | null;
  readonly className: string;
  readonly lines: readonly SumLine[];
  readonly totalLabel: string;
  readonly note: string;
  readonly lineText?: (amount: number) => string;
}): PageElement {
  const lineText = figure.lineText ?? money;
  if (figure.lines.length === 0) return h('span', { class: figure.className }, money(figure.amount));
  const rows = figure.lines.map((line) => h('tr', {}, h('td', {}, line.label), h('td', {}, lineText(line.amount))));
  const total = h(
    'tr',
    { class: 'tot' },
    h('td', {}, figure.totalLabel),
    h('td', {}, figure.amount === null ? '—' : lineText(figure.amount)),
  );
  return h(
    'details',
    { class: 'why', 'data-key': figure.key },
    h(
      'summary',
      { class: figure.className, 'data-key': `${figure.key}-summary`, 'aria-label': `${money(figure.amount)}, show the sum` },
      money(figure.amount),
    ),
    h('div', { class: 'pop' }, h('table', { class: 'sum' }, h('tbody', {}, ...rows, total)), h('p', { class: 'note' }, figure.note)),
  );
}
