// A report as one HTML page.

import { escapeXml } from '../../escape.ts';
import { htmlPage, htmlTable } from '../../html-page.ts';
import { PLOT_LEGEND, plotSvg } from './plot-svg.ts';
import { DEFINITIONS } from './definitions.ts';
import type { Report, ReportSection } from './report.ts';

export function reportHtml(report: Report): string {
  return htmlPage(report.title, [
    `<p>${escapeXml(report.intro)}</p>`,
    `<ul>${DEFINITIONS.map((line) => `<li>${escapeXml(line)}</li>`).join('')}</ul>`,
    ...report.sections.map(sectionHtml),
    ...problemsHtml(report),
  ]);
}

function sectionHtml(section: ReportSection): string {
  return [
    `<h2>${escapeXml(section.title)}</h2><p>${escapeXml(section.intro)}</p>`,
    htmlTable(section.overall.header, section.overall.rows, 'sum'),
    `<h3>Plots</h3><p>${escapeXml(section.plotsIntro)} ${escapeXml(PLOT_LEGEND)}.</p>`,
    ...section.plots.map(
      ({ title, resource, plot, caption }) =>
        `<figure><h3>${escapeXml(title)}</h3>${plotSvg(`${title}, ${section.title}`, resource, plot)}<figcaption>${escapeXml(caption)}</figcaption></figure>`,
    ),
    '<h3>By workload</h3>',
    htmlTable(section.workloads.header, section.workloads.rows),
  ].join('\n');
}

function problemsHtml({ problems }: Report): string[] {
  if (problems.length === 0) return [];
  const items = problems.map(
    ({ source, line, problem }) => `<li>${escapeXml(`${source}${line === null ? '' : `:${line}`}: ${problem}`)}</li>`,
  );
  return ['<h2>Not replayed</h2>', `<ul>${items.join('')}</ul>`];
}
