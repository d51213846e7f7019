import type { ResourceStrategy } from '../api/strategy.ts';
import { invalidValue } from './field-errors.ts';

/** An event is in the namespace of its involved object; for a cluster-scoped object in `default` or `kube-system`. */
export const eventStrategy: ResourceStrategy = {
  validate({ metadata, ...event }) {
    const { namespace = '' } = (event['involvedObject'] ?? {}) as { namespace?: string };
    const mayBe = namespace === '' ? ['default', 'kube-system'] : [namespace];
    if (mayBe.includes(metadata.namespace ?? '')) return [];
    return [invalidValue('involvedObject.namespace', namespace, 'does not match event.namespace')];
  },
};
