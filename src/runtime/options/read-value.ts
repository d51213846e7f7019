import type { DurationMs } from '#kube/units';
import { parseDuration } from '../../core/model/duration.ts';
import { parseListenAddress } from '../listen-address.ts';
import type { FieldSchema, ScalarSchema, ValueSchema } from './setting.ts';

/** A path inside a value: names of fields and indices of items. */
export type ValuePath = readonly (string | number)[];

export interface ValueProblem {
  readonly at: ValuePath;
  /** What is allowed there. */
  readonly message: string;
  /** A field that this version does not have; the value is read without it. */
  readonly unknown?: true;
}

export interface ReadValue {
  /** Not to be used where a problem other than an unknown field exists. */
  readonly value: unknown;
  readonly problems: readonly ValueProblem[];
}

/**
 * Reads one raw value (text from the environment or a flag, or a YAML value from the file) by its schema, with all problems inside it.
 * Text is converted to the type; a YAML value must already have the type, because a quoted "true" in a file is a mistake.
 */
export function readValue(schema: ValueSchema, raw: unknown, fromText: boolean): ReadValue {
  switch (schema.type) {
    case 'boolean':
      return readBoolean(raw, fromText);
    case 'integer':
    case 'number':
      return readNumber(schema, raw, fromText);
    case 'duration':
      return readDuration(schema, raw);
    case 'address':
      return readAddress(raw);
    case 'string':
      return readString(schema, raw);
    case 'list':
      return readList(schema.items, raw, fromText);
    case 'object':
      return readObject(schema.fields, raw, fromText);
  }
}

function accept(value: unknown): ReadValue {
  return { value, problems: [] };
}

function refuse(message: string): ReadValue {
  return { value: undefined, problems: [{ at: [], message }] };
}

function readBoolean(raw: unknown, fromText: boolean): ReadValue {
  if (typeof raw === 'boolean') return accept(raw);
  if (fromText && (raw === 'true' || raw === 'false')) return accept(raw === 'true');
  return refuse('must be true or false');
}

function readNumber(schema: ScalarSchema, raw: unknown, fromText: boolean): ReadValue {
  const value = fromText && typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
  const what = schema.type === 'integer' ? 'a whole number' : 'a number';
  const refusal = refuse(`must be ${what}${describeRange(schema)}`);
  if (typeof value !== 'number' || !Number.isFinite(value)) return refusal;
  if (schema.type === 'integer' && !Number.isInteger(value)) return refusal;
  const tooSmall =
    (schema.minimum !== undefined && value < schema.minimum) || (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum);
  const tooLarge = schema.maximum !== undefined && value > schema.maximum;
  return tooSmall || tooLarge ? refusal : accept(value);
}

function describeRange(schema: ScalarSchema): string {
  const bounds = [
    schema.minimum === undefined ? '' : ` of at least ${schema.minimum}`,
    schema.exclusiveMinimum === undefined ? '' : ` above ${schema.exclusiveMinimum}`,
    schema.maximum === undefined ? '' : ` and at most ${schema.maximum}`,
  ];
  return bounds.join('');
}

function readDuration(schema: ScalarSchema, raw: unknown): ReadValue {
  const example = 'a duration such as 30s, 10m or 1h30m';
  if (typeof raw !== 'string') return refuse(`must be ${example}`);
  const parsed = parseDuration(raw);
  if (!parsed.ok) return refuse(`must be ${example}: ${parsed.message}`);
  const bound = (text: string | undefined, otherwise: DurationMs): DurationMs => {
    const read = text === undefined ? undefined : parseDuration(text);
    return read?.ok === true ? read.value : otherwise;
  };
  const isWithin = parsed.value >= bound(schema.shortest, 0) && parsed.value <= bound(schema.longest, Infinity);
  if (!isWithin) return refuse(`must be ${describeDurations(schema)}`);
  return accept(parsed.value);
}

/** Bounds of a duration: `at least 1s and at most 1d`. */
function describeDurations({ shortest, longest }: ScalarSchema): string {
  return [shortest === undefined ? [] : [`at least ${shortest}`], longest === undefined ? [] : [`at most ${longest}`]].flat().join(' and ');
}

function readAddress(raw: unknown): ReadValue {
  if (typeof raw === 'string' && parseListenAddress(raw) !== undefined) return accept(raw);
  return refuse('must be an address such as :9090 or 127.0.0.1:9090');
}

function readString(schema: ScalarSchema, raw: unknown): ReadValue {
  if (schema.pattern !== undefined) {
    const isMatch = typeof raw === 'string' && new RegExp(schema.pattern.regex).test(raw);
    return isMatch ? accept(raw) : refuse(`must be ${schema.pattern.form}`);
  }
  if (typeof raw !== 'string') return refuse('must be a text');
  if (schema.enum !== undefined && !schema.enum.includes(raw)) return refuse(`must be one of ${schema.enum.join(', ')}`);
  return accept(raw);
}

function readList(items: ValueSchema, raw: unknown, fromText: boolean): ReadValue {
  const isPlain = items.type !== 'list' && items.type !== 'object';
  const given = fromText && typeof raw === 'string' ? itemsOf(raw, isPlain) : raw;
  if (!Array.isArray(given)) {
    if (!isPlain) return refuse(`must be a list of ${items.type}s${fromText ? ', written as JSON' : ''}`);
    return refuse(fromText ? 'must be a comma-separated or JSON list' : `must be a list of ${wordFor(items)}`);
  }
  const read = given.map((item) => readValue(items, item, fromText && isPlain));
  return {
    value: read.map(({ value }) => value),
    problems: read.flatMap(({ problems }, index) => problems.map((problem) => within(index, problem))),
  };
}

function wordFor({ type }: ValueSchema): string {
  return type === 'string' ? 'texts' : type === 'address' ? 'addresses' : `${type}s`;
}

/** JSON is accepted as well, for items that contain a comma. An address such as `[::1]` is not read as JSON. */
function itemsOf(text: string, isPlain: boolean): unknown {
  if (!isPlain || /^\s*\[\s*(["\]]|$)/.test(text)) return fromJson(text);
  const items = text.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

function readObject(fields: Readonly<Record<string, FieldSchema>>, raw: unknown, fromText: boolean): ReadValue {
  const given = fromText && typeof raw === 'string' ? fromJson(raw) : raw;
  const names = Object.keys(fields).join(', ');
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return refuse(`must be an object with ${names}${fromText ? ', written as JSON' : ''}`);
  }
  // A Map, because a field such as `toString` must not find inherited properties.
  const byName = new Map<string, unknown>(Object.entries(given));
  const problems: ValueProblem[] = [];
  for (const name of byName.keys()) {
    if (!Object.hasOwn(fields, name)) problems.push({ at: [name], message: `unknown field; known are ${names}`, unknown: true });
  }
  const value = Object.entries(fields).map(([name, field]) => {
    const { default: fallback } = field;
    if (!byName.has(name) && fallback === undefined) {
      problems.push({ at: [name], message: `is required: ${field.help}` });
      return [name, undefined];
    }
    const read = readValue(field, byName.has(name) ? byName.get(name) : fallback, false);
    problems.push(...read.problems.map((problem) => within(name, problem)));
    return [name, read.value];
  });
  return { value: Object.fromEntries(value), problems };
}

function within(name: string | number, { at, ...rest }: ValueProblem): ValueProblem {
  return { ...rest, at: [name, ...at] };
}

/** undefined where the text is no JSON. */
function fromJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
