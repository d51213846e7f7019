import { formatDuration } from '../../core/model/duration.ts';
import type { ValueSchema } from '../../runtime/options/setting.ts';

/** A parsed value in the form of a settings file: durations with units. */
export function writtenValue(schema: ValueSchema, value: unknown): unknown {
  switch (schema.type) {
    case 'duration':
      return typeof value === 'number' ? formatDuration(value) : value;
    case 'list':
      return Array.isArray(value) ? value.map((item) => writtenValue(schema.items, item)) : value;
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.fields).map(([name, field]) => [name, writtenValue(field, (value as Record<string, unknown>)[name])]),
      );
    case 'string':
    case 'boolean':
    case 'integer':
    case 'number':
    case 'address':
      return value;
  }
}
