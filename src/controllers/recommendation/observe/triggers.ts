// What enqueues a workload, besides the policy's interval, and besides OOM kills, CPU pressure and use of an idled workload
// (cmd/controller/reconcilers.ts).

import { HPA_ANNOTATIONS } from '../../../apis/annotations.ts';
import { fingerprintIntent } from '../../../core/overrides/intent.ts';
import type { ClusterChange, ClusterReader } from '../../../ports/cluster/cluster-reader.ts';
import { SECOND_MS, type DurationMs } from '#kube/units';
import type { WorkloadKey } from '#kube/records/workload';

/** Pods and HPAs change in bursts (a resize is three updates of a pod), which one reconcile handles together. */
const BURST_MS: DurationMs = 5 * SECOND_MS;
const AFTER_WORKLOAD_MS: DurationMs = SECOND_MS;

/**
 * Enqueues a workload when an object changes that its decision depends on. Changes of quotas, LimitRanges and nodes wait for the
 * policy's interval.
 * @returns a function that ends the subscription
 */
export function watchWorkloads(
  cluster: Pick<ClusterReader, 'subscribe' | 'findRecommendation' | 'findWorkload' | 'hpasOf'>,
  enqueue: (workload: WorkloadKey, afterMs: DurationMs) => void,
): () => void {
  const generations = new Map<WorkloadKey, number | undefined>();
  const autoscalers = new AutoscalerTargets(cluster);
  const intents = new Map<WorkloadKey, string>();
  /** Whether the user requests in the workload's annotations have changed. */
  const hasNewIntent = (key: WorkloadKey): boolean => {
    const workload = cluster.findWorkload(key);
    const before = intents.get(key) ?? '';
    const current = workload === undefined ? '' : fingerprintIntent(workload.annotations);
    if (current === '') intents.delete(key);
    else intents.set(key, current);
    return current !== before;
  };
  const onChange = (change: ClusterChange): void => {
    if (change.kind === 'pod' && change.workload !== null) enqueue(change.workload, BURST_MS);
    else if (change.kind === 'workload') enqueue(change.key, hasNewIntent(change.key) ? 0 : AFTER_WORKLOAD_MS);
    else if (change.kind === 'vpa' || change.kind === 'scaledobject') {
      for (const workload of change.workloads) enqueue(workload, AFTER_WORKLOAD_MS);
    } else if (change.kind === 'hpa') {
      for (const workload of change.workloads) if (autoscalers.hasChanged(workload)) enqueue(workload, BURST_MS);
    } else if (change.kind === 'recommendation') {
      // User requests change the generation; a status that Evenkeel writes does not, and enqueues nothing.
      const generation = cluster.findRecommendation(change.workload)?.metadata.generation;
      const isChanged = generation === undefined || generations.get(change.workload) !== generation;
      if (generation === undefined) generations.delete(change.workload);
      else generations.set(change.workload, generation);
      if (isChanged) enqueue(change.workload, 0);
    }
  };
  return cluster.subscribe(onChange);
}

/** Detects changed targets of autoscalers: an autoscaler also updates its measured values every few seconds, which enqueue nothing. */
class AutoscalerTargets {
  readonly #cluster: Pick<ClusterReader, 'hpasOf'>;
  readonly #targets = new Map<WorkloadKey, string>();

  constructor(cluster: Pick<ClusterReader, 'hpasOf'>) {
    this.#cluster = cluster;
  }

  /** Whether the targets of a workload's autoscalers differ from those at the previous call. */
  hasChanged(workload: WorkloadKey): boolean {
    const current = this.#cluster
      .hpasOf(workload)
      .map(({ name, resourceMetrics, annotations, desiredReplicas, currentReplicas }) =>
        JSON.stringify([name, resourceMetrics, annotations[HPA_ANNOTATIONS.original] ?? null, desiredReplicas === currentReplicas]),
      )
      .join('\n');
    const before = this.#targets.get(workload) ?? '';
    if (current === '') this.#targets.delete(workload);
    else this.#targets.set(workload, current);
    return current !== before;
  }
}
