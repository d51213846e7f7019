import { RESIZE_MODES } from '../../../apis/conditions.ts';
import type { OperationSpec, ParameterSpec } from '../operation.ts';
import { enumFilter, kindQuery, namePath, namespacePath, textFilter } from '../parameters.ts';
import { BULK_MAX_ITEMS } from './recommendation-records.ts';
import { array, boolean, integer, map, nullable, object, oneOf, ref, string, time, type Schema } from '../schema.ts';

const workload: readonly ParameterSpec[] = [namespacePath, namePath, kindQuery];
const changed: OperationSpec['answer'] = {
  status: 200,
  description: 'The current overrides of the workload.',
  data: ref('Override'),
};

const name = string(undefined, { minLength: 1, maxLength: 253 });
const reason = string('Recorded with the change, in its Event and the audit.', { maxLength: 1000 });
const quantity = nullable(string('Kubernetes quantity; null removes it.', { minLength: 1, maxLength: 64 }));

const floor: Schema = { ...nullable(ref('BoundsPatch')), description: 'Minimum requests. null removes them for every container.' };
const ceiling: Schema = { ...nullable(ref('BoundsPatch')), description: 'Maximum requests. null removes them for every container.' };

export const OVERRIDE_SCHEMAS: Readonly<Record<string, Schema>> = {
  Override: object(
    {
      namespace: string(),
      kind: string(),
      name: string(),
      policy: nullable(string('The PodResizePolicy that governs it; null: none.')),
      floor: nullable(ref('OverrideBounds')),
      ceiling: nullable(ref('OverrideBounds')),
      mode: nullable(oneOf(RESIZE_MODES, 'Overrides the policy’s mode; null: the policy’s mode applies.')),
      excluded: boolean('Excluded from right-sizing and idle mode.'),
      heldUntil: nullable(time('Automatic changes are blocked until then.')),
      setBy: nullable(string('User of the latest change through this API; null where it was written by other means.')),
      setAt: nullable(time()),
      reason: nullable(string()),
      changes: array(
        object({
          annotation: string('Without the prefix: floor, ceiling, mode, exclude, held-until.'),
          by: string(),
          at: time(),
          reason: nullable(string()),
        }),
        'User of each change made through this API. A value changed by other means has no entry.',
      ),
      problems: array(string(), 'Problems of invalid annotations. While there is one, the workload is not changed.'),
    },
    'User overrides of one workload, from its annotations.',
  ),
  BoundsPatch: map(
    nullable(object({ cpu: quantity, memory: quantity }, undefined, ['cpu', 'memory'])),
    'By container, `*` for all. Omitted values are unchanged, null removes a value.',
    { maxProperties: 100 },
  ),
  SetBoundsBody: {
    ...object({ floor, ceiling, reason }, 'At least one of `floor` and `ceiling`.', ['floor', 'ceiling', 'reason']),
    minProperties: 1,
  },
  ExclusionBody: object({ excluded: boolean('false ends the exclusion.'), reason }, undefined, ['reason']),
  OverrideBulkItem: object(
    {
      namespace: name,
      kind: string(undefined, { minLength: 1, maxLength: 63 }),
      name,
      action: oneOf(['set', 'remove'], '`set` merges like PATCH; `remove` removes floor and ceiling.'),
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
    description: 'Workloads with annotations for floor, ceiling, mode, exclusion or held-until, however written.',
    list: {
      defaultSort: 'namespace',
      namespaced: true,
      filters: [
        textFilter('kind', 'Only workloads of these kinds.'),
        enumFilter('mode', RESIZE_MODES, 'Only workloads with these mode annotations.'),
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
      'Items are independent: a failing item is reported and does not stop the others. Items of one workload are carried out in order.',
    body: ref('OverrideBulkBody'),
    answer: {
      status: 200,
      description: 'One result per item, in order.',
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
    description: 'Also answered for a workload without overrides. `If-Match` of the mutations below takes its ETag.',
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
      'Merged by container and resource into the annotations `evenkeel.io/floor` and `evenkeel.io/ceiling`; null removes a value. 400 where a resulting floor would exceed a ceiling, where a quantity is invalid, and for a container that is neither in the template nor in a pod. 409 where an existing annotation is invalid.',
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
    title: 'Exclude one workload, or end its exclusion',
    description:
      'Written as the annotation `evenkeel.io/exclude`. Mode Off (`PUT /recommendations/{ns}/{name}/mode`) has the same effect. An exclusion is separate from the mode, so ending it restores the workload’s mode.',
    parameters: workload,
    body: ref('ExclusionBody'),
    answer: changed,
  },
];
