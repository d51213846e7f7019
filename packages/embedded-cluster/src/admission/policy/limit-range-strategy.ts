import type { FieldError } from '../../api/api-error.ts';
import type { ResourceStrategy } from '../../api/strategy.ts';
import type { ResourceList } from '../../controllers/wire/pod.ts';
import { amountOf } from '../amounts.ts';
import { invalidValue } from '../field-errors.ts';

interface Item {
  readonly min?: ResourceList;
  readonly max?: ResourceList;
  readonly default?: ResourceList;
  readonly defaultRequest?: ResourceList;
}

/** Contradictory bounds would refuse every pod. */
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
    ...orderErrors(item, 'min', 'defaultRequest', field, true),
    ...orderErrors(item, 'min', 'default', field, true),
  ];
}

const NAMES: Readonly<Record<keyof Item, string>> = { min: 'min', max: 'max', default: 'default', defaultRequest: 'default request' };

/** @param blamesGreater reports the greater of the two as invalid */
function orderErrors(item: Item, lesser: keyof Item, greater: keyof Item, field: string, blamesGreater = false): FieldError[] {
  return Object.entries(item[lesser] ?? {}).flatMap(([resource, text]) => {
    const low = amountOf(item[lesser], resource);
    const high = amountOf(item[greater], resource);
    if (low === undefined || high === undefined || low.nano <= high.nano) return [];
    const upper = item[greater]?.[resource] ?? '';
    const why = `${NAMES[lesser]} value ${text} is greater than ${NAMES[greater]} value ${upper}`;
    const wrong = blamesGreater ? greater : lesser;
    // The error for a default request shows its own amount, all others the lesser one.
    return [invalidValue(`${field}.${wrong}[${resource}]`, wrong === 'defaultRequest' && blamesGreater ? upper : text, why)];
  });
}
