import type { Series, SeriesSet } from '../../../../apis/http/types.generated.ts';
import { emptyState } from '../card.ts';
import { h, s, styled, type PageElement } from '../dom.ts';
import { amount, clock, day, moment } from '../format.ts';
import { areaPath, axisTop, gaps, linePath, spread, type PlotPoint } from './plot-geometry.ts';

const LINES = [
  { name: 'provisioned', word: 'provisioned', line: false },
  { name: 'requested', word: 'requested', line: true },
  { name: 'recommended', word: 'recommended', line: true },
  { name: 'used', word: 'used', line: true },
] as const;

const PLOT_HEIGHT = 128;
/** Minimum distance of the labels at the right. */
const LABEL_APART = 15;

interface Drawn {
  readonly name: string;
  readonly word: string;
  readonly line: boolean;
  readonly points: readonly PlotPoint[];
  readonly last: number | null;
}

/** Draws provisioned, requested, recommended and used capacity over time. Hatched: provisioned and not requested. */
export function usagePlot(usage: SeriesSet, resource: 'cpu' | 'memory'): readonly PageElement[] {
  const unit = resource === 'cpu' ? 'millicores' : 'bytes';
  const end = Date.parse(usage.end);
  const start = firstKnown(usage) ?? Date.parse(usage.start);
  const drawn = LINES.map((line): Drawn => {
    const points = pointsFrom(
      start,
      usage.series.find((series) => series.name === line.name && series.labels['resource'] === resource),
    );
    return { ...line, points, last: points.findLast((point) => point.value !== null)?.value ?? null };
  });
  const known = drawn.flatMap((each) => each.points.map((point) => point.value ?? 0));
  const top = axisTop(Math.max(0, ...known), unit);
  if (top === 0) return [emptyState('No usage yet', 'The graph starts with the first samples, a minute or two after the start.')];
  const x = (at: number): number => ((at - start) / Math.max(1, end - start)) * 1000;
  const y = (value: number): number => 100 - (value / top) * 100;
  const [provisioned, requested, , used] = drawn;
  const svg = s(
    'svg',
    { viewBox: '0 0 1000 100', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    ...[0, 0.5, 1].map((share) => s('line', { class: 'g', x1: 0, x2: 1000, y1: 100 - share * 100, y2: 100 - share * 100 })),
    ...gaps(used?.points ?? []).map(([from, to]) =>
      s('rect', { class: 'gap', x: x(from), y: 0, width: Math.max(0, x(to) - x(from)), height: 100 }),
    ),
    s('path', { class: 'a-idle', d: areaPath(provisioned?.points ?? [], requested?.points ?? [], x, y) }),
    s('path', { class: 'a-used', d: areaPath(used?.points ?? [], null, x, y) }),
    ...drawn.filter((each) => each.line).map((each) => s('path', { class: `l-${each.name}`, d: linePath(each.points, x, y) })),
  );
  const sentence = drawn.filter((each) => each.last !== null).map((each) => `${each.word} ${amount(each.last ?? 0, unit)}`);
  const plot = h(
    'div',
    {
      class: 'plot',
      tabindex: 0,
      role: 'img',
      'aria-label': `${resource === 'cpu' ? 'CPU in cores' : 'Memory in GiB'}: ${sentence.join(', ')}. Arrow keys show earlier values.`,
      'data-key': `plot-${resource}`,
    },
    svg,
    ...axis(top, unit),
    ...timeAxis(start, end),
    ...endLabels(drawn, top, unit),
  );
  addReadout(plot, drawn, { start, end, unit, x });
  return [plot];
}

/** The graph starts at the first known value, so that a new cluster's graph is not mostly empty. */
function firstKnown(usage: SeriesSet): number | null {
  const first = usage.series.flatMap((series) => series.points.find(([, value]) => value !== null)?.[0] ?? []);
  return first.length === 0 ? null : Math.min(...first) * 1000;
}

function pointsFrom(start: number, series: Series | undefined): readonly PlotPoint[] {
  return (series?.points ?? []).map(([seconds, value]) => ({ at: seconds * 1000, value })).filter((point) => point.at >= start);
}

function axis(top: number, unit: 'millicores' | 'bytes'): readonly PageElement[] {
  return [0, 0.5, 1].map((share) => styled(h('span', { class: 'yl' }, amount(top * share, unit)), { top: `${100 - share * 100}%` }));
}

function timeAxis(start: number, end: number): readonly PageElement[] {
  const word = end - start > 3 * 86_400_000 ? day : clock;
  return [0, 1, 2, 3].map((part) =>
    styled(
      h(
        'span',
        { class: `xl ${part % 2 === 1 ? 'odd' : ''} ${part === 0 ? 'first' : ''}` },
        part === 3 ? 'now' : word(start + ((end - start) * part) / 3),
      ),
      { left: `${(part / 3) * 100}%` },
    ),
  );
}

function endLabels(drawn: readonly Drawn[], top: number, unit: 'millicores' | 'bytes'): readonly PageElement[] {
  const labelled = drawn.filter((each): each is Drawn & { last: number } => each.last !== null);
  const places = spread(
    labelled.map((each) => PLOT_HEIGHT * (1 - each.last / top)),
    LABEL_APART,
  );
  return labelled.map((each, index) =>
    styled(h('span', { class: `tag ${each.name}` }, amount(each.last, unit), ' ', h('em', {}, each.word)), {
      top: `${places[index] ?? 0}px`,
    }),
  );
}

/** Adds a hairline and a box with values, under the pointer or by arrow keys. */
function addReadout(
  plot: PageElement,
  drawn: readonly Drawn[],
  view: { start: number; end: number; unit: 'millicores' | 'bytes'; x: (at: number) => number },
): void {
  const times = (drawn.find((each) => each.points.length > 0)?.points ?? []).map((point) => point.at);
  const box = h('div', { class: 'readout', hidden: true });
  const hair = s('line', { class: 'hair', y1: 0, y2: 100, visibility: 'hidden' });
  plot.querySelector('svg')?.append(hair);
  plot.append(box);
  let index = times.length - 1;
  const show = (next: number): void => {
    index = Math.max(0, Math.min(times.length - 1, next));
    const at = times[index];
    if (at === undefined) return;
    const place = view.x(at);
    hair.setAttribute('x1', String(place));
    hair.setAttribute('x2', String(place));
    hair.setAttribute('visibility', 'visible');
    const values = drawn.map((each) => [each.word, each.points[index]?.value ?? null] as const);
    box.replaceChildren(
      h('span', { class: 't3' }, moment(at)),
      ...values.map(([word, value]) => h('span', {}, `${value === null ? '—' : amount(value, view.unit)} ${word}`)),
    );
    styled(box, place > 500 ? { left: 'auto', right: `${100 - place / 10 + 1}%` } : { right: 'auto', left: `${place / 10 + 1}%` });
    box.hidden = false;
  };
  const hide = (): void => {
    box.hidden = true;
    hair.setAttribute('visibility', 'hidden');
  };
  plot.addEventListener('pointermove', (event) => {
    const { left, width } = plot.getBoundingClientRect();
    show(Math.round((((event.clientX ?? 0) - left) / Math.max(1, width)) * (times.length - 1)));
  });
  plot.addEventListener('pointerleave', hide);
  plot.addEventListener('blur', hide);
  plot.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    show(index + (event.key === 'ArrowLeft' ? -1 : 1));
  });
}
