import type { Goal, Pace } from '../../core/recommender/advice.ts';
import { RESOURCES, type Resource } from '../../core/backtest/time-grid.ts';
import { flag, type OptionReader, type OptionTable, type OptionValues, parseArguments, text, wholeNumber } from '../arguments.ts';

const GOALS: Readonly<Record<string, Goal>> = { savings: 'Savings', balanced: 'Balanced', safe: 'Safe' };

const goal: OptionReader<Goal> = (given) => {
  const value = GOALS[given.toLowerCase()];
  return value === undefined ? { ok: false, message: 'must be savings, balanced or safe' } : { ok: true, value };
};

const PACES: Readonly<Record<string, Pace>> = { daily: 'Daily', hourly: 'Hourly' };

const pace: OptionReader<Pace> = (given) => {
  const value = PACES[given.toLowerCase()];
  return value === undefined ? { ok: false, message: 'must be daily or hourly' } : { ok: true, value };
};

const resources: OptionReader<readonly Resource[]> = (given) => {
  const chosen = RESOURCES.filter((resource) => resource === given.toLowerCase());
  return chosen.length === 0 ? { ok: false, message: 'must be cpu or memory' } : { ok: true, value: chosen };
};

const days: OptionReader<number | null> = (given) => {
  const value = Number(given);
  const isValid = /^\d+(\.\d+)?$/.test(given) && value <= 365;
  return isValid ? { ok: true, value } : { ok: false, message: 'must be a number of days from 0 to 365' };
};

const report: OptionReader<string | null> = (given) =>
  /\.(md|html)$/i.test(given) ? { ok: true, value: given } : { ok: false, message: 'must end in .md or .html' };

const names: OptionReader<readonly string[] | null> = (given) => {
  const value = given.split(',').map((name) => name.trim());
  return value.every((name) => name !== '') ? { ok: true, value } : { ok: false, message: 'must be a comma-separated list' };
};

/** Options that require --prometheus. */
const PROMETHEUS_OPTIONS = ['namespace', 'days', 'token-file', 'ca-file', 'header', 'tenant', 'matchers'] as const;

export const BACKTEST_OPTIONS = {
  goal: {
    value: 'GOAL',
    help: 'savings, balanced or safe: cost of a shortfall relative to unused requests (default balanced)',
    read: goal,
    default: 'Balanced',
  },
  pace: {
    value: 'PACE',
    help: 'daily or hourly: how often the base of CPU requests may fall (default daily, as in a policy)',
    read: pace,
    default: 'Daily',
  },
  resource: { value: 'NAME', help: 'only cpu or only memory (default both)', read: resources, default: RESOURCES },
  'warm-up': {
    value: 'DAYS',
    help: 'period that is not scored (default a quarter of each recording, 3 to 14 days, at most half)',
    read: days,
    default: null,
  },
  emit: {
    value: 'DIR',
    help: 'write a CSV of requests for each input, t_s,cpu_m,mem_mib: each change with its start time',
    read: text(),
    default: null,
  },
  report: {
    value: 'FILE',
    help: 'write a report with plots: Markdown (.md) or one self-contained page (.html)',
    read: report,
    default: null,
  },
  json: { help: 'one JSON document instead of tables', read: flag(), default: false },
  prometheus: {
    value: 'URL',
    help: 'replay history from Prometheus, Thanos, Mimir or VictoriaMetrics, with or without files',
    read: text(),
    default: null,
  },
  namespace: {
    value: 'NAME,...',
    help: 'only these namespaces (default all with containers in Prometheus)',
    read: names,
    default: null,
  },
  days: { value: 'N', help: 'days of history, 1 to 90 (default 14)', read: wholeNumber(1, 90), default: 14 },
  'token-file': { value: 'FILE', help: 'bearer token for Prometheus', read: text(), default: null },
  'ca-file': { value: 'FILE', help: "CA of Prometheus' certificate, PEM", read: text(), default: null },
  header: { value: 'TEXT', help: 'an additional header for Prometheus, "Name: value"', read: text(), default: null },
  tenant: { value: 'NAME', help: 'tenant, sent as X-Scope-OrgID', read: text(), default: null },
  matchers: {
    value: 'MATCHER,...',
    help: 'label matchers added to every query, such as cluster="prod-eu": required where Prometheus has several clusters',
    read: names,
    default: null,
  },
  jobs: { value: 'N', help: 'recordings replayed concurrently (default one per core)', read: wholeNumber(1, 64), default: null },
} as const satisfies OptionTable;

export interface BacktestOptions extends OptionValues<typeof BACKTEST_OPTIONS> {
  readonly paths: readonly string[];
}

export type ParsedBacktestOptions =
  { readonly ok: true; readonly options: BacktestOptions } | { readonly ok: false; readonly problems: readonly string[] };

export function parseBacktestOptions(args: readonly string[]): ParsedBacktestOptions {
  const parsed = parseArguments(BACKTEST_OPTIONS, args, { withPositionals: true });
  if (!parsed.ok) return parsed;
  const { values, positionals, given } = parsed;
  const unusable = values.prometheus === null ? PROMETHEUS_OPTIONS.filter((name) => given.has(name)) : [];
  if (unusable.length > 0) {
    return { ok: false, problems: unusable.map((name) => `--${name} requires --prometheus URL`) };
  }
  if (positionals.length === 0 && values.prometheus === null) {
    return {
      ok: false,
      problems: ['nothing to replay: give CSV files, a folder of them, or --prometheus URL; see `evenkeel backtest --help`'],
    };
  }
  return { ok: true, options: { ...values, paths: positionals } };
}
