import { qosOf, valuesOf, withAmount, type Values } from '../../model/container-values.ts';
import type { WorkloadSituation } from '../../model/situation.ts';

/**
 * Keeps the QoS class of the pods, which no resize may change. Values that are merged from several times may have CPU and memory both at
 * their limits: then the CPU request of one container of a Burstable pod is set just below its limit.
 */
export function withinQosClass(values: Values, { pods, workload }: Pick<WorkloadSituation, 'pods' | 'workload'>): Values {
  const [pod] = pods;
  if ((pod?.qosClass ?? qosOf(workload.containers)) !== 'Burstable') return values;
  const all = new Map([...valuesOf(pod ?? workload), ...values]);
  if (qosOf([...all.values()]) !== 'Guaranteed') return values;
  const [first] = values;
  if (first === undefined) return values;
  const [name, { requests, limits }] = first;
  return new Map([...values, [name, { requests: withAmount(requests, 'cpu', (limits.cpuMillicores ?? 1) - 1), limits }]]);
}
