// The annotation of an idled workload with its sizes before: for users, and for the case that its Recommendation is lost. It is written
// once, so it has no values that change meanwhile. Replicas are in the annotation of original values, which several writers share.

import { INSTANT, record, required, text, withDefault } from '../../model/encoding/codec.ts';
import { parseJson } from '#kube/json';
import type { IdleAnnotation } from '../model/evidence/idle-memory.ts';
import { VALUES } from './values-codec.ts';

const IDLE_ANNOTATION = record<IdleAnnotation>({
  since: required(INSTANT),
  natural: required(VALUES),
  sizes: required(VALUES),
  // Only displayed: a record without it restores the workload all the same.
  wakeTriggers: withDefault(text(256), ''),
});

export function writeIdleAnnotation(idle: IdleAnnotation): string {
  return JSON.stringify(IDLE_ANNOTATION.write(idle));
}

/** Reads the annotation; null where it is missing or invalid, for example after an edit by a user. */
export function parseIdleAnnotation(annotation: string | undefined): IdleAnnotation | null {
  return IDLE_ANNOTATION.read(parseJson(annotation ?? '')) ?? null;
}
