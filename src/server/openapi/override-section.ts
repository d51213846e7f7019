import { RESIZE_MODES } from '../../apis/conditions.ts';
import type { OperationSpec, ParameterSpec } from './operation.ts';
import { enumFilter, kindQuery, namePath, namespacePath, textFilter } from './parameters.ts';
import { BULK_MAX_ITEMS } from './recommendation-records.ts';
import { array, boolean, integer, map, nullable, object, oneOf, ref, string, time, type Schema } from './schema.ts';

const workload: readonly ParameterSpec[] = [namespacePath, namePath, kindQuery];
const changed: OperationSpec['answer'] = {
  status: 200,
  description: 'The overrides of the workload as they now are.',
  data: ref('Override'),
};

const name = string(undefined, { minLength: 1, maxLength: 253 });
const reason = string('Kept beside the change: in its note, its Event and the audit.', { maxLength: 1000 });
const quantity = nullable(string('Kubernetes quantity; null takes it away.', { minLength: 1, maxLength: 64 }));

const floor: Schema = { ...nullable(ref('BoundsPatch')), description: 'Least requests. null takes away those of every container.' };
const ceiling: Schema = { ...nullable(ref('BoundsPatch')), description: 'Greatest requests. null takes away those of every container.' };

export const OVERRIDE_SCHEMAS: Readonly<Record<string, Schema>> = {
  Override: object(
    {
      namespace: string(),
      kind: string(),
      name: string(),
      policy: nullable(string('The PodResizePolicy that governs it; null: none.')),
      floor: nullable(ref('OverrideBounds')),
      ceiling: nullable(ref('OverrideBounds')),
      mode: nullable(oneOf(RESIZE_MODES, 'In place of the policy’s; null: the policy’s.')),
      excluded: boolean('Left alone altogether.'),
      heldUntil: nullable(time('No automatic change before.')),
      setBy: nullable(string('Who made the latest change through this API; null where it was written by other means.')),
      setAt: nullable(time()),
      reason: nullable(string()),
      changes: array(
        object({
          annotation: string('Without the prefix: floor, ceiling, mode, exclude, held-until.'),
          by: string(),
          at: time(),
          reason: nullable(string()),
        }),
        'Who set each, where this API knows: a value changed by hand since has no entry.',
      ),
      problems: array(string(), 'What stands in an annotation and cannot be read; while there is any, nothing of the workload is changed.'),
    },
    'What people said of one workload, read from its annotations.',
  ),
  BoundsPatch: map(
    nullable(object({ cpu: quantity, memory: quantity }, undefined, ['cpu', 'memory'])),
    'By container, `*` for all; what is left out stays as it is, null takes away.',
    { maxProperties: 100 },
  ),
  SetBoundsBody: {
    ...object({ floor, ceiling, reason }, 'At least one of `floor` and `ceiling`.', ['floor', 'ceiling', 'reason']),
    minProperties: 1,
  },
  ExclusionBody: object({ excluded: boolean('false: no longer.'), reason }, undefined, ['reason']),
  OverrideBulkItem: object(
    {
      namespace: name,
      kind: string(undefined, { minLength: 1, maxLength: 63 }),
      name,
      action: oneOf(['set', 'remove'], '`set` merges as PATCH does; `remove` takes away floor and ceiling.'),
      floor,
      ceiling,
      reason,
    },
    undefined,
    ['kind', 'floor', 'ceiling', 'reason'],
  ),
  OverrideBulkBody: object({ items: array(ref('OverrideBulkItem'), undefined, { minItems: 1, maxItems: BULK_MAX_ITEMS }) }),
};

export const OVERRIDE_OPERATIONS: readonly OperationSpec[] = [
  {
    id: 'listOverrides',
    method: 'get',
    path: '/overrides',
    tag: 'Overrides',
    title: 'Workloads with override annotations',
    description: 'Those with a floor, a ceiling, a mode, an exclusion or a hold of their own, whoever wrote it and by whatever means.',
    list: {
      defaultSort: 'namespace',
      namespaced: true,
      filters: [
        textFilter('kind', 'Only workloads of these kinds.'),
        enumFilter('mode', RESIZE_MODES, 'Only workloads that are set to these modes.'),
        textFilter('policy', 'Only workloads under these policies.'),
      ],
    },
    answer: { status: 200, description: 'A page of overridden workloads.', data: array(ref('Override')) },
  },
  {
    id: 'bulkOverrides',
    method: 'post',
    path: '/overrides/bulk',
    tag: 'Overrides',
    title: 'Set or remove the bounds of up to 500 workloads',
    description:
      'Each item by itself: a failing one is named and never stops the others. Items of one workload follow each other in their order.',
    body: ref('OverrideBulkBody'),
    answer: {
      status: 200,
      description: 'One result an item, in order.',
      data: array(ref('BulkResult')),
      summary: object({ succeeded: integer(), failed: integer() }),
    },
  },
  {
    id: 'getOverride',
    method: 'get',
    path: '/overrides/{ns}/{name}',
    tag: 'Overrides',
    title: 'The overrides of one workload',
    description: 'Answered for a workload without any, too; its ETag is what `If-Match` of the mutations below takes.',
    parameters: workload,
    answer: { status: 200, description: 'The overrides of the workload.', data: ref('Override') },
  },
  {
    id: 'setBounds',
    method: 'patch',
    path: '/overrides/{ns}/{name}/floor',
    tag: 'Overrides',
    title: 'Set floor and ceiling of one workload',
    description:
      'Merged by container and resource into what stands in the annotations `evenkeel.io/floor` and `evenkeel.io/ceiling`; null takes away. 400 where a floor would stand above a ceiling, what stands there already included, where a quantity cannot be read, and for a container that neither the template nor a pod has. 409 where an annotation written by hand cannot be read.',
    parameters: workload,
    body: ref('SetBoundsBody'),
    answer: changed,
  },
  {
    id: 'removeBounds',
    method: 'delete',
    path: '/overrides/{ns}/{name}/floor',
    tag: 'Overrides',
    title: 'Remove floor and ceiling of one workload',
    parameters: workload,
    answer: changed,
  },
  {
    id: 'setExclusion',
    method: 'put',
    path: '/overrides/{ns}/{name}/exclude',
    tag: 'Overrides',
    title: 'Leave one workload alone, or no longer',
    description:
      'Written as the annotation `evenkeel.io/exclude`. Mode Off (`PUT /recommendations/{ns}/{name}/mode`) comes to the same; an exclusion stands apart from the mode, so that ending it brings the workload’s own mode back.',
    parameters: workload,
    body: ref('ExclusionBody'),
    answer: changed,
  },
];
