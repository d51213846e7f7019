import type { ResourceStrategy } from '../../api/strategy.ts';
import type { Deployment } from '../../controllers/wire/workload.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../field-errors.ts';
import { countErrors, immutableErrors, rollingUpdateErrors, selectorErrors, templateErrors } from './template-rules.ts';

export const deploymentStrategy: ResourceStrategy = {
  validate(object, old, _context, subresource) {
    if (subresource === 'status') return [];
    if (object['spec'] === undefined) return [required('spec')];
    const { spec } = object as Deployment;
    const { minReadySeconds = 0, progressDeadlineSeconds = 600 } = spec;
    const errors = [
      ...countErrors('spec.replicas', spec.replicas),
      ...countErrors('spec.minReadySeconds', minReadySeconds),
      ...countErrors('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
      ...selectorErrors(spec.selector, spec.template),
      ...templateErrors(spec.template, ['Always']),
    ];
    if (progressDeadlineSeconds <= minReadySeconds) {
      errors.push(invalidValue('spec.progressDeadlineSeconds', progressDeadlineSeconds, 'must be greater than minReadySeconds'));
    }
    const { type, rollingUpdate } = spec.strategy ?? {};
    if (type !== undefined && type !== 'Recreate' && type !== 'RollingUpdate') {
      const shown = { Type: type, RollingUpdate: rollingUpdate ?? null };
      errors.push(notSupported('spec.strategy', shown, ['Recreate', 'RollingUpdate']));
    } else if (type === 'Recreate' && rollingUpdate !== undefined) {
      errors.push(forbiddenField('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'"));
    } else errors.push(...rollingUpdateErrors(rollingUpdate, 'spec.strategy.rollingUpdate'));
    if (old !== null) errors.push(...immutableErrors('spec.selector', spec.selector, (old as Deployment).spec.selector));
    return errors;
  },
};
