// Author, time and reason of overrides set through the API, in an annotation beside them that kubectl also shows.

import { PREFIX, WORKLOAD_ANNOTATIONS } from '../../apis/annotations.ts';
import { fnv1a } from '#kube/fnv1a';
import { instantOf, isoTime } from '#kube/time/iso-time';
import { isObject, parseJson } from '#kube/json';
import type { Instant } from '#kube/units';

/** Annotations that override the policy for one workload. */
export const OVERRIDE_ANNOTATIONS = [
  WORKLOAD_ANNOTATIONS.floor,
  WORKLOAD_ANNOTATIONS.ceiling,
  WORKLOAD_ANNOTATIONS.mode,
  WORKLOAD_ANNOTATIONS.exclude,
  WORKLOAD_ANNOTATIONS.heldUntil,
] as const;

/** Author, time and reason of one override. */
export interface OverrideNote {
  readonly by: string;
  readonly at: Instant;
  readonly reason: string | null;
}

interface StoredOverrideNote {
  readonly by: string;
  readonly at: string;
  readonly reason?: string;
  /** Hash of the override's value: the note is void after another change of the value. */
  readonly of: string;
}

const MAX_REASON = 500;

/** Valid notes by the annotation's name without its prefix. */
export function readOverrideNotes(annotations: Readonly<Record<string, string>>): ReadonlyMap<string, OverrideNote> {
  const notes = new Map<string, OverrideNote>();
  for (const [key, note] of Object.entries(parseOverrideNotes(annotations[WORKLOAD_ANNOTATIONS.overrideNotes]))) {
    const value = annotations[`${PREFIX}${key}`];
    const at = instantOf(note.at);
    if (value === undefined || at === null || note.of !== fingerprint(value)) continue;
    notes.set(key, { by: note.by, at, reason: note.reason ?? null });
  }
  return notes;
}

/**
 * The annotation after a change of overrides: changed ones get a note, removed ones and void notes are dropped. null removes
 * the annotation.
 */
export function updateNotes(
  annotations: Readonly<Record<string, string>>,
  changed: Readonly<Record<string, string | null>>,
  { by, at, reason }: OverrideNote,
): string | null {
  const stored = parseOverrideNotes(annotations[WORKLOAD_ANNOTATIONS.overrideNotes]);
  const valid = readOverrideNotes(annotations);
  const notes: Record<string, StoredOverrideNote> = {};
  for (const [key, note] of Object.entries(stored)) {
    if (valid.has(key) && !(`${PREFIX}${key}` in changed)) notes[key] = note;
  }
  for (const [annotation, value] of Object.entries(changed)) {
    if (value === null) continue;
    const because = reason === null || reason === '' ? {} : { reason: reason.slice(0, MAX_REASON) };
    notes[annotation.slice(PREFIX.length)] = { by, at: isoTime(at), ...because, of: fingerprint(value) };
  }
  return Object.keys(notes).length === 0 ? null : JSON.stringify(notes);
}

function parseOverrideNotes(text: string | undefined): Readonly<Record<string, StoredOverrideNote>> {
  const parsed = parseJson(text ?? '');
  if (!isObject(parsed)) return {};
  return Object.fromEntries(Object.entries(parsed).filter((entry): entry is [string, StoredOverrideNote] => isNote(entry[1])));
}

function isNote(value: unknown): value is StoredOverrideNote {
  if (!isObject(value)) return false;
  const { by, at, of, reason } = value;
  return typeof by === 'string' && typeof at === 'string' && typeof of === 'string' && (reason === undefined || typeof reason === 'string');
}

/** Detects a changed value, but is no protection against forgery. */
function fingerprint(text: string): string {
  return fnv1a(text).toString(16).padStart(8, '0');
}
