// Who owns a field of a HorizontalPodAutoscaler or a workload's replicas: several writers want a value of it, the first in order has it,
// and the user's own comes back when the last of them leaves. An edit of the user's ends what all of them wanted.

import type { Instant } from '#kube/units';

/** In the order in which one has a field before the next: an open schedule window, a person's floor, idle, tuning, kept replicas. */
export const OWNERS = ['schedules', 'floor', 'idle', 'tuning', 'keep-replicas'] as const;
export type Owner = (typeof OWNERS)[number];

/** `replicas`, `minReplicas`, `maxReplicas`, or a utilization target in percent: `cpu`, `memory`, of one container `cpu/main`. */
export type NoteField = string;

/** One field that at least one writer wants otherwise than the user, or that is being given back. */
export interface OwnedField {
  /** What the user has set: it is in force again when the last writer has left. */
  readonly user: number;
  /** Of a target: millicores or bytes a pod that the user's value was set for. null: of no target. */
  readonly request: number | null;
  /** Empty while the user's value is being written back. */
  readonly wants: ReadonlyMap<Owner, number>;
  /** What was set last. */
  readonly set: number;
  /** Who set it last; of a value that is given back, who left last. */
  readonly by: Owner;
  /** What was in force when `set` was recorded, until that is seen in force; null: it is, or both are written in one patch. */
  readonly from: number | null;
}

export interface OriginalNote {
  readonly fields: ReadonlyMap<NoteField, OwnedField>;
  /** When each writer took what it wants: it compares that with what it remembers, so that an earlier note of ours moves nothing. */
  readonly takenAt: ReadonlyMap<Owner, Instant>;
}

/** An object without an annotation. */
export const EMPTY_NOTE: OriginalNote = { fields: new Map(), takenAt: new Map() };

export interface Take {
  readonly writer: Owner;
  readonly field: NoteField;
  readonly value: number;
  /** What the object has now. */
  readonly live: number;
  readonly at: Instant;
  /** The user's value where the writer has it from elsewhere; otherwise the note's, or what is live. */
  readonly user?: number;
  readonly request?: number;
}

/** What the object has of a field now; null: it has no such field (any more). */
export type LiveValue = (field: NoteField) => number | null;

/**
 * The note once the writer wants this value of a field. Where the user has edited the field since, that is the user's value from now on,
 * and the other writers have stepped back. Idempotent.
 */
export function take(note: OriginalNote, { writer, field, value, live, at, user, request }: Take): OriginalNote {
  const present = note.fields.get(field);
  const seen = present === undefined ? null : takeInEdit(present, live);
  const wants = new Map(seen?.wants).set(writer, value);
  const taken = composeField(field, wants, live, { user: user ?? seen?.user ?? live, request: request ?? seen?.request ?? null });
  return trimNote(new Map(note.fields).set(field, taken), new Map(note.takenAt).set(writer, at));
}

/**
 * The note once the writer wants nothing any more: the next in order has what it had, or the user. A field that is written apart from
 * the note stays in it until the user's value is seen in force. Idempotent.
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

/** What an object is to have of a field once its note has become another. An edit of the user's that was not taken in yet stays. */
export function valueToWrite(before: OriginalNote, after: OriginalNote, field: NoteField, live: number): number {
  const [present, next] = [before.fields.get(field), after.fields.get(field)];
  if (next !== undefined) return next !== present || live === next.from ? next.set : live;
  return live === present?.set ? present.user : live;
}

/** The note without what its writers do not remember as theirs: any user who may annotate the object can put an earlier one back. */
export function keepRemembered(note: OriginalNote, remembers: (writer: Owner, takenAt: Instant) => boolean): OriginalNote {
  const own = new Set([...note.takenAt].flatMap(([writer, at]) => (remembers(writer, at) ? [writer] : [])));
  const fields = new Map<NoteField, OwnedField>();
  for (const [field, present] of note.fields) {
    const wants = new Map([...present.wants].filter(([owner]) => own.has(owner)));
    if (wants.size > 0 || (isGivenBack(present) && own.has(present.by))) fields.set(field, { ...present, wants });
  }
  return trimNote(fields, note.takenAt);
}

/** The scale subresource takes no annotations: replicas are written after the note. All else is written with it, in one patch. */
function isWrittenApart(field: NoteField): boolean {
  return field === 'replicas';
}

function isGivenBack({ wants }: OwnedField): boolean {
  return wants.size === 0;
}

function isGivenBackBy(field: OwnedField, writer: Owner): boolean {
  return isGivenBack(field) && field.by === writer;
}

/** null: the user has edited the field since (or it is given back in full), so that nothing of what was wanted is left. */
function takeInEdit(field: OwnedField, live: number): OwnedField | null {
  if (live === field.set) return isGivenBack(field) ? null : { ...field, from: null };
  return live === field.from ? field : null;
}

/** The field as the first owner has it. @throws where no writer wants it */
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
  throw new Error(`composing the owners of ${field}: no writer wants it`);
}

function trimNote(fields: OriginalNote['fields'], takenAt: OriginalNote['takenAt']): OriginalNote {
  const involved = new Set([...fields.values()].flatMap((field) => (isGivenBack(field) ? [field.by] : [...field.wants.keys()])));
  return { fields, takenAt: new Map([...takenAt].filter(([owner]) => involved.has(owner))) };
}
