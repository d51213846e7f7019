// Notes of original values as Evenkeel writes them, without a signature.

import type { RecordedTarget } from '../../src/core/hpa/recorded-target.ts';
import { withTargets } from '../../src/core/hpa/recorded-target.ts';
import type { Instant } from '#kube/units';
import { writeOriginalNote } from '../../src/core/ownership/original-note.ts';
import { EMPTY_NOTE, take, type NoteField } from '../../src/core/ownership/owners.ts';

const NO_FIELDS = { minReplicas: 1, maxReplicas: 1, resourceMetrics: [] };

/** Of an autoscaler whose targets follow the requests. */
export function targetsNote(targets: readonly RecordedTarget[], issuedAt: Instant): string {
  return writeOriginalNote(withTargets(EMPTY_NOTE, targets, NO_FIELDS, issuedAt));
}

/** Of a workload that is idle, or of its autoscaler, once the idle value is in force. */
export function idleOriginal(field: NoteField, { user, value, since }: { user: number; value: number; since: Instant }): string {
  return writeOriginalNote(take(EMPTY_NOTE, { writer: 'idle', field, value, live: value, at: since, user }));
}
