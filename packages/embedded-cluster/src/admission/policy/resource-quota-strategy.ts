import type { ResourceStrategy } from '../../api/strategy.ts';
import { amountOf } from '../amounts.ts';
import { invalidValue } from '../field-errors.ts';
import type { ResourceQuota } from '../quota-usage.ts';
import { immutableErrors } from '../workloads/template-rules.ts';

export const resourceQuotaStrategy: ResourceStrategy = {
  validate(object, old, _context, subresource) {
    if (subresource === 'status') return [];
    const { hard = {}, scopes } = (object as Partial<ResourceQuota>).spec ?? {};
    const negative = Object.entries(hard).filter(([key]) => (amountOf(hard, key)?.nano ?? 0n) < 0n);
    return [
      ...negative.map(([key, text]) => invalidValue(`spec.hard[${key}]`, text, 'must be greater than or equal to 0')),
      ...(old === null ? [] : immutableErrors('spec.scopes', scopes, (old as Partial<ResourceQuota>).spec?.scopes)),
    ];
  },
};
