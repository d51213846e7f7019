// Operations on wire JSON. Stored objects are shared, so every function copies or compares and none mutates its arguments.

import { isObject } from '#kube/json';

/** Deep copy of a JSON value. Several times faster than structuredClone, which also supports non-JSON values. */
export function cloneJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const copy = new Array<unknown>(value.length);
    for (let index = 0; index < value.length; index++) copy[index] = cloneJson<unknown>(value[index]);
    return copy as T;
  }
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    const member: unknown = value[key];
    if (member !== undefined) copy[key] = cloneJson(member);
  }
  return copy as T;
}

/** Deep equality of JSON values; a member that is undefined counts as missing. */
export function isEqualJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => isEqualJson(item, b[index]));
  }
  if (Array.isArray(b)) return false;
  return isEqualRecords(a as Record<string, unknown>, b as Record<string, unknown>);
}

function isEqualRecords(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  for (const key in a) if (!isEqualJson(a[key], b[key])) return false;
  // Own members only: every object inherits a `toString`.
  for (const key in b) if (b[key] !== undefined && !(Object.hasOwn(a, key) && a[key] !== undefined)) return false;
  return true;
}

/** The value at a dotted path (`spec.nodeName`); undefined where any step is missing. */
export function readPath(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const step of path) {
    if (!isObject(at)) return undefined;
    at = at[step];
  }
  return at;
}

/** Sets the value at a dotted path in a draft, making the objects on the way. */
export function writePath(draft: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = draft;
  for (const step of path.slice(0, -1)) {
    const next = at[step];
    if (isObject(next)) at = next;
    else at = at[step] = {};
  }
  const last = path.at(-1);
  if (last !== undefined) at[last] = value;
}
