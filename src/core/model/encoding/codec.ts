// Encoding of values in custom resources. One description of the fields defines reading, writing and the correction of future
// timestamps (clock skew), so that none of the three can omit a field.

import { instantOf, isoTime } from '#kube/time/iso-time';
import { isObject, type JsonObject } from '#kube/json';
import { HOUR_MS, MINUTE_MS, type DurationMs, type Instant } from '#kube/units';

/** Reads and writes values of one type as JSON. */
export interface Codec<T> {
  /** undefined: the stored value is absent or invalid. Never throws. */
  read(stored: unknown): T | undefined;
  write(value: T): unknown;
  /** The value with future timestamps corrected; the same object if there are none. */
  correct(value: T, now: Instant): T;
}

/** One property of a record, stored in one or more fields of the object. */
export interface Field<T> {
  /** undefined: the field is absent or invalid, which makes the record invalid. */
  read(stored: JsonObject): T | undefined;
  /** Entries of the stored object; it may have none. */
  write(value: T): JsonObject;
  /** @param record the record that has the value as a property */
  correct(value: T, now: Instant, record: object): T;
  /** Names in the stored object. */
  readonly names: readonly string[];
}

/** Creates the field of a property; the stored name is that of the property by default. */
type FieldOf<T> = (property: string) => Field<T>;

/** Requires a field for each property at compile time. */
type FieldsOf<T> = { readonly [K in keyof T]-?: FieldOf<Exclude<T[K], undefined>> };

/** A codec of a record, with the names of its stored fields. */
export interface RecordCodec<T> extends Codec<T>, Pick<Field<T>, 'names'> {
  write(value: T): JsonObject;
}

/** Tolerated clock skew between replicas: a timestamp this far in the future is not corrected. */
const CLOCK_TOLERANCE_MS: DurationMs = 2 * MINUTE_MS;

/** A timestamp, stored as RFC 3339. */
export const INSTANT: Codec<Instant> = {
  read: (stored) => (typeof stored === 'string' ? (instantOf(stored) ?? undefined) : undefined),
  write: isoTime,
  // The clock was set back. The periods that begin at the timestamp (cool-down, stage, idle period) count as begun an hour ago.
  correct: (at, now) => (at > now + CLOCK_TOLERANCE_MS ? now - HOUR_MS : at),
};

/** Timestamp that identifies a user request: never corrected, because it is only compared with that of the request. */
export const REQUEST_TIME: Codec<Instant> = { ...INSTANT, correct: (at) => at };

/** A string, truncated to the maximum length of the schema. */
export function text(maxLength: number): Codec<string> {
  return plain(
    (stored) => typeof stored === 'string',
    (value) => value.slice(0, maxLength),
  );
}

/** A finite number. */
export const NUMBER: Codec<number> = plain((stored) => typeof stored === 'number' && Number.isFinite(stored));
/** An integer from 0 to 2³¹ − 1. */
export const COUNT: Codec<number> = plain((stored) => Number.isInteger(stored) && Number(stored) >= 0 && Number(stored) < 2 ** 31);

/** One of a set of strings. */
export function oneOf<T extends string>(values: readonly T[]): Codec<T> {
  return plain((stored) => values.some((value) => value === stored));
}

/** A value that is stored in another representation. `parse` returns undefined for an invalid one. */
export function converted<T, S>(codec: Codec<S>, parse: (stored: S) => T | undefined, format: (value: T) => S): Codec<T> {
  return {
    read: (stored) => {
      const inner = codec.read(stored);
      return inner === undefined ? undefined : parse(inner);
    },
    write: (value) => codec.write(format(value)),
    correct: (value) => value,
  };
}

/** A list; invalid items are dropped. @param limit selects the items to write if the schema limits their number */
export function list<T>(item: Codec<T>, limit: (items: readonly T[]) => readonly T[] = (items) => items): Codec<readonly T[]> {
  return {
    read: (stored) => (Array.isArray(stored) ? stored.flatMap((value) => item.read(value) ?? []) : undefined),
    write: (items) => limit(items).map((value) => item.write(value)),
    correct: (items, now) => {
      const corrected = items.map((value) => item.correct(value, now));
      return corrected.every((value, index) => value === items[index]) ? items : corrected;
    },
  };
}

/** A map, stored as a list whose items have the key as `name`. One invalid item makes the map invalid. */
export function byName<V>(value: Pick<Field<V>, 'read' | 'write' | 'correct'>): Codec<ReadonlyMap<string, V>> {
  const readEntry = (stored: unknown): readonly [string, V] | undefined => {
    if (!isObject(stored) || typeof stored['name'] !== 'string') return undefined;
    const inner = value.read(stored);
    return inner === undefined ? undefined : [stored['name'], inner];
  };
  return {
    read: (stored) => {
      if (!Array.isArray(stored)) return undefined;
      const entries = stored.map(readEntry);
      return entries.every((entry) => entry !== undefined) ? new Map(entries) : undefined;
    },
    write: (map) => [...map].map(([name, inner]) => ({ name, ...value.write(inner) })),
    correct: (map, now) => {
      const corrected = new Map([...map].map(([name, inner]) => [name, value.correct(inner, now, map)] as const));
      return [...map].every(([name, inner]) => corrected.get(name) === inner) ? map : corrected;
    },
  };
}

