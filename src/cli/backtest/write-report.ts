import { basename, dirname, join } from 'node:path';
import type { Report } from './report.ts';
import { reportHtml } from './report-html.ts';
import { reportMarkdown } from './report-markdown.ts';
import { writeWhole } from './write-whole.ts';

/** Writes a report in the format of its extension: `.html`, else Markdown with a folder of plots. */
export function writeReport(path: string, report: Report): void {
  if (path.toLowerCase().endsWith('.html')) {
    writeWhole(path, reportHtml(report));
    return;
  }
  const folder = `${basename(path).replace(/\.md$/i, '')}-plots`;
  const { text, plots } = reportMarkdown(report, folder);
  for (const [file, svg] of plots) writeWhole(join(dirname(path), folder, file), svg);
  writeWhole(path, text);
}
