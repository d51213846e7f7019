// Breaks of a version for users who upgrade to it, and for users who roll back from it.

import type { SettingTable } from '../../src/runtime/options/setting.ts';
import { type Definition, findRollbackDifferences, findUpgradeDifferences } from './definition-differences.ts';
import { findRefusals } from './schema-differences.ts';
import { settingsAsSchema } from './settings-as-schema.ts';

/** The formats that a version reads and writes outside of its store. */
export interface Version {
  readonly definitions: readonly Definition[];
  readonly settings: SettingTable;
}

/**
 * A line per break. `upgrade`: an object or a setting of the previous version is refused, pruned or misinterpreted. `rollback`: an object
 * of this version is not valid for the previous one. Settings are not compared for a rollback: the previous version reports those that it
 * refuses, and does not start.
 */
export function findBreaks(previous: Version, present: Version): readonly string[] {
  const settings = findRefusals(settingsAsSchema(previous.settings), settingsAsSchema(present.settings), 'lost');
  return [
    ...findUpgradeDifferences(previous.definitions, present.definitions).map((line) => `upgrade: ${line}`),
    ...settings.map(({ path, message }) => `upgrade: settings${path === '' ? '' : ` ${path}`}: ${message}`),
    ...findRollbackDifferences(previous.definitions, present.definitions).map((line) => `rollback: ${line}`),
  ];
}
