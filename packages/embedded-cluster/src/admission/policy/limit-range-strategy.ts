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
    ...orderErrors(item, 'min', 'defaultRequest', field, true),
    ...orderErrors(item, 'min', 'default', field, true),
  ];
}

const NAMES: Readonly<Record<keyof Item, string>> = { min: 'min', max: 'max', default: 'default', defaultRequest: 'default request' };

/** @param blamesGreater names the greater of the two as the one that is wrong */
function orderErrors(item: Item, lesser: keyof Item, greater: keyof Item, field: string, blamesGreater = false): FieldError[] {
  return Object.entries(item[lesser] ?? {}).flatMap(([resource, text]) => {
    const low = amountOf(item[lesser], resource);
    const high = amountOf(item[greater], resource);
    if (low === undefined || high === undefined || low.nano <= high.nano) return [];
    const upper = item[greater]?.[resource] ?? '';
    const why = `${NAMES[lesser]} value ${text} is greater than ${NAMES[greater]} value ${upper}`;
    const wrong = blamesGreater ? greater : lesser;
    // Of the default request its own amount is shown, of all others the lesser one.
    return [invalidValue(`${field}.${wrong}[${resource}]`, wrong === 'defaultRequest' && blamesGreater ? upper : text, why)];
  });
}
