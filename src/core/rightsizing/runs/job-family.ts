// Runs of the same work have names of their own: a CronJob's are told by their owner, others by what `generateName` adds.

import { parseWorkloadKey, workloadKey, type WorkloadKey } from '../../model/workload.ts';

/** The letters that the API server makes names of. */
const GENERATED = /-[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/** Whether usage of its pods is counted by runs. */
export function endsByItself(workload: WorkloadKey): boolean {
  const { kind } = parseWorkloadKey(workload);
  return kind === 'Job' || kind === 'CronJob';
}

/** One key for all runs of the same work. */
export function jobFamily(workload: WorkloadKey): WorkloadKey {
  const { namespace, kind, name } = parseWorkloadKey(workload);
  return kind === 'Job' && GENERATED.test(name) ? workloadKey({ namespace, kind, name: name.replace(GENERATED, '-*') }) : workload;
}
