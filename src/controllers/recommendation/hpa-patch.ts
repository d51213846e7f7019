// A change of an autoscaler as a JSON patch: each value tested against what was decided from, and the note with it in one write.

import { HPA_ANNOTATIONS } from '../../apis/annotations.ts';
import { originalBinding } from '../../core/hpa/recorded-target.ts';
import type { TargetMove } from '../../core/hpa/follow-targets.ts';
import type { HpaRecord } from '../../core/model/cluster-records.ts';
import { writeOriginalNote } from '../../core/ownership/original-note.ts';
import type { OriginalNote } from '../../core/ownership/owners.ts';
import type { RecordSigner } from '../../ports/record-signer.ts';
import type { JsonPatchOperation } from '../../core/model/json-patch.ts';

/** Moves targets. */
export function targetOperations(moves: readonly TargetMove[]): readonly JsonPatchOperation[] {
  return moves.flatMap(({ metric, from, to }): JsonPatchOperation[] => {
    const source = metric.container === null ? 'resource' : 'containerResource';
    const path = `/spec/metrics/${metric.index}/${source}/target/averageUtilization`;
    return [
      { op: 'test', path, value: from },
      { op: 'replace', path, value: to },
    ];
  });
}

/** Writes the note, or removes one that says nothing any more. @throws where there is something to be signed and there is no key */
export function noteOperations(hpa: HpaRecord, note: OriginalNote, signer: RecordSigner): readonly JsonPatchOperation[] {
  const path = `/metadata/annotations/${HPA_ANNOTATIONS.original.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  if (note.fields.size === 0) return hpa.annotations[HPA_ANNOTATIONS.original] === undefined ? [] : [{ op: 'remove', path }];
  const value = signer.sign(originalBinding(hpa), writeOriginalNote(note));
  if (!hpa.annotated) return [{ op: 'add', path: '/metadata/annotations', value: { [HPA_ANNOTATIONS.original]: value } }];
  return [{ op: 'add', path, value }];
}
