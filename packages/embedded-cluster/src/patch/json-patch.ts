// JSON Patch (RFC 6902), protected against patches that access inherited properties or grow without bound.

import { applyPatch, type Operation, Pointer } from 'rfc6902';

/** Limits of a real API server. */
const OPERATIONS_MAX = 10_000;
/** Maximum size that all copies of one patch may add, in characters of JSON: each may double the object. */
const COPIED_MAX = 3 * 1024 * 1024;

/** `malformed`: not a list of operations, or too many. `failed`: an operation refers to a missing member, or its test fails. */
export type JsonPatched =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly kind: 'malformed' | 'failed'; readonly message: string };

/** Applies the operations to `draft`, which is left partly changed when one fails. */
export function jsonPatch(draft: object, operations: unknown): JsonPatched {
  if (!Array.isArray(operations)) return malformed(operations, '[]handlers.jsonPatchOp');
  if (!operations.every(isOperation))
    return malformed(
      operations.find((each) => !isOperation(each)),
      'handlers.jsonPatchOp',
    );
  if (operations.length > OPERATIONS_MAX) {
    const message = `The allowed maximum operations in a JSON patch is ${OPERATIONS_MAX}, got ${operations.length}`;
    return { ok: false, kind: 'malformed', message };
  }
  let copied = 0;
  for (const [index, operation] of operations.entries()) {
    const failed = (why: string): JsonPatched => ({ ok: false, kind: 'failed', message: `operation ${index}: ${why}` });
    for (const path of pathsOf(operation)) {
      if (!isReachable(draft, path)) return failed(`${JSON.stringify(path)} names nothing in the object`);
    }
    if (operation.op === 'copy') {
      const source: unknown = Pointer.fromJSON(operation.from).get(draft);
      copied += source === undefined ? 0 : JSON.stringify(source).length;
      if (copied > COPIED_MAX) return failed(`copies add more than ${COPIED_MAX} characters`);
    }
    const [error] = applyPatch(draft, [normalizeOperation(draft, operation)]);
    if (error !== null && error !== undefined) return failed(error.message);
  }
  return { ok: true, value: draft };
}

/** Messages of Go's JSON package. */
function malformed(found: unknown, wanted: string): JsonPatched {
  const jsonType = found === null ? 'null' : Array.isArray(found) ? 'array' : typeof found === 'boolean' ? 'bool' : typeof found;
  return {
    ok: false,
    kind: 'malformed',
    message: `error decoding patch: json: cannot unmarshal ${jsonType} into Go value of type ${wanted}`,
  };
}

/** A real server sets a missing member that it should replace, if its parent exists. */
function normalizeOperation(draft: object, operation: Operation): Operation {
  const isMissing = operation.op === 'replace' && Pointer.fromJSON(operation.path).get(draft) === undefined;
  return isMissing ? { ...operation, op: 'add' } : operation;
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pathsOf(operation: Operation): readonly unknown[] {
  return operation.op === 'move' || operation.op === 'copy' ? [operation.from, operation.path] : [operation.path];
}

/** Whether every step but the last is an own member: the library would follow inherited ones and change them globally. */
function isReachable(draft: object, path: unknown): boolean {
  if (typeof path !== 'string' || (path !== '' && !path.startsWith('/'))) return false;
  const steps = Pointer.fromJSON(path).tokens.slice(1);
  let at: unknown = draft;
  for (const [index, step] of steps.entries()) {
    if (typeof at !== 'object' || at === null || step === '__proto__') return false;
    if (Array.isArray(at) && !/^(-|0|[1-9][0-9]*)$/.test(step)) return false;
    const isOwn = Object.hasOwn(at, step);
    // The last step may name a member that an operation adds, but never an inherited one.
    if (!isOwn && (index < steps.length - 1 || step in at)) return false;
    at = isOwn ? (at as Readonly<Record<string, unknown>>)[step] : undefined;
  }
  return true;
}
