// Writes docs/settings.md from the settings schema; with --check fails when the file is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { SETTINGS } from '../src/runtime/options/settings-schema.ts';
import { referenceRows } from './settings/reference-rows.ts';

const file = join(import.meta.dirname, '..', 'docs', 'settings.md');
const wanted = await format(document(), { ...(await resolveConfig(file)), parser: 'markdown' });
if (process.argv.includes('--check')) {
  if (read(file) !== wanted) {
    console.error('docs/settings.md is stale');
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, wanted);
}

function document(): string {
  return [
    '# Settings',
    '',
    'Generated from `src/runtime/options/settings-schema.ts` by `make generate`.',
    '',
    'A YAML file (`--config FILE`), then the environment, then flags; the later wins. All problems are reported at once with path,',
    'value given and what is allowed, and the process exits with 2. An unknown key is a problem, too; with `--config-compat` it only',
    'warns, so that an older image can be redeployed on newer values.',
    '',
    'In the environment and in a flag, items of a list have commas between; a list whose items have commas of their own, and a list of',
    'objects, is written as JSON: `EVENKEEL_PROMETHEUS_MATCHERS=\'["env=~\\"a{1,2}\\""]\'`.',
    '',
    '`evenkeel config check [--config FILE] [--SETTING VALUE …]` prints every problem of settings before a controller is started with them,',
    'and exits with 2 where there is one. `evenkeel config print` prints what is in force, each value with its source (default, file with',
    'its line, environment or flag) and secrets masked: `namespace: "ops" # environment EVENKEEL_NAMESPACE`.',
    '',
    '| setting | type | default | allowed | what it does | environment | flag |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...referenceRows(SETTINGS),
    '',
  ].join('\n');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
