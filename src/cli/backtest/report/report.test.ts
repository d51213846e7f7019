import { describe, expect, test } from '@jest/globals';
import { METHODS } from '../../../core/backtest/methods.ts';
import type { RefusalScore } from '../../../core/backtest/score.ts';
import type { Plot } from './plot.ts';
import { plotSvg, writeAmount } from './plot-svg.ts';
import type { ReplayedWorkload } from '../replay-job.ts';
import { reportOf } from './report.ts';
import { reportHtml } from './report-html.ts';
import { reportMarkdown } from './report-markdown.ts';
import { summarize } from './summary.ts';

const NASTY = `<script>alert(1)</script>|*[x](javascript:y)\u001b[2J`;

const PLOT: Plot = {
  fromSecond: 0,
  bucketSeconds: 3600,
  scoredFrom: 2,
  usageMean: Float64Array.of(1, 2, NaN, 4),
  usageMax: Float64Array.of(2, 3, NaN, 5),
  evenkeel: Float64Array.of(NaN, 4, 4, 6),
  vpa: Float64Array.of(NaN, 8, 8, 8),
};

function aWorkload(name: string, costJ: number): ReplayedWorkload {
  const scored: RefusalScore = {
    slots: 288,
    slack: 0.25,
    spare: 100,
    used: 300,
    overrun: 0.01,
    unserved: 3,
    episodes: 2,
    changes: 4,
    episodesPerWeek: 14,
    changesPerDay: 4,
    costJ,
    refusedOverrun: 0.02,
  };
  const scores = Object.fromEntries(METHODS.map((method) => [method, scored])) as Record<(typeof METHODS)[number], RefusalScore>;
  return { name, source: `${name}.csv`, days: 3, warmUpDays: 1, resources: { cpu: { scores, plot: PLOT } } };
}

function aReport(...workloads: ReplayedWorkload[]) {
  const problems = [{ source: NASTY, line: 3, problem: 'is <bad>' }];
  return reportOf(summarize({ goal: 'Balanced', pace: 'Daily' }, workloads, problems), workloads);
}

describe('a report', () => {
  test('shows the worst workloads first', () => {
    const report = aReport(aWorkload('good', 0.1), aWorkload('bad', 3), aWorkload('middling', 1));
    expect(report.sections[0]?.plots.map(({ title }) => title)).toEqual(['bad', 'middling', 'good']);
    expect(report.sections[0]?.workloads.rows.map(([name]) => name)).toEqual(['bad', 'middling', 'good']);
  });

  test('limits the number of plots, and states the total', () => {
    const report = aReport(...Array.from({ length: 30 }, (_, index) => aWorkload(`w${index}`, index)));
    expect(report.sections[0]?.plots).toHaveLength(20);
    expect(report.sections[0]?.plotsIntro).toContain('20 of 30');
    expect(report.sections[0]?.workloads.rows).toHaveLength(30);
  });

  test('as HTML: names are escaped, nothing is loaded, and plots are inline', () => {
    const page = reportHtml(aReport(aWorkload(NASTY, 1)));
    expect(page).not.toContain('<script');
    expect(page).not.toContain('\u001b');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page.match(/<svg /g)).toHaveLength(1);
    expect(page.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|src=|href=|url\(/);
  });

  test('as Markdown: names are escaped in tables and links, and plots are separate files', () => {
    const { text, plots } = reportMarkdown(aReport(aWorkload(NASTY, 1)), 'my report-plots');
    expect(text).not.toContain('<script');
    expect(text).not.toMatch(/[^\\]\]\(javascript:/);
    expect([...plots.keys()]).toEqual(['cpu-01.svg']);
    expect(text).toContain('](my%20report-plots/cpu-01.svg)');
    const cells = (line: string) => line.split(/(?<!\\)\|/).length;
    const table = text.split('\n').filter((line) => line.startsWith('| '));
    expect(new Set(table.map(cells)).size).toBe(2);
  });
});

describe('a plot', () => {
  test('draws known values with gaps between', () => {
    const svg = plotSvg('cart', 'cpu', PLOT);
    expect(svg).not.toContain('NaN');
    const mean = /class="line mean" d="([^"]*)"/.exec(svg)?.[1] ?? '';
    expect(mean.match(/M/g)).toHaveLength(2);
    expect(svg).toContain('day 0.0');
  });

  test('a plot without values is empty', () => {
    const nothing = Float64Array.of(NaN, NaN);
    const svg = plotSvg('x', 'memory', { ...PLOT, usageMean: nothing, usageMax: nothing, evenkeel: nothing, vpa: nothing });
    expect(svg).not.toContain('NaN');
  });

  test.each([
    [250, 'cpu', '250m'],
    [1500, 'cpu', '1.5'],
    [512 * 1024 * 1024, 'memory', '512 Mi'],
    [3.5 * 1024 * 1024 * 1024, 'memory', '3.5 Gi'],
  ] as const)('%d of %s is written %s', (value, resource, text) => {
    expect(writeAmount(value, resource)).toBe(text);
  });
});
