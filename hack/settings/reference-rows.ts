// The settings as rows of a Markdown table: one row each, and below it one for each field of its objects.

import { environmentName, flagName, type Setting, type SettingTable, type ValueSchema } from '../../src/runtime/options/setting.ts';

/** Columns: setting, type, default, allowed, what it does, environment, flag. */
export function referenceRows(table: SettingTable): readonly string[] {
  return Object.entries(table).flatMap(([path, setting]) => [
    row([
      code(path),
      typeOf(setting),
      code(JSON.stringify(setting.default)),
      allowed(setting),
      `${setting.help}${STATUS[setting.status ?? 'in effect']}`,
      code(environmentName(path)),
      code(`--${flagName(path)}`),
    ]),
    ...fieldRows(path, setting),
  ]);
}

const STATUS: Readonly<Record<NonNullable<Setting['status']> | 'in effect', string>> = {
  'in effect': '',
  announced: ' *No effect in this version.*',
  refused: ' *Not in this version: only the default is accepted.*',
};

/** Fields have neither a variable nor a flag: the whole setting is set as JSON. */
function fieldRows(path: string, schema: ValueSchema): readonly string[] {
  if (schema.type === 'list') return fieldRows(`${path}[]`, schema.items);
  if (schema.type !== 'object') return [];
  return Object.entries(schema.fields).flatMap(([name, field]) => {
    const at = `${path}.${name}`;
    const fallback = field.default === undefined ? 'required' : code(JSON.stringify(field.default));
    return [row([code(at), typeOf(field), fallback, allowed(field), field.help, '', '']), ...fieldRows(at, field)];
  });
}

function typeOf(schema: ValueSchema): string {
  return schema.type === 'list' && schema.items.type !== 'string' ? `list of ${typeOf(schema.items)}` : schema.type;
}

function allowed(schema: ValueSchema): string {
  if (schema.type === 'list') return allowed(schema.items);
  if (schema.type === 'object') return '';
  const { enum: names, minimum, exclusiveMinimum, maximum, shortest, longest } = schema;
  if (names !== undefined) return names.join(', ');
  const bounds = [
    minimum === undefined ? '' : `≥ ${minimum}`,
    exclusiveMinimum === undefined ? '' : `> ${exclusiveMinimum}`,
    maximum === undefined ? '' : `≤ ${maximum}`,
    shortest === undefined ? '' : `≥ ${shortest}`,
    longest === undefined ? '' : `≤ ${longest}`,
  ];
  return bounds.filter((bound) => bound !== '').join(', ');
}

function code(text: string): string {
  return `\`${text}\``;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
