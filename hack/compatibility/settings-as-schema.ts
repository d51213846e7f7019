// Converts a table of settings into a schema for the comparison of versions: with secrets, and with bounds that JSON schema cannot express.

import { parseDuration } from '../../src/core/model/duration.ts';
import type { Setting, SettingTable, ValueSchema } from '../../src/runtime/options/setting.ts';
import type { Schema } from './schema-differences.ts';

export function settingsAsSchema(table: SettingTable): Schema {
  const properties = Object.fromEntries(Object.entries<Setting>(table).map(([path, setting]) => [path, settingAsSchema(setting)]));
  return { type: 'object', properties };
}

/** Without its default: when a setting is not set, each version uses its own. */
function settingAsSchema(setting: Setting): Schema {
  // Any other value prevents the start.
  return setting.status === 'refused' ? { ...asSchema(setting), enum: [setting.default] } : asSchema(setting);
}

function asSchema(value: ValueSchema): Schema {
  if (value.type === 'list') return { type: 'list', items: asSchema(value.items) };
  if (value.type === 'object') {
    const fields = Object.entries(value.fields);
    return {
      type: 'object',
      properties: Object.fromEntries(fields.map(([name, field]) => [name, asSchema(field)])),
      required: fields.filter(([, field]) => field.default === undefined).map(([name]) => name),
    };
  }
  const { type, enum: names, minimum, maximum, exclusiveMinimum, shortest, longest, pattern } = value;
  return {
    type,
    ...(names !== undefined && { enum: names }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(exclusiveMinimum !== undefined && { exclusiveMinimum }),
    ...(shortest !== undefined && { shortestMs: milliseconds(shortest) }),
    ...(longest !== undefined && { longestMs: milliseconds(longest) }),
    ...(pattern !== undefined && { pattern: pattern.regex }),
  };
}

function milliseconds(duration: string): number {
  const parsed = parseDuration(duration);
  if (!parsed.ok) throw new Error(`${duration} is no duration`);
  return parsed.value;
}
