// A move of targets as a JSON patch: each value tested against what was decided from, and the record with it in one write.

import { HPA_ANNOTATIONS } from '../../apis/annotations.ts';
import { originalBinding, writeOriginal } from '../../core/hpa/kept-target.ts';
import type { AutoscalerMove } from '../../core/hpa/follow-targets.ts';
import type { Instant } from '../../core/model/units.ts';
import type { RecordSigner } from '../../ports/record-signer.ts';
import type { JsonPatchOperation } from '../../core/model/json-patch.ts';

/** @throws where a record is to be signed and there is no key */
export function hpaPatch({ hpa, moves, original }: AutoscalerMove, signer: RecordSigner, issuedAt: Instant): readonly JsonPatchOperation[] {
  const key = `/metadata/annotations/${HPA_ANNOTATIONS.original.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const operations = moves.flatMap(({ metric, from, to }): JsonPatchOperation[] => {
    const source = metric.container === null ? 'resource' : 'containerResource';
    const path = `/spec/metrics/${metric.index}/${source}/target/averageUtilization`;
    return [
      { op: 'test', path, value: from },
      { op: 'replace', path, value: to },
    ];
  });
  const has = hpa.annotations[HPA_ANNOTATIONS.original] !== undefined;
  if (original === null) return has ? [...operations, { op: 'remove', path: key }] : operations;
  const value = signer.sign(originalBinding(hpa), writeOriginal({ targets: original, issuedAt }));
  if (!hpa.annotated) return [...operations, { op: 'add', path: '/metadata/annotations', value: { [HPA_ANNOTATIONS.original]: value } }];
  return [...operations, { op: 'add', path: key, value }];
}
