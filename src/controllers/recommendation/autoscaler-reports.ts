import { HPA_ANNOTATIONS } from '../../apis/annotations.ts';
import type { WorkloadKey } from '#kube/records/workload';
import type { ClusterReader } from '../../ports/cluster-reader.ts';

/** Tells a target that somebody set from the measurements that an autoscaler writes down every few seconds. */
export class AutoscalerReports {
  readonly #cluster: Pick<ClusterReader, 'hpasOf'>;
  readonly #seen = new Map<WorkloadKey, string>();

  constructor(cluster: Pick<ClusterReader, 'hpasOf'>) {
    this.#cluster = cluster;
  }

  /** Whether the targets of a workload's autoscalers are others than when it was last asked. */
  hasNewReport(workload: WorkloadKey): boolean {
    const now = this.#cluster
      .hpasOf(workload)
      .map(({ name, resourceMetrics, annotations, desiredReplicas, currentReplicas }) =>
        JSON.stringify([name, resourceMetrics, annotations[HPA_ANNOTATIONS.original] ?? null, desiredReplicas === currentReplicas]),
      )
      .join('\n');
    const before = this.#seen.get(workload) ?? '';
    if (now === '') this.#seen.delete(workload);
    else this.#seen.set(workload, now);
    return now !== before;
  }
}
