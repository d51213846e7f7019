// JSON Patch (RFC 6902), made safe against patches that reach for what objects inherit or grow without end.

import { applyPatch, type Operation, Pointer } from 'rfc6902';

/** As a real API server limits them. */
const OPERATIONS_MAX = 10_000;
/** What all copies of one patch may add, in characters of JSON: each may double the object. */
const COPIED_MAX = 3 * 1024 * 1024;

/**
 * `malformed`: no list of operations, or more than are taken. `failed`: an operation names what is not there, or its test
 * does not hold.
 */
export type JsonPatched =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly kind: 'malformed' | 'failed'; readonly message: string };

/** Carries the operations out on `draft`, which is left half changed where one fails. */
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
    const [error] = applyPatch(draft, [lenient(draft, operation)]);
    if (error !== null && error !== undefined) return failed(error.message);
  }
  return { ok: true, value: draft };
}

/** In the words of Go's JSON package. */
function malformed(found: unknown, wanted: string): JsonPatched {
  const jsonType = found === null ? 'null' : Array.isArray(found) ? 'array' : typeof found === 'boolean' ? 'bool' : typeof found;
  return {
    ok: false,
    kind: 'malformed',
    message: `error decoding patch: json: cannot unmarshal ${jsonType} into Go value of type ${wanted}`,
  };
}

/** A real server sets what it was to replace and does not find, as long as there is something to set it in. */
function lenient(draft: object, operation: Operation): Operation {
  const isMissing = operation.op === 'replace' && Pointer.fromJSON(operation.path).get(draft) === undefined;
  return isMissing ? { ...operation, op: 'add' } : operation;
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pathsOf(operation: Operation): readonly unknown[] {
  return operation.op === 'move' || operation.op === 'copy' ? [operation.from, operation.path] : [operation.path];
}

/** Whether every step but the last is a member of its own: the library would follow inherited ones, and change them for everybody. */
function isReachable(draft: object, path: unknown): boolean {
  if (typeof path !== 'string' || (path !== '' && !path.startsWith('/'))) return false;
  const steps = Pointer.fromJSON(path).tokens.slice(1);
  let at: unknown = draft;
  for (const [index, step] of steps.entries()) {
    if (typeof at !== 'object' || at === null || step === '__proto__') return false;
    if (Array.isArray(at) && !/^(-|0|[1-9][0-9]*)$/.test(step)) return false;
    const isOwn = Object.hasOwn(at, step);
    // The last step may name what an operation adds, but never what is inherited.
    if (!isOwn && (index < steps.length - 1 || step in at)) return false;
    at = isOwn ? (at as Readonly<Record<string, unknown>>)[step] : undefined;
  }
  return true;
}
