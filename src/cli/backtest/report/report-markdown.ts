// A report as Markdown with plots as SVG files, since many Markdown viewers do not render inline SVG.

import { escapeMarkdown } from '../../escape.ts';
import { PLOT_LEGEND, plotSvg } from './plot-svg.ts';
import { DEFINITIONS } from './definitions.ts';
import type { Report, ReportSection, ReportTable } from './report.ts';

export interface MarkdownReport {
  readonly text: string;
  /** Plot files by name. */
  readonly plots: ReadonlyMap<string, string>;
}

/** @param folder name of the folder of plots, relative to the report */
export function reportMarkdown(report: Report, folder: string): MarkdownReport {
  const plots = new Map<string, string>();
  const lines = [
    `# ${escapeMarkdown(report.title)}`,
    '',
    escapeMarkdown(report.intro),
    '',
    ...DEFINITIONS.map((line) => `- ${escapeMarkdown(line)}`),
    ...report.sections.flatMap((section) => sectionMarkdown(section, folder, plots)),
  ];
  if (report.problems.length > 0) {
    const problems = report.problems.map(({ source, line, problem }) => `${source}${line === null ? '' : `:${line}`}: ${problem}`);
    lines.push('', '## Not replayed', '', ...problems.map((line) => `- ${escapeMarkdown(line)}`));
  }
  return { text: [...lines, ''].join('\n'), plots };
}

function sectionMarkdown(section: ReportSection, folder: string, plots: Map<string, string>): string[] {
  const pictures = section.plots.flatMap(({ title, resource, plot, caption }, index) => {
    const file = `${resource}-${String(index + 1).padStart(2, '0')}.svg`;
    plots.set(file, plotSvg(`${title}, ${section.title}`, resource, plot));
    const address = encodeURI(`${folder}/${file}`).replace(/[()]/g, (char) => (char === '(' ? '%28' : '%29'));
    return [`#### ${escapeMarkdown(title)}`, '', `![${escapeMarkdown(title)}](${address})`, '', escapeMarkdown(caption), ''];
  });
  return [
    '',
    `## ${escapeMarkdown(section.title)}`,
    '',
    escapeMarkdown(section.intro),
    '',
    ...tableMarkdown(section.overall),
    '',
    '### Plots',
    '',
    `${escapeMarkdown(section.plotsIntro)} ${escapeMarkdown(PLOT_LEGEND)}.`,
    '',
    ...pictures,
    '### By workload',
    '',
    ...tableMarkdown(section.workloads),
  ];
}

function tableMarkdown({ header, rows }: ReportTable): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  return [line(header), `| --- |${' ---: |'.repeat(header.length - 1)}`, ...rows.map(line)];
}
