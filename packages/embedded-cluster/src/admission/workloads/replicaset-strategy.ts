import type { ResourceStrategy } from '../../api/strategy.ts';
import type { ReplicaSet } from '../../controllers/wire/workload.ts';
import { required } from '../field-errors.ts';
import { countErrors, immutableErrors, selectorErrors, templateErrors } from './template-rules.ts';

export const replicaSetStrategy: ResourceStrategy = {
  validate(object, old, _context, subresource) {
    if (subresource === 'status') return [];
    if (object['spec'] === undefined) return [required('spec')];
    const { spec } = object as ReplicaSet;
    return [
      ...countErrors('spec.replicas', spec.replicas),
      ...countErrors('spec.minReadySeconds', spec.minReadySeconds),
      ...selectorErrors(spec.selector, spec.template),
      ...templateErrors(spec.template, ['Always']),
      ...(old === null ? [] : immutableErrors('spec.selector', spec.selector, (old as ReplicaSet).spec.selector)),
    ];
  },
};
