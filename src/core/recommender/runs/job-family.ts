// Runs of the same work have different names: a CronJob's are recognised by their owner, others by what `generateName` adds.

import { isWorkloadOfKind, parseWorkloadKey, workloadKey, type WorkloadKey } from '#kube/records/workload';

/** The letters that the API server makes names of. */
const GENERATED = /-[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/** Whether usage of its pods is counted by runs. */
export function endsByItself(workload: WorkloadKey): boolean {
  return isWorkloadOfKind(workload, 'Job') || isWorkloadOfKind(workload, 'CronJob');
}

/** One key for all runs of the same work. */
export function jobFamily(workload: WorkloadKey): WorkloadKey {
  if (!isWorkloadOfKind(workload, 'Job')) return workload;
  const { namespace, kind, name } = parseWorkloadKey(workload);
  return GENERATED.test(name) ? workloadKey({ namespace, kind, name: name.replace(GENERATED, '-*') }) : workload;
}
