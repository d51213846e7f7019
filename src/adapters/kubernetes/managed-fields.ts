// Who wrote what last, by an object's own record. The record is larger than the rest of most objects: only what is asked
// for is looked at, and nothing of it is kept but a name.

import type { Instant } from '#kube/units';
import { objectAt, objectsAt, optionalInstantAt, textAt, type Wire } from './wire.ts';

/** One write that still shows. */
interface Writing {
  readonly manager: string;
  readonly at: Instant;
}

/** The manager that wrote the field last; null where none is recorded. @param path steps as the record spells them: `f:spec`, `f:metrics` */
export function latestWriterOf(wire: Wire, path: readonly string[]): string | null {
  return latest(wire, (entry) => textAt(entry, 'subresource') === '' && owns(entry, path))?.manager ?? null;
}

/** Who wrote last through a subresource such as `resize`, and when. */
export function latestWriterThrough(wire: Wire, subresource: string): Writing | null {
  return latest(wire, (entry) => entry['subresource'] === subresource);
}

function latest(wire: Wire, accepts: (entry: Wire) => boolean): Writing | null {
  let found: Writing | null = null;
  for (const entry of objectsAt(objectAt(wire, 'metadata'), 'managedFields', 'metadata.managedFields')) {
    if (!accepts(entry)) continue;
    const at = optionalInstantAt(entry, 'time', 'metadata.managedFields[].time') ?? 0;
    if (found === null || at >= found.at) found = { manager: textAt(entry, 'manager'), at };
  }
  return found;
}

function owns(entry: Wire, path: readonly string[]): boolean {
  let at: unknown = entry['fieldsV1'];
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Wire)[step];
  }
  return true;
}
