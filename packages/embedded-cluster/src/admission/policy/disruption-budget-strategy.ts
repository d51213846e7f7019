import type { ResourceStrategy } from '../../api/strategy.ts';
import type { DisruptionBudget } from '../../controllers/wire/policy.ts';
import { invalidValue, required } from '../field-errors.ts';
import { shareErrors } from '../workloads/template-rules.ts';

export const disruptionBudgetStrategy: ResourceStrategy = {
  validate(object, _old, _context, subresource) {
    if (subresource === 'status') return [];
    const { spec } = object as Partial<DisruptionBudget>;
    if (spec === undefined) return [required('spec')];
    if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
      return [invalidValue('spec', spec, 'minAvailable and maxUnavailable cannot be both set')];
    }
    return [...shareErrors('spec.minAvailable', spec.minAvailable), ...shareErrors('spec.maxUnavailable', spec.maxUnavailable)];
  },
};
