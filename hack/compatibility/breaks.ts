// What a version of Evenkeel breaks for who upgrades to it, and for who rolls back from it.

import type { SettingTable } from '../../src/runtime/options/setting.ts';
import { type Definition, findRollbackDifferences, findUpgradeDifferences } from './definition-differences.ts';
import { findRefusals } from './schema-differences.ts';
import { settingsAsSchema } from './settings-as-schema.ts';

/** What a version reads and writes outside of its store. */
export interface Version {
  readonly definitions: readonly Definition[];
  readonly settings: SettingTable;
}

/**
 * A line for each break. `upgrade`: an object or a setting of the previous version is refused, cut or read as something else.
 * `rollback`: an object of this version is not what the previous one expects. A setting is no break then: the previous version
 * names what it does not take, and does not start.
 */
export function findBreaks(previous: Version, present: Version): readonly string[] {
  const settings = findRefusals(settingsAsSchema(previous.settings), settingsAsSchema(present.settings), 'lost');
  return [
    ...findUpgradeDifferences(previous.definitions, present.definitions).map((line) => `upgrade: ${line}`),
    ...settings.map(({ path, message }) => `upgrade: settings${path === '' ? '' : ` ${path}`}: ${message}`),
    ...findRollbackDifferences(previous.definitions, present.definitions).map((line) => `rollback: ${line}`),
  ];
}
