import type { FieldError } from '../../api/api-error.ts';
import type { ResourceStrategy } from '../../api/strategy.ts';
import type { ResourceList } from '../../actors/wire/pod.ts';
import { amountOf } from '../amounts.ts';
import { invalidValue } from '../field-errors.ts';

interface Item {
  readonly min?: ResourceList;
  readonly max?: ResourceList;
  readonly default?: ResourceList;
  readonly defaultRequest?: ResourceList;
}

/** Bounds that contradict each other would refuse every pod. */
export const limitRangeStrategy: ResourceStrategy = {
  validate(object) {
    const { limits = [] } = (object['spec'] ?? {}) as { limits?: Item[] };
    return limits.flatMap((item, index) => itemErrors(item, `spec.limits[${String(index)}]`));
  },
};

function itemErrors(item: Item, field: string): FieldError[] {
  return [
    ...orderErrors(item, 'min', 'max', field),
    ...orderErrors(item, 'default', 'max', field),
    ...orderErrors(item, 'defaultRequest', 'default', field),
    ...orderErrors(item, 'defaultRequest', 'max', field),
    ...orderErrors(item, 'min', 'default', field),
    ...orderErrors(item, 'min', 'defaultRequest', field),
  ];
}

function orderErrors(item: Item, lesser: keyof Item, greater: keyof Item, field: string): FieldError[] {
  return Object.entries(item[lesser] ?? {}).flatMap(([resource, text]) => {
    const low = amountOf(item[lesser], resource);
    const high = amountOf(item[greater], resource);
    if (low === undefined || high === undefined || low.nano <= high.nano) return [];
    const why = `${lesser} value ${text} is greater than ${greater} value ${item[greater]?.[resource] ?? ''}`;
    return [invalidValue(`${field}.${lesser}[${resource}]`, text, why)];
  });
}
