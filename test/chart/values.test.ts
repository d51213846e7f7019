// values.yaml and its schema describe the same values, and its settings are those of the controller.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { loadSettings } from '../../src/runtime/options/load-settings.ts';
import type { Setting } from '../../src/runtime/options/setting.ts';
import { EVENKEEL_SETTINGS, SETTINGS } from '../../src/runtime/options/settings-schema.ts';
import { ROOT } from './rules.ts';

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
}

const text = readFileSync(join(ROOT, 'charts/evenkeel/values.yaml'), 'utf8');
const values = parse(text) as Readonly<Record<string, unknown>>;
const schema = JSON.parse(readFileSync(join(ROOT, 'charts/evenkeel/values.schema.json'), 'utf8')) as Schema;
const validate = new Ajv({ strict: false }).compile(schema);

/** The default values with `config.kubelet.interval` = value, for example. */
function withValue(path: string, value: unknown): unknown {
  const copy = structuredClone(values) as Record<string, unknown>;
  const names = path.split('.');
  const leaf = names.pop()!;
  let at = copy;
  for (const name of names) at = (at[name] ??= {}) as Record<string, unknown>;
  at[leaf] = value;
  return copy;
}

/** Paths of all values in the schema, down to free-form objects. */
function pathsOf({ properties }: Schema, prefix = ''): readonly string[] {
  return Object.entries(properties ?? {}).flatMap(([name, inner]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return inner.properties === undefined ? [path] : pathsOf(inner, path);
  });
}

describe('values.yaml', () => {
  test('passes its own schema', () => {
    expect(validate(values) || validate.errors).toBe(true);
  });

  test('lists every value of the schema', () => {
    const isShown = (path: string): boolean =>
      path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], values) !== undefined;
    // Settings are described in docs/settings.md, and resources by Kubernetes; `global` belongs to a parent chart.
    const elsewhere = /^(config\.|global$|controller\.(resources|affinity)\.)/;
    expect(pathsOf(schema).filter((path) => !elsewhere.test(path) && !isShown(path))).toEqual([]);
  });

  test('has a comment on every group and every value', () => {
    const lines = text.split('\n');
    const silent = Object.keys(values).filter((name) => {
      const at = lines.findIndex((line) => line.startsWith(`${name}:`));
      const next = lines.findIndex((line, index) => index > at && /^\S/.test(line));
      const inside = lines.slice(at + 1, next === -1 ? undefined : next);
      return !lines[at - 1]?.startsWith('#') && !inside.some((line) => line.startsWith('  #'));
    });
    expect(silent).toEqual([]);
  });

  test('holds settings that the controller accepts', () => {
    const file = { name: 'values.yaml', text: JSON.stringify(values['config']) };
    expect(loadSettings(EVENKEEL_SETTINGS, { file, environment: {}, flags: [] })).toMatchObject({ ok: true, warnings: [] });
  });
});

describe('The schema', () => {
  const SETTABLE = Object.entries<Setting>(SETTINGS).filter(
    ([path, { secret }]) => secret !== true && !['namespace', 'kubernetes.kubeconfig'].includes(path),
  );

  test.each(SETTABLE)('accepts the default of setting %s', (path, setting) => {
    expect(validate(withValue(`config.${path}`, setting.default)) || validate.errors).toBe(true);
  });

  test.each([
    ['an unknown setting', 'config.controller.dryrun', true],
    ['an unknown group', 'config.controler', {}],
    ['a setting that the chart sets', 'config.namespace', 'here'],
    ['a secret in plain text', 'config.history.password', 'hunter2'],
    ['a duration without a unit', 'config.kubelet.interval', '60'],
    ['a string instead of a number', 'controller.replicas', '2'],
    ['a loopback address, which no client of the pod can reach', 'config.controller.probeAddr', '127.0.0.1:8081'],
    ['an unknown value', 'persistance', {}],
    ['an unknown nested value', 'networkPolicy.enable', true],
    ['a label that is not a string', 'commonLabels', { on: true }],
    ['a label of the pod selector', 'commonLabels', { 'app.kubernetes.io/instance': 'mine' }],
    ['a label of the pod selector, on pods only', 'controller.podLabels', { 'app.kubernetes.io/component': 'mine' }],
    ['a workload of the core group', 'rbac.workloads', [{ group: '', resource: 'secrets' }]],
    ['a workload of a group of Kubernetes', 'rbac.workloads', [{ group: 'rbac.authorization.k8s.io', resource: 'clusterroles' }]],
    ['a workload of Evenkeel’s kinds', 'rbac.workloads', [{ group: 'evenkeel.io', resource: 'accesspolicies' }]],
    ['every workload of a group', 'rbac.workloads', [{ group: 'argoproj.io', resource: '*' }]],
    ['a subresource as a workload', 'rbac.workloads', [{ group: 'argoproj.io', resource: 'rollouts/status' }]],
    ['a workload without its group', 'rbac.workloads', [{ resource: 'rollouts' }]],
    ['an invalid host of the dashboard', 'ingress.hosts', ['*.example.com']],
  ])('refuses %s', (_what, path, value) => {
    expect(validate(withValue(path, value))).toBe(false);
  });

  test('accepts workloads of other groups', () => {
    const workloads = [
      { group: 'argoproj.io', resource: 'rollouts' },
      { group: 'leaderworkerset.x-k8s.io', resource: 'leaderworkersets' },
    ];
    expect(validate(withValue('rbac.workloads', workloads)) || validate.errors).toBe(true);
  });

  test('allows no unknown properties, so that a misspelt name is refused', () => {
    const open = (at: Schema, path: string): readonly string[] =>
      Object.entries(at.properties ?? {})
        .flatMap(([name, inner]) => open(inner, `${path}.${name}`))
        .concat(at.properties !== undefined && at.additionalProperties !== false ? [path] : []);
    expect(open(schema, '')).toEqual([]);
  });
});
