import { isObject } from '#kube/json';

/**
 * A status without empty maps and lists, and without maps that become empty. When server-side apply empties a map or list
 * that the manager owns, the API server stores null, which the schema refuses. Items of lists stay.
 */
export function omitEmpty<T extends object>(value: T): T {
  return strip(value) as T;
}

/**
 * Whether two statuses are equal after they are stored. The order of fields and the empty maps and lists that `omitEmpty`
 * removes do not count, because the API server changes both. Compared as text, three of four status writes of a simulated
 * cluster repeated the stored status.
 */
export function isSameAsStored(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSameAsStored(item, b[index]));
  }
  return isObject(a) && isObject(b) && hasSameFields(a, b);
}

function hasSameFields(a: Fields, b: Fields): boolean {
  for (const name in a) if (!isSameField(a[name], fieldOf(b, name))) return false;
  for (const name in b) if (fieldOf(a, name) === undefined && !isOmitted(b[name])) return false;
  return true;
}

/** An own property only: a field may have the name of an inherited property, such as `constructor`. */
function fieldOf(map: Fields, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/** Whether two values of a field are equal after they are stored; a removed value equals an absent one. */
export function isSameField(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  return isOmitted(a) || isOmitted(b) ? isOmitted(a) && isOmitted(b) : isSameAsStored(a, b);
}

type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is absent, or removed by `omitEmpty`. */
function isOmitted(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const name in value) if (!isOmitted((value as Fields)[name])) return false;
  return true;
}

function strip(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(strip);
  const fields = Object.entries(value).map(([name, inner]) => [name, strip(inner)] as const);
  return Object.fromEntries(fields.filter(([, inner]) => !isEmpty(inner)));
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
