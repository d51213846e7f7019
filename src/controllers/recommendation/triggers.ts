import { intentOf } from '../../core/overrides/intent.ts';
import type { ClusterChange, ClusterReader } from '../../ports/cluster-reader.ts';
import { AutoscalerReports } from './autoscaler-reports.ts';
import { SECOND_MS, type DurationMs } from '#kube/units';
import type { WorkloadKey } from '#kube/records/workload';

/** Pods change in bursts (a resize is three updates); one look afterwards sees them all. */
const AFTER_POD_MS: DurationMs = 5 * SECOND_MS;
const AFTER_WORKLOAD_MS: DurationMs = SECOND_MS;

/**
 * Enqueues a workload when something changed that its decision may depend on. Quotas, LimitRanges and nodes are
 * left to the policy's interval. Returns the cancel.
 */
export function watchWorkloads(
  cluster: Pick<ClusterReader, 'subscribe' | 'findRecommendation' | 'findWorkload' | 'hpasOf'>,
  enqueue: (workload: WorkloadKey, afterMs: DurationMs) => void,
): () => void {
  const generations = new Map<WorkloadKey, number | undefined>();
  const autoscalers = new AutoscalerReports(cluster);
  const intents = new Map<WorkloadKey, string>();
  /** Whether a person has said something new of it; what is seen for the first time is no news. */
  const hasNewReport = (key: WorkloadKey): boolean => {
    const workload = cluster.findWorkload(key);
    const before = intents.get(key) ?? '';
    const now = workload === undefined ? '' : intentOf(workload.annotations);
    if (now === '') intents.delete(key);
    else intents.set(key, now);
    return now !== before;
  };
  const onChange = (change: ClusterChange): void => {
    if (change.kind === 'pod' && change.workload !== null) enqueue(change.workload, AFTER_POD_MS);
    else if (change.kind === 'workload') enqueue(change.key, hasNewReport(change.key) ? 0 : AFTER_WORKLOAD_MS);
    else if (change.kind === 'vpa' || change.kind === 'scaledobject') {
      for (const workload of change.workloads) enqueue(workload, AFTER_WORKLOAD_MS);
    } else if (change.kind === 'hpa') {
      for (const workload of change.workloads) if (autoscalers.hasNewReport(workload)) enqueue(workload, AFTER_POD_MS);
    } else if (change.kind === 'recommendation') {
      // A wish moves the generation; our own status does not, and must not wake us.
      const generation = cluster.findRecommendation(change.workload)?.metadata.generation;
      const isNews = generation === undefined || generations.get(change.workload) !== generation;
      if (generation === undefined) generations.delete(change.workload);
      else generations.set(change.workload, generation);
      if (isNews) enqueue(change.workload, 0);
    }
  };
  return cluster.subscribe(onChange);
}
