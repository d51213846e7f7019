// The sizes that a workload had before it fell idle, as an annotation of the workload: for people, and for the case that its
// Recommendation is lost. What changes while it is idle is left out: the annotation is written once. Replicas are in the note of
// original values, which idle mode shares with other writers.

import { INSTANT, record, required, text } from '../../model/codec.ts';
import { parseJson } from '#kube/json';
import type { IdleNote } from '../model/idle-memory.ts';
import { VALUES } from './values-codec.ts';

const IDLE_NOTE = record<IdleNote>({
  since: required(INSTANT),
  natural: required(VALUES),
  sizes: required(VALUES),
  wakeTriggers: required(text(256)),
});

export function writeIdleNote(idle: IdleNote): string {
  return JSON.stringify(IDLE_NOTE.write(idle));
}

/** null where there is none, or none that can be read: a user may have edited it. */
export function readIdleNote(note: string | undefined): IdleNote | null {
  return IDLE_NOTE.read(parseJson(note ?? '')) ?? null;
}
