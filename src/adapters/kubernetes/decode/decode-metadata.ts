// Metadata of any object: names, versions, labels, times and controller.

import { PREFIX, ANNOTATIONS_BY_OBJECT, MAX_ANNOTATION_LENGTH, OVERLONG_ANNOTATION } from '../../../apis/annotations.ts';
import type { Instant } from '#kube/units';
import type { OwnerRef } from '#kube/records/workload';
import type { Interner } from './interner.ts';
import {
  booleanAt,
  numberAt,
  objectAt,
  objectsAt,
  optionalInstantAt,
  requiredTextAt,
  textAt,
  textsByKeyAt,
  WireError,
  type Wire,
} from '../wire.ts';

export interface Metadata {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: Instant;
  readonly deletionAt: Instant | null;
  readonly controller: OwnerRef | null;
}

/** Decodes the metadata of an object. @throws WireError */
export function metadataOf(wire: Wire, interner: Interner): Metadata {
  return {
    ...unlabelledMetadataOf(wire, interner),
    labels: interner.map(textsByKeyAt(objectAt(wire, 'metadata'), 'labels', 'metadata.labels')),
  };
}

/** The metadata without labels, which differ between ReplicaSets: shared ones would only fill the table. @throws WireError */
export function unlabelledMetadataOf(wire: Wire, interner: Interner): Omit<Metadata, 'labels'> {
  const metadata = objectAt(wire, 'metadata');
  return {
    uid: textAt(metadata, 'uid', 'metadata.uid'),
    namespace: interner.text(textAt(metadata, 'namespace', 'metadata.namespace')),
    name: requiredTextAt(metadata, 'name', 'metadata.name'),
    resourceVersion: textAt(metadata, 'resourceVersion', 'metadata.resourceVersion'),
    generation: numberAt(metadata, 'generation', 0, 'metadata.generation'),
    createdAt: optionalInstantAt(metadata, 'creationTimestamp', 'metadata.creationTimestamp') ?? 0,
    deletionAt: optionalInstantAt(metadata, 'deletionTimestamp', 'metadata.deletionTimestamp'),
    controller: controllerOf(metadata, interner),
  };
}

const OWN_ANNOTATIONS: ReadonlySet<string> = new Set(Object.values(ANNOTATIONS_BY_OBJECT).flatMap((names) => Object.values(names)));
const NO_ANNOTATIONS: ReadonlySet<string> = new Set();
/** Bounds the memory that misspelled annotations take. */
const MAX_UNKNOWN = 8;

/**
 * Returns the annotations of `ANNOTATIONS_BY_OBJECT` and `others`. Clients may write others of any name and size, which must not cost
 * memory. A value that is too long becomes `OVERLONG_ANNOTATION`. Of other annotations of Evenkeel's prefix, which are probably misspelled,
 * the first names are retained with an empty value.
 */
export function annotationsOf(
  wire: Wire,
  interner: Interner,
  others: ReadonlySet<string> = NO_ANNOTATIONS,
): Readonly<Record<string, string>> {
  const all = textsByKeyAt(objectAt(wire, 'metadata'), 'annotations', 'metadata.annotations');
  const retained: Record<string, string> = {};
  let unknown = 0;
  for (const key in all) {
    if (!OWN_ANNOTATIONS.has(key) && !others.has(key)) {
      if (!key.startsWith(PREFIX) || unknown >= MAX_UNKNOWN) continue;
      unknown += 1;
      retained[key] = '';
      continue;
    }
    const value = all[key] ?? '';
    retained[key] = value.length > MAX_ANNOTATION_LENGTH ? OVERLONG_ANNOTATION : value;
  }
  return interner.map(retained);
}

function controllerOf(metadata: Wire, interner: Interner): OwnerRef | null {
  for (const owner of objectsAt(metadata, 'ownerReferences', 'metadata.ownerReferences')) {
    if (!booleanAt(owner, 'controller', false, 'metadata.ownerReferences[].controller')) continue;
    return interner.owner({
      apiVersion: interner.text(textAt(owner, 'apiVersion')),
      kind: interner.text(textAt(owner, 'kind')),
      name: interner.text(textAt(owner, 'name')),
      uid: interner.text(textAt(owner, 'uid')),
    });
  }
  return null;
}

/** Returns the value if it is one of `known`, else `fallback`, since a newer server may have more values. */
export function oneOf<W extends string>(word: string, known: readonly W[], fallback: W): W {
  return known.find((candidate) => candidate === word) ?? fallback;
}

/** Returns the value if it is one of `known`. Used where a fallback would be wrong. @throws WireError otherwise */
export function requireOneOf<W extends string>(word: string, known: readonly W[], path: string): W {
  const found = known.find((candidate) => candidate === word);
  if (found === undefined) throw new WireError(path, `one of ${known.join(', ')}`, word);
  return found;
}
