// JSON schema of a table of settings as a tree of groups, for the values of the chart.

import { hasSecret } from '../../src/runtime/options/masked.ts';
import type { FieldSchema, ScalarSchema, Setting, SettingTable, ValueSchema } from '../../src/runtime/options/setting.ts';

export interface JsonSchema {
  readonly type: string;
  readonly [keyword: string]: unknown;
}

type Properties = Record<string, JsonSchema>;

const BY_TYPE: Readonly<Record<ScalarSchema['type'], JsonSchema>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  duration: { type: 'string', pattern: '^([1-9][0-9]*(ms|s|m|h|d|w))+$' },
  // Kubelets and Services connect to the pod's address, so a program that listens on loopback is unreachable.
  address: { type: 'string', pattern: '^(0\\.0\\.0\\.0|\\[::\\])?:[1-9][0-9]{0,4}$' },
};

/** Schema without the settings of `leaveOut` and without secrets: values of a chart become a ConfigMap, which must not contain secrets. */
export function settingsJsonSchema(table: SettingTable, leaveOut: ReadonlySet<string>, description: string): JsonSchema {
  const properties: Properties = {};
  for (const [path, setting] of Object.entries(table)) {
    if (leaveOut.has(path) || hasSecret(setting)) continue;
    const names = path.split('.');
    const leaf = names.pop() ?? path;
    let at = properties;
    for (const name of names) at = groupIn(at, name);
    at[leaf] = described(setting, setting.status === 'refused' ? { enum: [setting.default] } : {});
  }
  return { type: 'object', description, additionalProperties: false, properties };
}

/** The settings of a group, which is created when it is missing. */
function groupIn(outer: Properties, name: string): Properties {
  const properties = (outer[name]?.['properties'] ?? {}) as Properties;
  outer[name] ??= { type: 'object', additionalProperties: false, properties };
  return properties;
}

/** @param only restriction to the default, because the controller would refuse any other value at its start */
function described(schema: Setting | FieldSchema, only: { readonly enum?: readonly unknown[] }): JsonSchema {
  const { type, pattern, ...bounds } = valueSchema(schema);
  return { type, ...(pattern === undefined ? {} : { pattern }), description: schema.help, ...bounds, ...only };
}

function valueSchema(schema: ValueSchema): JsonSchema {
  if (schema.type === 'list') return { type: 'array', items: valueSchema(schema.items) };
  if (schema.type === 'object') {
    const fields = Object.entries(schema.fields);
    return {
      type: 'object',
      additionalProperties: false,
      required: fields.filter(([, field]) => field.default === undefined).map(([name]) => name),
      properties: Object.fromEntries(fields.map(([name, field]) => [name, described(field, {})])),
    };
  }
  const { enum: allowed, minimum, maximum, exclusiveMinimum, pattern } = schema;
  return {
    ...BY_TYPE[schema.type],
    ...(pattern === undefined ? {} : { pattern: pattern.regex }),
    ...(allowed === undefined ? {} : { enum: allowed }),
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
    ...(exclusiveMinimum === undefined ? {} : { exclusiveMinimum }),
  };
}
