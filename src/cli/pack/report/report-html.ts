import type { Packing } from '../../../core/packing/packing.ts';
import type { PackingProblem } from '../../../core/packing/packing-problem.ts';
import { escapeXml } from '../../escape.ts';
import { htmlPage, htmlTable } from '../../html-page.ts';
import { PICTURE_LEGEND, pictureSvg } from './picture-svg.ts';
import { describeExisting, describeGap, GAP_HEADER, gapRows } from './existing-tables.ts';
import type { PackSummary } from './summary.ts';
import {
  describeBound,
  describeInput,
  describeNotes,
  describePending,
  describePreferences,
  METHOD_HEADER,
  methodRows,
  nodeTable,
} from './tables.ts';

/** The result as one page. */
export function reportHtml(summary: PackSummary, problem: PackingProblem, packing: Packing): string {
  return htmlPage('Packing', [
    ...[describeInput(summary), ...describeExisting(summary)].map((line) => `<p>${escapeXml(line)}</p>`),
    '<h2>Cost</h2>',
    htmlTable(METHOD_HEADER, methodRows(summary), 'sum'),
    ...[...describeBound(summary), ...describePreferences(summary), ...describeNotes(summary), ...describePending(summary)].map(
      (line) => `<p>${escapeXml(line)}</p>`,
    ),
    ...(summary.gap === null ? [] : ['<h2>Why money is left</h2>', htmlTable(GAP_HEADER, gapRows(summary), 'sum')]),
    ...describeGap(summary).map((line) => `<p>${escapeXml(line)}</p>`),
    '<h2>Nodes</h2>',
    htmlTable(...nodeTable(summary), 'sum'),
    '<h2>Picture</h2>',
    `<figure>${pictureSvg(problem, packing)}<figcaption>${escapeXml(PICTURE_LEGEND)}</figcaption></figure>`,
    `<p>Search: ${summary.search.steps} steps, seed ${summary.search.seed}.</p>`,
  ]);
}
