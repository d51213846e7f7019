/**
 * A status as it can be applied: without fields whose value is an empty map or list, and those that are left empty by that.
 * Where an applier empties a map or list that it owns, a real API server makes it null, and the schema refuses null.
 * Items of lists stay, whatever is in them.
 */
export function withoutEmpty<T extends object>(value: T): T {
  return strip(value) as T;
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
