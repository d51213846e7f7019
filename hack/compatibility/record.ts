// The previous version of Evenkeel as recorded in test/fixtures/previous, so that a checkout without history has it.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { parse } from 'yaml';
import { SETTINGS } from '../../src/runtime/options/settings-schema.ts';
import type { SettingTable } from '../../src/runtime/options/setting.ts';
import type { Version } from './breaks.ts';
import type { Definition } from './definition-differences.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const RECORD = join(ROOT, 'test', 'fixtures', 'previous');
const CRDS = 'crds';
const SETTINGS_FILE = 'settings.json';
/** Keywords for human readers only. */
const NOT_RECORDED: ReadonlySet<string> = new Set(['description', 'help']);

/** Reads the version of this checkout. */
export function readPresentVersion(): Version {
  const folder = join(ROOT, 'crds');
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return { definitions: files.map((name) => parse(readFileSync(join(folder, name), 'utf8')) as Definition), settings: SETTINGS };
}

/** Reads the recorded version; its settings have no help texts. @param folder where another version than the previous one is recorded */
export function readPreviousVersion(folder = RECORD): Version {
  const read = (...names: readonly string[]): unknown => JSON.parse(readFileSync(join(folder, ...names), 'utf8'));
  return {
    definitions: readdirSync(join(folder, CRDS)).map((name) => read(CRDS, name) as Definition),
    settings: read(SETTINGS_FILE) as SettingTable,
  };
}

/** Records a version with which later ones are compared. */
export async function recordVersion({ definitions, settings }: Version, folder = RECORD): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, CRDS), { recursive: true });
  for (const definition of definitions) await write(join(folder, CRDS, `${definition.metadata.name}.json`), definition);
  await write(join(folder, SETTINGS_FILE), settings);
}

async function write(file: string, value: unknown): Promise<void> {
  writeFileSync(file, await format(JSON.stringify(recorded(value)), { ...(await resolveConfig(file)), parser: 'json' }));
}

function recorded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(recorded);
  if (typeof value !== 'object' || value === null) return value;
  // A field may also have such a name; then its value is a schema, not a string.
  const entries = Object.entries(value).filter(([name, inner]) => typeof inner !== 'string' || !NOT_RECORDED.has(name));
  return Object.fromEntries(entries.map(([name, inner]) => [name, recorded(inner)]));
}
