// The alerts and the dashboard of config/prometheus use only metrics and labels that docs/metrics.md lists, which is generated from the
// metrics of a running controller.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { manifestsOf, ROOT } from './rules.ts';

/** Labels that Prometheus adds: of the target, and of the buckets of a histogram. */
const ADDED_LABELS = ['instance', 'job', 'pod', 'namespace', 'service', 'endpoint', 'le'];

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary?: string; readonly description?: string; readonly runbook?: string };
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

const [rule] = manifestsOf('config/prometheus/rules.yaml');
const { groups } = rule?.['spec'] as { readonly groups: readonly { readonly rules: readonly Alert[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);
const dashboard = JSON.parse(readFileSync(join(ROOT, 'config/prometheus/dashboard.json'), 'utf8')) as Dashboard;
const variables = dashboard.templating.list.flatMap(({ definition }) => definition ?? []);

/** Labels by the name of the series: a histogram has three names. */
const labelsByName = new Map(
  [...readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8').matchAll(/^\| `(evenkeel_\w+)` +\| (\w+) +\| ([^|]*)\|/gm)].flatMap(
    ([, name = '', type, cell = '']) => {
      const labels = [...cell.matchAll(/`(\w+)`/g)].map(([, label = '']) => label);
      const names = type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name];
      return names.map((each) => [each, labels] as const);
    },
  ),
);

/** Unknown metrics and labels of a PromQL expression, with the labels that are shown of its result. */
function unknownNames(expression: string, shown: readonly string[] = []): readonly string[] {
  const selected = [...expression.matchAll(/(evenkeel_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', selector = '']) => ({
    name,
    labels: [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }));
  const known = [...ADDED_LABELS, ...selected.flatMap(({ name }) => labelsByName.get(name) ?? [])];
  const grouped = [...expression.matchAll(/\b(?:by|on|without) ?\(([^)]*)\)/g)].flatMap(([, list = '']) => list.match(/\w+/g) ?? []);
  return [
    ...selected.filter(({ name }) => !labelsByName.has(name)).map(({ name }) => name),
    ...selected.flatMap(({ name, labels }) =>
      labels.filter((label) => !(labelsByName.get(name) ?? []).includes(label)).map((label) => `${name}{${label}}`),
    ),
    ...[...grouped, ...shown].filter((label) => !known.includes(label)),
  ];
}

test('an unknown metric, selector, grouping or shown label is found', () => {
  expect(unknownNames('rate(evenkeel_gone_total[5m])')).toEqual(['evenkeel_gone_total']);
  expect(unknownNames('evenkeel_leader{reason="x"}')).toEqual(['evenkeel_leader{reason}']);
  expect(unknownNames('sum by (reason) (evenkeel_leader)')).toEqual(['reason']);
  expect(unknownNames('evenkeel_leader', ['name'])).toEqual(['name']);
  expect(unknownNames('sum by (le) (evenkeel_admission_seconds_bucket)')).toEqual([]);
});

describe('each alert', () => {
  test.each(alerts)('$alert uses existing metrics and labels', ({ expr, annotations }) => {
    const shown = [...`${annotations.summary} ${annotations.description}`.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
    expect(unknownNames(expr, shown)).toEqual([]);
    expect(expr).toMatch(/evenkeel_/);
  });

  test.each(alerts)('$alert has a severity, a summary, a description and a section of docs/alerts.md', ({ alert, labels, annotations }) => {
    expect(['critical', 'warning', 'info']).toContain(labels.severity);
    expect([annotations.summary, annotations.description]).toEqual([expect.any(String), expect.any(String)]);
    expect(annotations.runbook).toBe(`docs/alerts.md#${alert.toLowerCase()}`);
    expect(readFileSync(join(ROOT, 'docs/alerts.md'), 'utf8')).toContain(`\n### ${alert}\n`);
  });
});

describe('the dashboard', () => {
  test.each(dashboard.panels)('$title uses existing metrics and labels', ({ targets }) => {
    for (const { expr, legendFormat } of targets) {
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
      expect(unknownNames(expr, shown)).toEqual([]);
    }
  });

  test.each(variables)('the variable %s selects by existing labels', (definition) => {
    expect(unknownNames(definition)).toEqual([]);
    const [, metric = '', label = ''] = /^label_values\((evenkeel_\w+).*, (\w+)\)$/.exec(definition) ?? [];
    expect(labelsByName.get(metric)).toContain(label);
  });
});
