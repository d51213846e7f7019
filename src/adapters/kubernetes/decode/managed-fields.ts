// Last writers of fields, from metadata.managedFields. It is larger than the rest of most objects, so only the requested part is read and
// only a name is stored.

import type { Instant } from '#kube/units';
import { objectAt, objectsAt, optionalInstantAt, textAt, type Wire } from '../wire.ts';

/** The last write of a manager. */
interface Writing {
  readonly manager: string;
  readonly at: Instant;
}

/**
 * The manager that last wrote the field; null where none is recorded. @param path steps as spelled in managedFields: `f:spec`, `f:metrics`
 */
export function latestWriterOf(wire: Wire, path: readonly string[]): string | null {
  return latest(wire, (entry) => textAt(entry, 'subresource') === '' && isOwned(entry, path))?.manager ?? null;
}

/** The last write through a subresource such as `resize`; null where none is recorded. */
export function latestWriterThrough(wire: Wire, subresource: string): Writing | null {
  return latest(wire, (entry) => entry['subresource'] === subresource);
}

function latest(wire: Wire, isAccepted: (entry: Wire) => boolean): Writing | null {
  let found: Writing | null = null;
  for (const entry of objectsAt(objectAt(wire, 'metadata'), 'managedFields', 'metadata.managedFields')) {
    if (!isAccepted(entry)) continue;
    const at = optionalInstantAt(entry, 'time', 'metadata.managedFields[].time') ?? 0;
    if (found === null || at >= found.at) found = { manager: textAt(entry, 'manager'), at };
  }
  return found;
}

function isOwned(entry: Wire, path: readonly string[]): boolean {
  let at: unknown = entry['fieldsV1'];
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Wire)[step];
  }
  return true;
}
