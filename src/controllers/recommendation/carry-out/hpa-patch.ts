// Changes of a HorizontalPodAutoscaler as JSON patches: each value is tested against the one that was decided from, and the annotation
// with the original value changes in the same write.

import { HPA_ANNOTATIONS } from '../../../apis/annotations.ts';
import { originalBinding } from '../../../core/hpa/recorded-target.ts';
import type { TargetMove } from '../../../core/hpa/follow-targets.ts';
import type { HpaRecord } from '../../../core/model/cluster-records.ts';
import { writeOriginalValues } from '../../../core/ownership/original-values.ts';
import type { OriginalValues } from '../../../core/ownership/owners.ts';
import type { RecordSigner } from '../../../ports/record-signer.ts';
import type { JsonPatchOperation } from '../../../core/model/encoding/json-patch.ts';

/** Operations that change utilization targets. */
export function targetPatch(moves: readonly TargetMove[]): readonly JsonPatchOperation[] {
  return moves.flatMap(({ metric, from, to }): JsonPatchOperation[] => {
    const source = metric.container === null ? 'resource' : 'containerResource';
    const path = `/spec/metrics/${metric.index}/${source}/target/averageUtilization`;
    return [
      { op: 'test', path, value: from },
      { op: 'replace', path, value: to },
    ];
  });
}

/**
 * Operations that write the annotation of original values, or remove it once it is empty.
 * @throws when no key to sign the annotation is available
 */
export function originalAnnotationPatch(hpa: HpaRecord, originals: OriginalValues, signer: RecordSigner): readonly JsonPatchOperation[] {
  const path = `/metadata/annotations/${HPA_ANNOTATIONS.original.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  if (originals.fields.size === 0) return hpa.annotations[HPA_ANNOTATIONS.original] === undefined ? [] : [{ op: 'remove', path }];
  const value = signer.sign(originalBinding(hpa), writeOriginalValues(originals));
  if (!hpa.hasAnnotations) return [{ op: 'add', path: '/metadata/annotations', value: { [HPA_ANNOTATIONS.original]: value } }];
  return [{ op: 'add', path, value }];
}
