// Writes the settings into charts/evenkeel/values.schema.json, from the settings schema; with --check fails where they are
// stale. The rest of that file is written by hand.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { type Setting, SETTINGS, type SettingType } from '../src/runtime/options/settings-schema.ts';

/** What the chart itself gives: the release's namespace, and a pod's own credentials. */
const GIVEN_BY_THE_CHART: ReadonlySet<string> = new Set(['namespace', 'kubernetes.kubeconfig']);

interface Schema {
  type: string;
  description?: string;
  additionalProperties?: false;
  properties?: Record<string, Schema>;
  [keyword: string]: unknown;
}

const BY_TYPE: Readonly<Record<SettingType, Schema>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  duration: { type: 'string', pattern: '^([1-9][0-9]*(ms|s|m|h|d|w))+$' },
  // A pod is asked at its own address: one that listens on loopback would answer neither probes nor Services.
  address: { type: 'string', pattern: '^(0\\.0\\.0\\.0|\\[::\\])?:[1-9][0-9]{0,4}$' },
  list: { type: 'array', items: { type: 'string' } },
};

const file = join(import.meta.dirname, '..', 'charts', 'evenkeel', 'values.schema.json');
const before = readFileSync(file, 'utf8');
const document = JSON.parse(before) as { properties: Record<string, unknown> };
document.properties['config'] = settingsSchema();
const wanted = await format(JSON.stringify(document), { ...(await resolveConfig(file)), parser: 'json' });
if (process.argv.includes('--check')) {
  if (before !== wanted) {
    console.error('the settings in charts/evenkeel/values.schema.json are stale');
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, wanted);
}

function settingsSchema(): Schema {
  const root = group('Settings, by group: docs/settings.md. Generated from the settings schema by `make generate`.');
  for (const [path, setting] of Object.entries<Setting>(SETTINGS)) {
    // A secret never stands in a ConfigMap: `secrets` of the values refers to it.
    if (GIVEN_BY_THE_CHART.has(path) || setting.secret === true) continue;
    const names = path.split('.');
    const leaf = names.pop() ?? path;
    let at = root;
    for (const name of names) at = (at.properties ??= {})[name] ??= group();
    (at.properties ??= {})[leaf] = leafSchema(setting);
  }
  return root;
}

function group(description?: string): Schema {
  return { type: 'object', ...(description === undefined ? {} : { description }), additionalProperties: false, properties: {} };
}

function leafSchema(setting: Setting): Schema {
  const { help, items, enum: allowed, minimum, maximum, exclusiveMinimum, status } = setting;
  return {
    ...BY_TYPE[setting.type],
    ...(items === undefined ? {} : { items: { type: 'string', pattern: items.pattern } }),
    description: help,
    ...(allowed === undefined ? {} : { enum: allowed }),
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
    ...(exclusiveMinimum === undefined ? {} : { exclusiveMinimum }),
    // Any other value would stop the controller at its start; better that the install is refused.
    ...(status === 'refused' ? { enum: [setting.default] } : {}),
  };
}
