import type { ResourceStrategy } from '../../api/strategy.ts';
import type { DaemonSet } from '../../controllers/wire/workload.ts';
import { required } from '../field-errors.ts';
import { countErrors, immutableErrors, rollingUpdateErrors, selectorErrors, templateErrors } from './template-rules.ts';

export const daemonSetStrategy: ResourceStrategy = {
  validate(object, old, _context, subresource) {
    if (subresource === 'status') return [];
    if (object['spec'] === undefined) return [required('spec')];
    const { spec } = object as DaemonSet;
    return [
      ...countErrors('spec.minReadySeconds', spec.minReadySeconds),
      ...selectorErrors(spec.selector, spec.template, 'daemonset'),
      ...templateErrors(spec.template, ['Always']),
      ...rollingUpdateErrors(spec.updateStrategy?.rollingUpdate, 'spec.updateStrategy.rollingUpdate'),
      ...(old === null ? [] : immutableErrors('spec.selector', spec.selector, (old as DaemonSet).spec.selector)),
    ];
  },
};
