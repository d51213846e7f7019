// Content of a report, as Markdown or HTML: tables of all workloads, plots of the worst.

import { METHOD_TITLES, METHODS } from '../../../core/backtest/methods.ts';
import type { EvenkeelSetting } from '../../../core/backtest/evenkeel-policy.ts';
import { type Resource, RESOURCES } from '../../../core/backtest/time-grid.ts';
import { figureColumns, RESOURCE_TITLES, writeChange } from './columns.ts';
import type { InputProblem } from '../find-recordings.ts';
import { gainAndRisk } from './gain-and-risk.ts';
import type { Plot } from './plot.ts';
import type { ReplayedWorkload } from '../replay-job.ts';
import type { BacktestSummary } from './summary.ts';

/** Maximum plots per resource, to keep the page readable. */
const MAX_PLOTS = 20;

export interface ReportTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface ReportPlot {
  readonly title: string;
  readonly resource: Resource;
  readonly plot: Plot;
  /** The main values, in one line. */
  readonly caption: string;
}

export interface ReportSection {
  readonly title: string;
  readonly intro: string;
  readonly overall: ReportTable;
  readonly workloads: ReportTable;
  readonly plots: readonly ReportPlot[];
  readonly plotsIntro: string;
}

export interface Report {
  readonly title: string;
  readonly intro: string;
  readonly sections: readonly ReportSection[];
  readonly problems: readonly InputProblem[];
}

/** Builds the report of a backtest. */
export function reportOf(summary: BacktestSummary, workloads: readonly ReplayedWorkload[]): Report {
  return {
    title: 'Right-sizing, replayed on recorded usage',
    intro: introOf(summary.setting, summary.workloads.length),
    sections: RESOURCES.flatMap((resource) => {
      const section = sectionOf(resource, summary, workloads);
      return section === null ? [] : [section];
    }),
    problems: summary.problems,
  };
}

function introOf({ goal, pace }: EvenkeelSetting, workloads: number): string {
  return `${workloads} ${workloads === 1 ? 'workload' : 'workloads'}; goal ${goal}, pace ${pace}. Each request was decided only from earlier usage.`;
}

function sectionOf(resource: Resource, summary: BacktestSummary, replayed: readonly ReplayedWorkload[]): ReportSection | null {
  const overall = summary.overall[resource];
  if (overall === undefined) return null;
  const columns = figureColumns(resource);
  // Worst first: highest cost relative to usage.
  const worst = summary.workloads
    .flatMap((workload) => {
      const figures = workload.resources[resource];
      return figures === undefined ? [] : [{ name: workload.name, source: workload.source, ...figures }];
    })
    .sort((a, b) => b.methods.evenkeel.costJ - a.methods.evenkeel.costJ);
  const plots = worst.slice(0, MAX_PLOTS).flatMap(({ name, source, methods }): ReportPlot[] => {
    const plot = replayed.find((workload) => workload.source === source)?.resources[resource]?.plot ?? null;
    if (plot === null) return [];
    const line = (title: string, { slack, overrun, costJ }: (typeof methods)['vpa']) =>
      `${title}: slack ${(slack * 100).toFixed(1)} %, overrun ${(overrun * 100).toFixed(2)} %, J ${costJ.toFixed(3)}`;
    return [{ title: name, resource, plot, caption: `${line('Evenkeel', methods.evenkeel)}. ${line('VPA', methods.vpa)}.` }];
  });
  return {
    title: RESOURCE_TITLES[resource],
    intro: `${overall.workloads} ${overall.workloads === 1 ? 'workload' : 'workloads'}, ${overall.scoredDays.toFixed(1)} days scored. ${gainAndRisk(resource, overall)}`,
    overall: {
      header: ['', ...columns.map((column) => column.title)],
      rows: [
        ...METHODS.map((method) => [METHOD_TITLES[method], ...columns.map(({ figure, write }) => write(overall.methods[method][figure]))]),
        ['Evenkeel against VPA', ...columns.map(({ figure }) => writeChange(overall.againstVpa[figure]))],
      ],
    },
    workloads: {
      header: ['workload', 'days', ...columns.map((column) => column.title), 'VPA slack', 'VPA overrun', 'VPA cost J', 'KRR cost J'],
      rows: worst.map(({ name, scoredDays, methods }) => [
        name,
        scoredDays.toFixed(1),
        ...columns.map(({ figure, write }) => write(methods.evenkeel[figure])),
        ...columns
          .filter(({ figure }) => ['slack', 'overrun', 'costJ'].includes(figure))
          .map(({ figure, write }) => write(methods.vpa[figure])),
        methods.krr.costJ.toFixed(3),
      ]),
    },
    plots,
    plotsIntro: `The ${plots.length} of ${worst.length} with the highest cost, worst first.`,
  };
}
