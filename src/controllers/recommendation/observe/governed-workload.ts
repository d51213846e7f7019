import type { WorkloadKey, WorkloadRecord } from '#kube/records/workload';
import type { WorkloadGovernance } from '../../../state/policy-resolver.ts';
import type { RecommendationPorts } from '../ports.ts';

export interface GovernedWorkload {
  readonly key: WorkloadKey;
  readonly workload: WorkloadRecord;
  readonly governance: WorkloadGovernance;
}

/** @returns null where the workload or its namespace is gone or being deleted, or where the workload is out of scope */
export function findGovernedWorkload(
  { cluster, policies }: Pick<RecommendationPorts, 'cluster' | 'policies'>,
  key: WorkloadKey,
): GovernedWorkload | null {
  const workload = cluster.findWorkload(key);
  if (workload?.deletionAt !== null) return null;
  // The API server creates no object in a namespace that is being deleted.
  if ((cluster.findNamespace(workload.namespace)?.deletionAt ?? null) !== null) return null;
  const governance = policies.governanceOf(workload);
  return governance.outOfScope ? null : { key, workload, governance };
}
