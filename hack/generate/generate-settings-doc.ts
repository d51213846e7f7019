// Writes docs/settings.md from the settings schema; with --check fails when the file is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { Setting } from '../../src/runtime/options/setting.ts';
import { SETTINGS } from '../../src/runtime/options/settings-schema.ts';
import { referenceRows } from '../settings/reference-rows.ts';

const file = join(import.meta.dirname, '..', '..', 'docs', 'settings.md');
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
    'You want Evenkeel to behave differently as a whole: find the setting and put it into `config` of the chart, a file, the environment or a flag.',
    'What applies to some workloads only is a field of a policy (`kubectl explain prp.spec`).',
    '',
    'Generated from `src/runtime/options/settings-schema.ts` by `make generate`.',
    '',
    'Settings come from a YAML file (`--config FILE`), the environment and flags; later sources take precedence. All problems are reported at once with path,',
    'value and allowed values, and the process exits with 2. An unknown key is a problem too; with `--config-compat` it is only',
    'a warning, so that an older image can be deployed with newer values.',
    '',
    'In the environment and in a flag, items of a list are separated by commas; a list whose items contain commas, and a list of',
    'objects, is written as JSON: `EVENKEEL_PROMETHEUS_MATCHERS=\'["env=~\\"a{1,2}\\""]\'`.',
    '',
    '`evenkeel config check [--config FILE] [--SETTING VALUE …]` prints every problem of the settings without starting a controller,',
    'and exits with 2 if there is one. `evenkeel config print` prints the settings in force, each value with its source (default, file with',
    'its line, environment or flag) and secrets masked: `namespace: "ops" # environment EVENKEEL_NAMESPACE`.',
    '',
    ...tableOf(({ status }) => status === undefined),
    '## Without effect in this version',
    '',
    'These settings are read and checked, so that a later version can use the same file, and change nothing yet. A value other than the default',
    'is a warning at start, or stops it where the default alone is accepted.',
    '',
    ...tableOf(({ status }) => status !== undefined),
  ].join('\n');
}

function tableOf(isListed: (setting: Setting) => boolean): readonly string[] {
  const settings = Object.entries<Setting>(SETTINGS).filter(([, setting]) => isListed(setting));
  return [
    '| setting | type | default | allowed | what it does | environment | flag |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...referenceRows(Object.fromEntries(settings)),
    '',
  ];
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
