// Ownership of fields of a HorizontalPodAutoscaler or of a workload's replicas: several owners may want a value, the one with the
// highest priority has it, and the user's value is restored when the last owner leaves. A user edit ends all owners' values.

import type { Instant } from '#kube/units';

/** Owners by priority, highest first: an open schedule window, a user's floor, idle, tuning, kept replicas. */
export const OWNERS = ['schedules', 'floor', 'idle', 'tuning', 'keep-replicas'] as const;
/** One of `OWNERS`. */
export type Owner = (typeof OWNERS)[number];

/** `replicas`, `minReplicas`, `maxReplicas`, or a utilization target in percent: `cpu`, `memory`, or `cpu/main` of one container. */
export type OwnedFieldName = string;

/** A field with at least one owner, or one whose user value is being restored. */
export interface OwnedField {
  /** The user's value, restored when the last owner leaves. */
  readonly user: number;
  /** Millicores or bytes per pod when the user set the target; null: the field is no target. */
  readonly request: number | null;
  /** Wanted values by owner; empty while the user's value is being restored. */
  readonly wants: ReadonlyMap<Owner, number>;
  /** The last set value. */
  readonly set: number;
  /** Owner of `set`; while the user's value is being restored, the owner that left last. */
  readonly by: Owner;
  /** Value before `set`, until the object is seen with `set`; null: it was, or the record is written in the same patch. */
  readonly from: number | null;
}

/** Content of the annotation. */
export interface OriginalValues {
  readonly fields: ReadonlyMap<OwnedFieldName, OwnedField>;
  /** When each owner took its values: it compares this with its own record, so that a replayed annotation has no effect. */
  readonly takenAt: ReadonlyMap<Owner, Instant>;
}

/** The record of an object without the annotation. */
export const NO_ORIGINAL_VALUES: OriginalValues = { fields: new Map(), takenAt: new Map() };

/** Request of an owner for a value of a field. */
export interface Take {
  readonly writer: Owner;
  readonly field: OwnedFieldName;
  readonly value: number;
  /** Current value of the object. */
  readonly live: number;
  readonly at: Instant;
  /** The user's value if the owner has it; default: that of the record, or the current value. */
  readonly user?: number;
  readonly request?: number;
}

/** Current value of a field of the object; null: the object does not have it. */
export type LiveValue = (field: OwnedFieldName) => number | null;

/**
 * The record after an owner takes a field. A user edit since the last write becomes the user's value and ends the other owners'
 * values. Idempotent.
 */
export function take(originals: OriginalValues, { writer, field, value, live, at, user, request }: Take): OriginalValues {
  const present = originals.fields.get(field);
  const seen = present === undefined ? null : applyUserEdit(present, live);
  const wants = new Map(seen?.wants).set(writer, value);
  const taken = composeField(field, wants, live, { user: user ?? seen?.user ?? live, request: request ?? seen?.request ?? null });
  return trimOriginalValues(new Map(originals.fields).set(field, taken), new Map(originals.takenAt).set(writer, at));
}

/**
 * The record after an owner leaves: its fields go to the owner of the next priority, or back to the user. A field that is
 * written after the record stays in it until the object has the user's value. Idempotent.
 */
export function leave(originals: OriginalValues, writer: Owner, live: LiveValue): OriginalValues {
  const fields = new Map(originals.fields);
  for (const [field, present] of originals.fields) {
    if (!present.wants.has(writer) && !isGivenBackBy(present, writer)) continue;
    fields.delete(field);
    const value = live(field);
    const seen = value === null ? null : applyUserEdit(present, value);
    if (seen === null || value === null) continue;
    const wants = new Map([...seen.wants].filter(([owner]) => owner !== writer));
    if (wants.size > 0) fields.set(field, composeField(field, wants, value, seen));
    else if (isWrittenApart(field) && value !== seen.user) fields.set(field, { ...seen, wants, set: seen.user, by: writer, from: value });
  }
  return trimOriginalValues(fields, originals.takenAt);
}

/** Value of a field to write with a changed record. A user edit that the record does not have yet stays. */
export function valueToWrite(before: OriginalValues, after: OriginalValues, field: OwnedFieldName, live: number): number {
  const [present, next] = [before.fields.get(field), after.fields.get(field)];
  if (next !== undefined) return next !== present || live === next.from ? next.set : live;
  return live === present?.set ? present.user : live;
}

/** The record without values that their owners do not recognize: any user who may annotate the object can replay an earlier record. */
export function keepRecognized(originals: OriginalValues, isRecognized: (writer: Owner, takenAt: Instant) => boolean): OriginalValues {
  const recognized = new Set([...originals.takenAt].flatMap(([writer, at]) => (isRecognized(writer, at) ? [writer] : [])));
  const fields = new Map<OwnedFieldName, OwnedField>();
  for (const [field, present] of originals.fields) {
    const wants = new Map([...present.wants].filter(([owner]) => recognized.has(owner)));
    if (wants.size > 0 || (isGivenBack(present) && recognized.has(present.by))) fields.set(field, { ...present, wants });
  }
  return trimOriginalValues(fields, originals.takenAt);
}

/** Replicas are written after the record, because the scale subresource has no annotations; other fields are written in one patch. */
function isWrittenApart(field: OwnedFieldName): boolean {
  return field === 'replicas';
}

function isGivenBack({ wants }: OwnedField): boolean {
  return wants.size === 0;
}

function isGivenBackBy(field: OwnedField, writer: Owner): boolean {
  return isGivenBack(field) && field.by === writer;
}

/** null: the user has edited the field, or its value is restored, so that no owner is left. */
function applyUserEdit(field: OwnedField, live: number): OwnedField | null {
  if (live === field.set) return isGivenBack(field) ? null : { ...field, from: null };
  return live === field.from ? field : null;
}

/** The field with the value of the owner of highest priority. @throws if it has no owner */
function composeField(
  field: OwnedFieldName,
  wants: ReadonlyMap<Owner, number>,
  live: number,
  { user, request }: Pick<OwnedField, 'user' | 'request'>,
): OwnedField {
  for (const by of OWNERS) {
    const set = wants.get(by);
    if (set !== undefined) return { user, request, wants, set, by, from: isWrittenApart(field) && live !== set ? live : null };
  }
  throw new Error(`composing the owners of ${field}: it has no owner`);
}

function trimOriginalValues(fields: OriginalValues['fields'], takenAt: OriginalValues['takenAt']): OriginalValues {
  const involved = new Set([...fields.values()].flatMap((field) => (isGivenBack(field) ? [field.by] : [...field.wants.keys()])));
  return { fields, takenAt: new Map([...takenAt].filter(([owner]) => involved.has(owner))) };
}
