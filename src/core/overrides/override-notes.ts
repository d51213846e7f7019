// Who set an override through the API, when and why: an annotation beside the override, so that kubectl shows it too.

import { PREFIX, WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import { fnv1a } from '#kube/fnv1a';
import { instantOf, isoTime } from '#kube/time/iso-time';
import { isObject, parseJson } from '#kube/json';
import type { Instant } from '#kube/units';

/** Annotations by which a person overrides what a policy says of one workload. */
export const OVERRIDE_ANNOTATIONS = [
  WORKLOAD_ANNOTATIONS.floor,
  WORKLOAD_ANNOTATIONS.ceiling,
  WORKLOAD_ANNOTATIONS.mode,
  WORKLOAD_ANNOTATIONS.exclude,
  WORKLOAD_ANNOTATIONS.heldUntil,
] as const;

export interface OverrideNote {
  readonly by: string;
  readonly at: Instant;
  readonly reason: string | null;
}

interface WrittenNote {
  readonly by: string;
  readonly at: string;
  readonly reason?: string;
  /** Hash of the value that was set: the note is void once the value was changed by hand. */
  readonly of: string;
}

const MAX_REASON = 500;

/** The notes that are still true, by the annotation's name without its prefix. */
export function readNotes(annotations: Readonly<Record<string, string>>): ReadonlyMap<string, OverrideNote> {
  const notes = new Map<string, OverrideNote>();
  for (const [key, note] of Object.entries(writtenNotes(annotations[WORKLOAD_ANNOTATIONS.overrideNotes]))) {
    const value = annotations[`${PREFIX}${key}`];
    const at = instantOf(note.at);
    if (value === undefined || at === null || note.of !== fingerprint(value)) continue;
    notes.set(key, { by: note.by, at, reason: note.reason ?? null });
  }
  return notes;
}

/**
 * The annotation of notes after a change: those changed are noted, those removed and those that are no longer true go.
 * null removes it.
 */
export function notesAfter(
  annotations: Readonly<Record<string, string>>,
  changed: Readonly<Record<string, string | null>>,
  { by, at, reason }: OverrideNote,
): string | null {
  const stored = writtenNotes(annotations[WORKLOAD_ANNOTATIONS.overrideNotes]);
  const stillTrue = readNotes(annotations);
  const notes: Record<string, WrittenNote> = {};
  for (const [key, note] of Object.entries(stored)) {
    if (stillTrue.has(key) && !(`${PREFIX}${key}` in changed)) notes[key] = note;
  }
  for (const [annotation, value] of Object.entries(changed)) {
    if (value === null) continue;
    const because = reason === null || reason === '' ? {} : { reason: reason.slice(0, MAX_REASON) };
    notes[annotation.slice(PREFIX.length)] = { by, at: isoTime(at), ...because, of: fingerprint(value) };
  }
  return Object.keys(notes).length === 0 ? null : JSON.stringify(notes);
}

function writtenNotes(text: string | undefined): Readonly<Record<string, WrittenNote>> {
  const parsed = parseJson(text ?? '');
  if (!isObject(parsed)) return {};
  return Object.fromEntries(Object.entries(parsed).filter((entry): entry is [string, WrittenNote] => isNote(entry[1])));
}

function isNote(value: unknown): value is WrittenNote {
  if (!isObject(value)) return false;
  const { by, at, of, reason } = value;
  return typeof by === 'string' && typeof at === 'string' && typeof of === 'string' && (reason === undefined || typeof reason === 'string');
}

/** Detects a changed value. No protection against forgery. */
function fingerprint(text: string): string {
  return fnv1a(text).toString(16).padStart(8, '0');
}
