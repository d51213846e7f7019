// Reading wire JSON without trusting it. Unknown fields are ignored and absent ones have defaults; a field of the wrong
// type refuses the object that it stands in, and no other.

/** An object as JSON, before anything is known about it. */
export type Wire = Readonly<Record<string, unknown>>;

/** Thrown by the readers below. */
export class WireError extends Error {
  constructor(path: string, expected: string, value: unknown) {
    super(`${path}: expected ${expected}, got ${describe(value)}`);
    this.name = 'WireError';
  }
}

const EMPTY: Wire = {};
const NONE: readonly never[] = [];

/** The object at `key`; an empty one where it is absent or null. */
export function objectAt(from: Wire, key: string, path = key): Wire {
  const value = from[key];
  if (value === undefined || value === null) return EMPTY;
  return asObject(value, path);
}

export function optionalObjectAt(from: Wire, key: string, path = key): Wire | null {
  const value = from[key];
  return value === undefined || value === null ? null : asObject(value, path);
}

export function asObject(value: unknown, path: string): Wire {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new WireError(path, 'an object', value);
  return value as Wire;
}

/** The objects of the list at `key`; none where it is absent or null. */
export function objectsAt(from: Wire, key: string, path = key): readonly Wire[] {
  const value = from[key];
  if (value === undefined || value === null) return NONE;
  if (!Array.isArray(value)) throw new WireError(path, 'a list', value);
  for (const item of value) asObject(item, `${path}[]`);
  return value as readonly Wire[];
}

export function textAt(from: Wire, key: string, path = key): string {
  return optionalTextAt(from, key, path) ?? '';
}

export function optionalTextAt(from: Wire, key: string, path = key): string | null {
  const value = from[key];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw new WireError(path, 'a string', value);
  return value;
}

/** @throws WireError also where the text is absent or empty */
export function requiredTextAt(from: Wire, key: string, path = key): string {
  const value = from[key];
  if (typeof value !== 'string' || value === '') throw new WireError(path, 'a string', value);
  return value;
}

export function numberAt(from: Wire, key: string, absent: number, path = key): number {
  return optionalNumberAt(from, key, path) ?? absent;
}

export function optionalNumberAt(from: Wire, key: string, path = key): number | null {
  const value = from[key];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new WireError(path, 'a number', value);
  return value;
}

export function booleanAt(from: Wire, key: string, absent = false, path = key): boolean {
  const value = from[key];
  if (value === undefined || value === null) return absent;
  if (typeof value !== 'boolean') throw new WireError(path, 'true or false', value);
  return value;
}

/** The strings of the list at `key`; none where it is absent or null. */
export function textsAt(from: Wire, key: string, path = key): readonly string[] {
  const value = from[key];
  if (value === undefined || value === null) return NONE;
  if (!Array.isArray(value)) throw new WireError(path, 'a list', value);
  for (const item of value) if (typeof item !== 'string') throw new WireError(`${path}[]`, 'a string', item);
  return value as readonly string[];
}

/** A map of strings, as labels are. */
export function textsByKeyAt(from: Wire, key: string, path = key): Readonly<Record<string, string>> {
  const map = objectAt(from, key, path);
  for (const name in map) {
    if (typeof map[name] !== 'string') throw new WireError(`${path}.${name}`, 'a string', map[name]);
  }
  return map as Readonly<Record<string, string>>;
}

/** Milliseconds since the epoch of an RFC 3339 text; null where absent. */
export function optionalInstantAt(from: Wire, key: string, path = key): number | null {
  const text = optionalTextAt(from, key, path);
  if (text === null) return null;
  const instant = Date.parse(text);
  if (Number.isNaN(instant)) throw new WireError(path, 'a time by RFC 3339', text);
  return instant;
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  const text = typeof value === 'object' ? 'an object' : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
