import type { PodRecord } from '#kube/records/pod';
import { FIELD, greaterValues, withAmount, type Values } from '../../model/container-values.ts';
import type { DueChange } from '../due/due-changes.ts';

/**
 * Values for a pod that may have been created with more: it keeps the greater amounts of resources that are due to be raised. The values in
 * force no longer suffice for them, and the raise may wait, for example for an approval or for capacity.
 */
export function keepGreater(values: Values, pod: PodRecord, due: readonly DueChange[]): Values {
  const result = new Map(values);
  for (const { container, resource, direction } of due) {
    const wanted = result.get(container);
    const present = pod.containers.find(({ name }) => name === container);
    if (direction !== 'raise' || wanted === undefined || present === undefined) continue;
    const greater = greaterValues(wanted, present);
    result.set(container, {
      requests: withAmount(wanted.requests, resource, greater.requests[FIELD[resource]]),
      limits: withAmount(wanted.limits, resource, greater.limits[FIELD[resource]]),
    });
  }
  return result;
}
