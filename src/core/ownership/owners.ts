// Ownership of fields of a HorizontalPodAutoscaler or of a workload's replicas: several owners may want a value, the one with the
// highest priority has it, and the user's value is restored when the last owner leaves. A user edit ends all owners' values.

import type { Instant } from '#kube/units';

/** Owners by priority, highest first: an open schedule window, a user's floor, idle, tuning, kept replicas. */
export const OWNERS = ['schedules', 'floor', 'idle', 'tuning', 'keep-replicas'] as const;
/** One of `OWNERS`. */
export type Owner = (typeof OWNERS)[number];

/** `replicas`, `minReplicas`, `maxReplicas`, or a utilization target in percent: `cpu`, `memory`, or `cpu/main` of one container. */
export type NoteField = string;

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
  /** Value before `set`, until the object is seen with `set`; null: it was, or the note is written in the same patch. */
  readonly from: number | null;
}

/** Content of the annotation. */
export interface OriginalNote {
  readonly fields: ReadonlyMap<NoteField, OwnedField>;
  /** When each owner took its values: it compares this with its own record, so that a replayed note has no effect. */
  readonly takenAt: ReadonlyMap<Owner, Instant>;
}

/** The note of an object without the annotation. */
export const EMPTY_NOTE: OriginalNote = { fields: new Map(), takenAt: new Map() };

/** Request of an owner for a value of a field. */
export interface Take {
  readonly writer: Owner;
  readonly field: NoteField;
  readonly value: number;
  /** Current value of the object. */
  readonly live: number;
  readonly at: Instant;
  /** The user's value if the owner has it; default: that of the note, or the current value. */
  readonly user?: number;
  readonly request?: number;
}

/** Current value of a field of the object; null: the object does not have it. */
export type LiveValue = (field: NoteField) => number | null;

/**
 * The note after an owner takes a field. A user edit since the last write becomes the user's value and ends the other owners'
 * values. Idempotent.
 */
export function take(note: OriginalNote, { writer, field, value, live, at, user, request }: Take): OriginalNote {
  const present = note.fields.get(field);
  const seen = present === undefined ? null : takeInEdit(present, live);
  const wants = new Map(seen?.wants).set(writer, value);
  const taken = composeField(field, wants, live, { user: user ?? seen?.user ?? live, request: request ?? seen?.request ?? null });
  return trimNote(new Map(note.fields).set(field, taken), new Map(note.takenAt).set(writer, at));
}

/**
 * The note after an owner leaves: its fields go to the owner of the next priority, or back to the user. A field that is
 * written after the note stays in it until the object has the user's value. Idempotent.
 */
export function leave(note: OriginalNote, writer: Owner, live: LiveValue): OriginalNote {
  const fields = new Map(note.fields);
  for (const [field, present] of note.fields) {
    if (!present.wants.has(writer) && !isGivenBackBy(present, writer)) continue;
    fields.delete(field);
    const value = live(field);
    const seen = value === null ? null : takeInEdit(present, value);
    if (seen === null || value === null) continue;
    const wants = new Map([...seen.wants].filter(([owner]) => owner !== writer));
    if (wants.size > 0) fields.set(field, composeField(field, wants, value, seen));
    else if (isWrittenApart(field) && value !== seen.user) fields.set(field, { ...seen, wants, set: seen.user, by: writer, from: value });
  }
  return trimNote(fields, note.takenAt);
}

/** Value of a field to write with a changed note. A user edit that the note does not have yet stays. */
export function valueToWrite(before: OriginalNote, after: OriginalNote, field: NoteField, live: number): number {
  const [present, next] = [before.fields.get(field), after.fields.get(field)];
  if (next !== undefined) return next !== present || live === next.from ? next.set : live;
  return live === present?.set ? present.user : live;
}

/** The note without values that their owners do not recognize: any user who may annotate the object can replay an earlier note. */
export function keepRemembered(note: OriginalNote, isRemembered: (writer: Owner, takenAt: Instant) => boolean): OriginalNote {
  const recognized = new Set([...note.takenAt].flatMap(([writer, at]) => (isRemembered(writer, at) ? [writer] : [])));
  const fields = new Map<NoteField, OwnedField>();
  for (const [field, present] of note.fields) {
    const wants = new Map([...present.wants].filter(([owner]) => recognized.has(owner)));
    if (wants.size > 0 || (isGivenBack(present) && recognized.has(present.by))) fields.set(field, { ...present, wants });
  }
  return trimNote(fields, note.takenAt);
}

/** Replicas are written after the note, because the scale subresource has no annotations; other fields are written in one patch. */
function isWrittenApart(field: NoteField): boolean {
  return field === 'replicas';
}

function isGivenBack({ wants }: OwnedField): boolean {
  return wants.size === 0;
}

function isGivenBackBy(field: OwnedField, writer: Owner): boolean {
  return isGivenBack(field) && field.by === writer;
}

/** null: the user has edited the field, or its value is restored, so that no owner is left. */
function takeInEdit(field: OwnedField, live: number): OwnedField | null {
  if (live === field.set) return isGivenBack(field) ? null : { ...field, from: null };
  return live === field.from ? field : null;
}

/** The field with the value of the owner of highest priority. @throws if it has no owner */
function composeField(
  field: NoteField,
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

function trimNote(fields: OriginalNote['fields'], takenAt: OriginalNote['takenAt']): OriginalNote {
  const involved = new Set([...fields.values()].flatMap((field) => (isGivenBack(field) ? [field.by] : [...field.wants.keys()])));
  return { fields, takenAt: new Map([...takenAt].filter(([owner]) => involved.has(owner))) };
}
