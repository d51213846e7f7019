import { isObject } from '#kube/json';
import type { FieldError } from '../../api/api-error.ts';
import type { ResourceStrategy } from '../../api/strategy.ts';
import type { Job, JobSpec } from '../../controllers/wire/workload.ts';
import { required } from '../field-errors.ts';
import { countErrors, immutableErrors, selectorErrors, templateErrors } from './template-rules.ts';

const UID_LABEL = 'batch.kubernetes.io/controller-uid';
const NAME_LABEL = 'batch.kubernetes.io/job-name';

/** A job makes its own selector, of its uid, so that no two jobs ever share a pod. */
export const jobStrategy: ResourceStrategy = {
  prepareForCreate(draft) {
    const { spec, metadata } = draft as Partial<Job> & Pick<Job, 'metadata'>;
    if (!isObject(spec) || !isObject(spec.template) || spec.manualSelector === true) return;
    const { uid, name } = metadata;
    const own = { [UID_LABEL]: uid, 'controller-uid': uid, [NAME_LABEL]: name, 'job-name': name };
    const labelled = isObject(spec.template.metadata) ? spec.template.metadata : {};
    if (labelled.labels !== undefined && !isObject(labelled.labels)) return;
    spec.template.metadata = { ...labelled, labels: { ...labelled.labels, ...own } };
    spec.selector = { matchLabels: { [UID_LABEL]: uid } };
  },

  validate(object, old, _context, subresource) {
    if (subresource === 'status') return [];
    if (object['spec'] === undefined) return [required('spec')];
    const { spec } = object as Job;
    const errors = [...jobSpecErrors(spec, 'spec')];
    if (spec.selector !== undefined) errors.push(...selectorErrors(spec.selector, spec.template));
    if (old === null) return errors;
    const before = (old as Job).spec;
    const isSuspended = before.suspend === true;
    return [
      ...errors,
      ...immutableErrors('spec.selector', spec.selector, before.selector),
      ...immutableErrors('spec.completionMode', spec.completionMode, before.completionMode),
      ...(spec.completionMode === 'Indexed' ? [] : immutableErrors('spec.completions', spec.completions, before.completions)),
      // Where a suspended job's pods may run can still be decided.
      ...(isSuspended ? [] : immutableErrors('spec.template', spec.template, before.template)),
    ];
  },
};

/** @param root `spec`, or `spec.jobTemplate.spec` of a CronJob */
export function jobSpecErrors(spec: JobSpec | undefined, root: string): FieldError[] {
  if (spec === undefined) return [required(root)];
  const numbers = ['parallelism', 'completions', 'backoffLimit', 'activeDeadlineSeconds', 'ttlSecondsAfterFinished'] as const;
  const errors = numbers.flatMap((field) => countErrors(`${root}.${field}`, spec[field]));
  if (spec.completionMode === 'Indexed' && spec.completions === undefined) {
    errors.push(required(`${root}.completions`, 'when completion mode is Indexed'));
  }
  return [...errors, ...templateErrors(spec.template, ['OnFailure', 'Never'], `${root}.template`)];
}
