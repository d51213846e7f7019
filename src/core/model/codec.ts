// How a value is kept in a custom resource. One description of its fields gives reading, writing and the correction of
// timestamps after the clock was set back, so that none of the three can forget a field.

import { instantOf, isoTime } from '#kube/time/iso-time';
import { isObject, type JsonObject } from '#kube/json';
import { HOUR_MS, MINUTE_MS, type DurationMs, type Instant } from '#kube/units';

export interface Codec<T> {
  /** undefined: nothing that can be read is stored. Never throws, whatever is stored. */
  read(stored: unknown): T | undefined;
  write(value: T): unknown;
  /** The value with timestamps from the future corrected; the same object where there are none. */
  correct(value: T, now: Instant): T;
}

/** One property of a record, kept in one or more fields of the stored object. */
export interface Field<T> {
  /** undefined: the field cannot be read, and without it neither can the record. */
  read(stored: JsonObject): T | undefined;
  /** Entries of the stored object; none where there is nothing to store. */
  write(value: T): JsonObject;
  /** @param record what the value is a property of */
  correct(value: T, now: Instant, record: object): T;
  /** Names in the stored object. */
  readonly names: readonly string[];
}

/** Makes a field of the property's name, which is its name in the stored object, too, unless another is given. */
type FieldOf<T> = (property: string) => Field<T>;

/** One for each property: a property that is missing here does not compile. */
type FieldsOf<T> = { readonly [K in keyof T]-?: FieldOf<Exclude<T[K], undefined>> };

export interface RecordCodec<T> extends Codec<T>, Pick<Field<T>, 'names'> {
  write(value: T): JsonObject;
}

/** The clocks of two replicas may differ by this much: a timestamp that is no further ahead is no sign of a wrong clock. */
const CLOCK_TOLERANCE_MS: DurationMs = 2 * MINUTE_MS;

export const INSTANT: Codec<Instant> = {
  read: (stored) => (typeof stored === 'string' ? (instantOf(stored) ?? undefined) : undefined),
  write: isoTime,
  // The clock was set back since. Whatever is counted from it (a cool-down, a stage, an idle period) counts an hour.
  correct: (at, now) => (at > now + CLOCK_TOLERANCE_MS ? now - HOUR_MS : at),
};

/** When a user asked for something: it identifies the request, and is compared with the request's own timestamp alone. */
export const REQUEST_TIME: Codec<Instant> = { ...INSTANT, correct: (at) => at };

/** Cut at the length that the schema allows. */
export function text(maxLength: number): Codec<string> {
  return plain(
    (stored) => typeof stored === 'string',
    (value) => value.slice(0, maxLength),
  );
}

export const NUMBER: Codec<number> = plain((stored) => typeof stored === 'number' && Number.isFinite(stored));
export const COUNT: Codec<number> = plain((stored) => Number.isInteger(stored) && Number(stored) >= 0 && Number(stored) < 2 ** 31);

export function oneOf<T extends string>(values: readonly T[]): Codec<T> {
  return plain((stored) => values.some((value) => value === stored));
}

/** A value in another form. `parse` returns undefined for what it cannot read. */
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

/** Items that cannot be read are left out. @param kept those to write where there may be more than the schema allows */
export function list<T>(item: Codec<T>, kept: (items: readonly T[]) => readonly T[] = (items) => items): Codec<readonly T[]> {
  return {
    read: (stored) => (Array.isArray(stored) ? stored.flatMap((each) => item.read(each) ?? []) : undefined),
    write: (items) => kept(items).map((each) => item.write(each)),
    correct: (items, now) => {
      const corrected = items.map((each) => item.correct(each, now));
      return corrected.every((each, index) => each === items[index]) ? items : corrected;
    },
  };
}

/** A map, stored as a list whose items have the key as `name`. Where one of them cannot be read, none is. */
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

/** Without it the record cannot be read. @param otherwise another field of the stored object, read where it is absent */
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

/** Absent where it is null. */
export function nullable<T>(codec: Codec<T>, as?: string): FieldOf<T | null> {
  return (property) => orNull(required(codec, as)(property));
}

/** `fallback` where it is absent or cannot be read. */
export function withDefault<T>(codec: Codec<T>, fallback: T, as?: string): FieldOf<T> {
  return (property) => {
    const field = required(codec, as)(property);
    return { ...field, read: (stored) => field.read(stored) ?? fallback };
  };
}

/** A list or map that is absent where it is empty. */
export function orEmpty<T extends readonly unknown[] | ReadonlyMap<string, unknown>>(codec: Codec<T>, empty: T, as?: string): FieldOf<T> {
  return (property) => {
    const field = withDefault(codec, empty, as)(property);
    const isEmpty = (value: T): boolean => ('size' in value ? value.size : value.length) === 0;
    return { ...field, write: (value) => (isEmpty(value) ? {} : field.write(value)) };
  };
}

/** Absent where it is false. */
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

/** The end of a period that began at the property `since`: it may lie in the future, and moves where that is corrected. */
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

/** A record whose fields are among those of the record that it is a property of; null where they cannot be read. */
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
