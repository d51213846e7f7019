import { workloadKey } from '#kube/records/workload';
import type { ClusterReader } from '../../../ports/cluster/cluster-reader.ts';
import type { EventRecorder, EventSpec } from '../../../ports/cluster/event-recorder.ts';

/**
 * Records Events of workloads and repeats each on the workload's Recommendation, so that `kubectl describe` shows it on both. Other Events
 * are recorded once.
 */
export class WorkloadEvents implements EventRecorder {
  readonly #recorder: EventRecorder;
  readonly #cluster: Pick<ClusterReader, 'findRecommendation'>;

  constructor(recorder: EventRecorder, cluster: Pick<ClusterReader, 'findRecommendation'>) {
    this.#recorder = recorder;
    this.#cluster = cluster;
  }

  record(event: EventSpec): void {
    this.#recorder.record(event);
    const { namespace, kind, name } = event.subject;
    if (namespace === null) return;
    const recommendation = this.#cluster.findRecommendation(workloadKey({ namespace, kind, name }));
    if (recommendation?.metadata.uid === undefined) return;
    const { apiVersion, metadata } = recommendation;
    this.#recorder.record({
      ...event,
      subject: { apiVersion, kind: recommendation.kind, namespace, name: metadata.name, uid: recommendation.metadata.uid },
    });
  }
}
