// Writes the settings into charts/evenkeel/values.schema.json from the settings schema; with --check fails when they are stale. The rest of
// that file is written manually.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { SETTINGS } from '../../src/runtime/options/settings-schema.ts';
import { settingsJsonSchema } from '../settings/json-schema.ts';

/** Settings that the chart sets: the release's namespace, and in-cluster credentials. */
const CHART_SETTINGS: ReadonlySet<string> = new Set(['namespace', 'kubernetes.kubeconfig']);
const DESCRIPTION = 'Settings, by group: docs/settings.md. Generated from the settings schema by `make generate`.';

const file = join(import.meta.dirname, '..', '..', 'charts', 'evenkeel', 'values.schema.json');
const before = readFileSync(file, 'utf8');
const document = JSON.parse(before) as { properties: Record<string, unknown> };
document.properties['config'] = settingsJsonSchema(SETTINGS, CHART_SETTINGS, DESCRIPTION);
const wanted = await format(JSON.stringify(document), { ...(await resolveConfig(file)), parser: 'json' });
if (process.argv.includes('--check')) {
  if (before !== wanted) {
    console.error('the settings in charts/evenkeel/values.schema.json are stale');
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, wanted);
}
