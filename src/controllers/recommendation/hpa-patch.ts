// A move of targets as a JSON patch: each value tested against what was decided from, and the note with it in one write.

import { HPA_ANNOTATIONS } from '../../apis/annotations.ts';
import type { AutoscalerMove } from '../../core/hpa/follow-targets.ts';
import type { JsonPatchOperation } from '../../ports/writers.ts';

export function hpaPatch({ hpa, moves, note }: AutoscalerMove): readonly JsonPatchOperation[] {
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
  if (note === null) return has ? [...operations, { op: 'remove', path: key }] : operations;
  if (!hpa.annotated) return [...operations, { op: 'add', path: '/metadata/annotations', value: { [HPA_ANNOTATIONS.original]: note } }];
  return [...operations, { op: 'add', path: key, value: note }];
}
