import type { ResourceStrategy } from '../../api/strategy.ts';
import { forbiddenField, invalidValue } from '../field-errors.ts';
import { immutableErrors } from '../workloads/template-rules.ts';

/** Greater values are reserved for system classes. */
const HIGHEST_USER_PRIORITY = 1_000_000_000;
const SYSTEM_CLASSES: ReadonlySet<string> = new Set(['system-node-critical', 'system-cluster-critical']);

export const priorityClassStrategy: ResourceStrategy = {
  validate(object, old) {
    const { name } = object.metadata;
    const value = Number(object['value']);
    if (old !== null) {
      return [
        ...immutableErrors('value', object['value'], old['value']),
        ...immutableErrors('preemptionPolicy', object['preemptionPolicy'], old['preemptionPolicy']),
      ];
    }
    if (name.startsWith('system-') && !SYSTEM_CLASSES.has(name)) {
      return [invalidValue('metadata.name', name, 'priority class names with `system-` prefix are reserved for system use only')];
    }
    if (value > HIGHEST_USER_PRIORITY && !SYSTEM_CLASSES.has(name)) {
      return [forbiddenField('value', `maximum allowed value of a user defined priority is ${String(HIGHEST_USER_PRIORITY)}`)];
    }
    return [];
  },
};
