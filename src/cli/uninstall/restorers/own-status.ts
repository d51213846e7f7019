// The status of a workload's Recommendation, with which restorers compare records.

import { ownResource } from '../../../adapters/kubernetes/resources.ts';
import { ApiFault, isNotFound } from '../../../adapters/kubernetes/status.ts';
import { optionalObjectAt } from '../../../adapters/kubernetes/wire.ts';
import { PLURALS, type RecommendationStatus } from '../../../apis/v1alpha1/index.ts';
import type { WorkloadRef } from '#kube/records/workload';
import { recommendationName } from '../../../core/recommendations/recommendation-name.ts';
import type { ClusterAccess } from '../cluster-access.ts';

/** null where there is none, or the kind is not installed. @throws ApiFault */
export async function statusOf(
  cluster: ClusterAccess,
  { namespace, ...workload }: WorkloadRef,
  signal: AbortSignal,
): Promise<RecommendationStatus | null> {
  const name = recommendationName(workload);
  try {
    for await (const head of cluster.list(ownResource(PLURALS.Recommendation), signal, { namespace })) {
      if (head.name === name) return optionalObjectAt(head.wire, 'status');
    }
  } catch (err) {
    if (!(err instanceof ApiFault && isNotFound(err.failure))) throw err;
  }
  return null;
}
