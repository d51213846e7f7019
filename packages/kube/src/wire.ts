// Decoding of untrusted wire JSON. Unknown fields are ignored and absent ones have defaults; a field of the wrong type makes its
// object invalid.

/** A JSON object of unknown shape. */
export type Wire = Readonly<Record<string, unknown>>;

/** A field with a wrong type, with its path. */
export class WireError extends Error {
  constructor(path: string, expected: string, value: unknown) {
    super(`${path}: expected ${expected}, got ${describe(value)}`);
    this.name = 'WireError';
  }
}

const EMPTY: Wire = {};
const NONE: readonly never[] = [];

/** The object at `key`; empty if it is absent or null. @throws WireError */
export function objectAt(from: Wire, key: string, path = key): Wire {
  const value = from[key];
  if (value === undefined || value === null) return EMPTY;
  return asObject(value, path);
}

/** The object at `key`; null if it is absent. @throws WireError */
export function optionalObjectAt(from: Wire, key: string, path = key): Wire | null {
  const value = from[key];
  return value === undefined || value === null ? null : asObject(value, path);
}

/** Checks that a value is an object. @throws WireError */
export function asObject(value: unknown, path: string): Wire {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new WireError(path, 'an object', value);
  return value as Wire;
}

/** The objects of the list at `key`; empty if it is absent or null. @throws WireError */
export function objectsAt(from: Wire, key: string, path = key): readonly Wire[] {
  const value = from[key];
  if (value === undefined || value === null) return NONE;
  if (!Array.isArray(value)) throw new WireError(path, 'a list', value);
  for (const item of value) asObject(item, `${path}[]`);
  return value as readonly Wire[];
}

/** The string at `key`; empty if it is absent or null. @throws WireError */
export function textAt(from: Wire, key: string, path = key): string {
  return optionalTextAt(from, key, path) ?? '';
}

/** The string at `key`; null if it is absent. @throws WireError */
export function optionalTextAt(from: Wire, key: string, path = key): string | null {
  const value = from[key];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw new WireError(path, 'a string', value);
  return value;
}

/** The string at `key`. @throws WireError also if it is absent or empty */
export function requiredTextAt(from: Wire, key: string, path = key): string {
  const value = from[key];
  if (typeof value !== 'string' || value === '') throw new WireError(path, 'a string', value);
  return value;
}

/** The number at `key`; `absent` if it is absent or null. @throws WireError */
export function numberAt(from: Wire, key: string, absent: number, path = key): number {
  return optionalNumberAt(from, key, path) ?? absent;
}

/** The number at `key`; null if it is absent. @throws WireError */
export function optionalNumberAt(from: Wire, key: string, path = key): number | null {
  const value = from[key];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new WireError(path, 'a number', value);
  return value;
}

/** The boolean at `key`; `absent` if it is absent or null. @throws WireError */
export function booleanAt(from: Wire, key: string, absent = false, path = key): boolean {
  const value = from[key];
  if (value === undefined || value === null) return absent;
  if (typeof value !== 'boolean') throw new WireError(path, 'true or false', value);
  return value;
}

/** The strings of the list at `key`; empty if it is absent or null. @throws WireError */
export function textsAt(from: Wire, key: string, path = key): readonly string[] {
  const value = from[key];
  if (value === undefined || value === null) return NONE;
  if (!Array.isArray(value)) throw new WireError(path, 'a list', value);
  for (const item of value) if (typeof item !== 'string') throw new WireError(`${path}[]`, 'a string', item);
  return value as readonly string[];
}

/** The map of strings at `key`, such as labels; empty if it is absent or null. @throws WireError */
export function textsByKeyAt(from: Wire, key: string, path = key): Readonly<Record<string, string>> {
  const map = objectAt(from, key, path);
  for (const name in map) {
    if (typeof map[name] !== 'string') throw new WireError(`${path}.${name}`, 'a string', map[name]);
  }
  return map as Readonly<Record<string, string>>;
}

/** The RFC 3339 timestamp at `key` in milliseconds since the epoch; null if it is absent. @throws WireError */
export function optionalInstantAt(from: Wire, key: string, path = key): number | null {
  const text = optionalTextAt(from, key, path);
  if (text === null) return null;
  const instant = Date.parse(text);
  if (Number.isNaN(instant)) throw new WireError(path, 'an RFC 3339 timestamp', text);
  return instant;
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  const text = typeof value === 'object' ? 'an object' : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
