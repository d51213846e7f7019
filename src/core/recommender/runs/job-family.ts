// Groups Jobs that run the same work: those of a CronJob by their owner, others by their `generateName`.

import { isWorkloadOfKind, parseWorkloadKey, workloadKey, type WorkloadKey } from '#kube/records/workload';

/** Suffix of `generateName`, from the API server's alphabet. */
const GENERATED = /-[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/** Whether usage is aggregated by run: Jobs and CronJobs. */
export function isBatchWorkload(workload: WorkloadKey): boolean {
  return isWorkloadOfKind(workload, 'Job') || isWorkloadOfKind(workload, 'CronJob');
}

/** The common key of all runs of the same work. */
export function jobFamily(workload: WorkloadKey): WorkloadKey {
  if (!isWorkloadOfKind(workload, 'Job')) return workload;
  const { namespace, kind, name } = parseWorkloadKey(workload);
  return GENERATED.test(name) ? workloadKey({ namespace, kind, name: name.replace(GENERATED, '-*') }) : workload;
}