/** A record with a field for each property. */
export function record<T extends object>(of: FieldsOf<T>): RecordCodec<T> {
  const fields = Object.entries(of as Readonly<Record<string, FieldOf<unknown>>>).map(
    ([property, make]) => [property, make(property)] as const,
  );
  return {
    names: fields.flatMap(([, { names }]) => names),
    read: (stored) => {
      if (!isObject(stored)) return undefined;
      const value: Record<string, unknown> = {};
      for (const [property, field] of fields) {
        const inner = field.read(stored);
        if (inner === undefined) return undefined;
        value[property] = inner;
      }
      return value as T;
    },
    write: (value) => {
      const stored: Record<string, unknown> = {};
      for (const [property, field] of fields) {
        const inner = (value as JsonObject)[property];
        if (inner !== undefined) Object.assign(stored, field.write(inner));
      }
      return stored;
    },
    correct: (value, now) => {
      let corrected: JsonObject = value as JsonObject;
      for (const [property, field] of fields) {
        const inner = (value as JsonObject)[property];
        if (inner === undefined) continue;
        const next = field.correct(inner, now, value);
        if (next !== inner) corrected = { ...corrected, [property]: next };
      }
      return corrected as T;
    },
  };
}

/** A discriminated union: the property `key` selects the codec, and is stored under its own name. */
export function variants<K extends string, T extends Readonly<Record<N, K>>, N extends string>(
  key: N,
  codecs: Readonly<Record<K, RecordCodec<T>>>,
): Codec<T> {
  return {
    read: (stored) => {
      const kind = isObject(stored) ? stored[key] : undefined;
      return typeof kind === 'string' && Object.hasOwn(codecs, kind) ? codecs[kind as K].read(stored) : undefined;
    },
    write: (value) => codecs[value[key]].write(value),
    correct: (value, now) => codecs[value[key]].correct(value, now),
  };
}

/** A field that the record needs. @param otherwise another stored field to read if it is absent */
export function required<T>(codec: Codec<T>, as?: string, otherwise?: string): FieldOf<T> {
  return (property) => {
    const name = as ?? property;
    return {
      names: [name],
      read: (stored) => codec.read(stored[name]) ?? (otherwise === undefined ? undefined : codec.read(stored[otherwise])),
      write: (value) => ({ [name]: codec.write(value) }),
      correct: (value, now) => codec.correct(value, now),
    };
  };
}

/** A field that is absent while the value is null. */
export function nullable<T>(codec: Codec<T>, as?: string): FieldOf<T | null> {
  return (property) => orNull(required(codec, as)(property));
}

/** A field that reads as `fallback` if it is absent or invalid. */
export function withDefault<T>(codec: Codec<T>, fallback: T, as?: string): FieldOf<T> {
  return (property) => {
    const field = required(codec, as)(property);
    return { ...field, read: (stored) => field.read(stored) ?? fallback };
  };
}

/** A list or map that is absent while it is empty. */
export function orEmpty<T extends readonly unknown[] | ReadonlyMap<string, unknown>>(codec: Codec<T>, empty: T, as?: string): FieldOf<T> {
  return (property) => {
    const field = withDefault(codec, empty, as)(property);
    const isEmpty = (value: T): boolean => ('size' in value ? value.size : value.length) === 0;
    return { ...field, write: (value) => (isEmpty(value) ? {} : field.write(value)) };
  };
}

/** A boolean that is absent while it is false. */
export function flag(as?: string): FieldOf<boolean> {
  return (property) => {
    const name = as ?? property;
    return {
      names: [name],
      read: (stored) => stored[name] === true,
      write: (value) => (value ? { [name]: true } : {}),
      correct: (value) => value,
    };
  };
}

/** End of a period that begins at the property `since`: it may be in the future, and moves with a correction of `since`. */
export function deadline(since: string): FieldOf<Instant> {
  return (property) => ({
    ...required(INSTANT)(property),
    read: (stored) => INSTANT.read(stored[property]) ?? INSTANT.read(stored[since]),
    correct: (until, now, owner) => {
      const began = Number((owner as JsonObject)[since]);
      return until - (began - INSTANT.correct(began, now));
    },
  });
}

/** A record whose fields are stored inline among those of its parent; null if they are absent or invalid. */
export function inline<T>(codec: RecordCodec<T>): FieldOf<T | null> {
  return () => orNull(codec);
}

function orNull<T>(field: Field<T>): Field<T | null> {
  return {
    names: field.names,
    read: (stored) => field.read(stored) ?? null,
    write: (value) => (value === null ? {} : field.write(value)),
    correct: (value, now, owner) => (value === null ? null : field.correct(value, now, owner)),
  };
}

function plain<T>(isReadable: (stored: unknown) => boolean, write: (value: T) => T = (value) => value): Codec<T> {
  return { read: (stored) => (isReadable(stored) ? (stored as T) : undefined), write, correct: (value) => value };
}
