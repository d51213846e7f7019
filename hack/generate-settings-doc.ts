// Writes docs/settings.md from the settings schema; with --check fails where it is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { environmentName, flagName, type Setting, SETTINGS } from '../src/runtime/options/settings-schema.ts';

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
  const rows = Object.entries<Setting>(SETTINGS).map(([path, setting]) => {
    const later =
      setting.status === undefined
        ? ''
        : setting.status === 'announced'
          ? ' *No effect in this version.*'
          : ' *Not in this version: only the default is accepted.*';
    return `| \`${path}\` | ${setting.type} | \`${JSON.stringify(setting.default)}\` | ${allowed(setting)} | ${setting.help}${later} | \`${environmentName(path)}\` | \`--${flagName(path)}\` |`;
  });
  return [
    '# Settings',
    '',
    'Generated from `src/runtime/options/settings-schema.ts` by `make generate`.',
    '',
    'A YAML file (`--config FILE`), then the environment, then flags; the later wins. All problems are reported at once with path,',
    'value given and what is allowed, and the process exits with 2. An unknown key is a problem, too; with `--config-compat` it only',
    'warns, so that an older image can be redeployed on newer values.',
    '',
    '| setting | type | default | allowed | what it does | environment | flag |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function allowed(setting: Setting): string {
  if (setting.enum !== undefined) return setting.enum.join(', ');
  const bounds = [
    setting.minimum === undefined ? '' : `≥ ${setting.minimum}`,
    setting.exclusiveMinimum === undefined ? '' : `> ${setting.exclusiveMinimum}`,
    setting.maximum === undefined ? '' : `≤ ${setting.maximum}`,
    setting.shortest === undefined ? '' : `≥ ${setting.shortest}`,
  ];
  return bounds.filter((bound) => bound !== '').join(', ');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
