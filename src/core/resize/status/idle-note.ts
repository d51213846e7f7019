// What a workload was before it fell idle, as an annotation of the workload: for people, and for the case that its
// Recommendation is lost. What changes while it is idle is left out: the annotation is written once.

import { COUNT, INSTANT, nullable, record, required, strict, text } from '../../model/codec.ts';
import { parseJson } from '../../model/json.ts';
import type { IdleMemory } from '../model/idle-memory.ts';
import { IDLE_AUTOSCALER } from './memory-codec.ts';
import { VALUES } from './values-codec.ts';

type IdleNote = Pick<IdleMemory, 'since' | 'natural' | 'sizes' | 'replicas' | 'idleReplicas' | 'autoscaler' | 'wakesOn'>;

const IDLE_NOTE = record<IdleNote>({
  since: required(INSTANT),
  natural: required(VALUES),
  sizes: required(VALUES),
  replicas: required(COUNT),
  idleReplicas: strict(nullable(COUNT)),
  autoscaler: strict(nullable(IDLE_AUTOSCALER)),
  wakesOn: required(text(256)),
});

export function writeIdleNote(idle: IdleMemory): string {
  return JSON.stringify(IDLE_NOTE.write(idle));
}

/** null where there is none, or none that can be read: a user may have edited it. */
export function readIdleNote(note: string | undefined): IdleMemory | null {
  const read = IDLE_NOTE.read(parseJson(note ?? ''));
  return read === undefined ? null : { ...read, floor: new Map(), awakeMs: 0, scaled: false, waking: null };
}
