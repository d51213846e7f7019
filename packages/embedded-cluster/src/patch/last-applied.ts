// The bridge from client-side to server-side apply. What `kubectl apply` last applied is stored in an annotation. As on the real
// server, fields that are still as it says count as kubectl's own, and the annotation is kept up to date.

import { isObject } from '#kube/json';
import type { KubeObject } from '../api/kube-object.ts';
import { canonicalise } from '../schema/defaults.ts';
import type { SchemaResolver, StructuralSchema } from '../schema/structural-schema.ts';
import type { FieldSet } from './field-set.ts';
import { difference, NO_FIELDS } from './field-set.ts';
import { OwnedFields } from './owned-fields.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The one field manager for which this is done; another manager's name opts out. */
export const KUBECTL = 'kubectl';

/** Fields that `kubectl apply` set and that are unchanged since. */
export function clientSideApplied(schema: StructuralSchema, live: KubeObject, resolve: SchemaResolver): FieldSet {
  const applied = readLastApplied(live);
  if (applied === undefined) return NO_FIELDS;
  canonicalise(schema, applied, resolve);
  const fields = new OwnedFields(resolve);
  const found = fields.compare(schema, applied, live);
  const own = fields.fieldsOf(schema, applied) ?? NO_FIELDS;
  return [found.added, found.modified, found.removed].reduce<FieldSet>((set, gone) => difference(set, gone ?? NO_FIELDS), own);
}

/** The object with the annotation saying what was applied now, if it had the annotation. */
export function withLastApplied(object: KubeObject, applied: KubeObject): KubeObject {
  const { annotations } = object.metadata;
  if (annotations?.[LAST_APPLIED] === undefined) return object;
  const { managedFields: _, annotations: given = {}, ...metadata } = applied.metadata;
  const { [LAST_APPLIED]: __, ...others } = given;
  const text = `${JSON.stringify({ ...applied, metadata: { ...metadata, annotations: others } })}\n`;
  if (annotations[LAST_APPLIED] === text) return object;
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [LAST_APPLIED]: text } } };
}

/** An unreadable annotation is ignored: it is no reason to refuse an apply. */
function readLastApplied(live: KubeObject): Record<string, unknown> | undefined {
  const text = live.metadata.annotations?.[LAST_APPLIED];
  if (text === undefined) return undefined;
  try {
    const applied: unknown = JSON.parse(text);
    return isObject(applied) ? applied : undefined;
  } catch {
    return undefined;
  }
}
