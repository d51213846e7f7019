// HorizontalPodAutoscaler of a workload's life. It scales on CPU utilization alone, and its target follows the requests.

import { HPA_ANNOTATIONS } from '../../../src/apis/annotations.ts';
import { moveFor, type FollowedAutoscaler, type FollowPhase } from '../../../src/core/hpa/follow-targets.ts';
import { targetsAnnotation } from '../original-annotations.ts';
import { meanRequest } from '../../../src/core/hpa/scale-point.ts';
import type { HpaRecord } from '../../../src/core/model/cluster-records.ts';
import { EFFECTS_MANAGER } from '../../../src/core/model/field-managers.ts';
import type { PodRecord } from '#kube/records/pod';
import type { Instant, Millicores } from '#kube/units';
import { anHpaRecord } from '../rightsizing.ts';

export interface AutoscalerOptions {
  /** Target utilization, in percent of the request. */
  readonly percent: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

/** Tolerance of the kube-controller-manager: a smaller deviation does not scale. */
const TOLERANCE = 0.1;

/** An autoscaler that scales as the kube-controller-manager does, and whose target Evenkeel adjusts. */
export class LifeAutoscaler {
  #hpa: HpaRecord;

  constructor({ percent, ...replicas }: AutoscalerOptions, createdAt: Instant) {
    const count = { currentReplicas: replicas.minReplicas, desiredReplicas: replicas.minReplicas };
    this.#hpa = anHpaRecord({ ...replicas, ...count, createdAt, metrics: [{ percent }] });
  }

  get record(): HpaRecord {
    return this.#hpa;
  }

  /**
   * Replica count after this sync. https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/#algorithm-details
   */
  scale(pods: readonly PodRecord[], meanCpu: Millicores, now: Instant): number {
    const [metric] = this.#hpa.resourceMetrics;
    const request = meanRequest(pods, { resource: 'cpu', container: null }) ?? 0;
    const ratio = request === 0 ? 1 : meanCpu / request / (metric?.targetUtilizationRatio ?? 1);
    const wanted = Math.abs(ratio - 1) <= TOLERANCE ? pods.length : Math.ceil(pods.length * ratio);
    const replicas = Math.min(this.#hpa.maxReplicas, Math.max(this.#hpa.minReplicas, wanted));
    const scaled = replicas === pods.length ? {} : { lastScaleAt: now };
    this.#hpa = { ...this.#hpa, currentReplicas: replicas, desiredReplicas: replicas, ...scaled };
    return replicas;
  }

  /** Writes the targets of a decision. */
  follow(all: readonly FollowedAutoscaler[], pods: readonly PodRecord[], phase: FollowPhase): void {
    for (const followed of all) {
      const move = moveFor(followed, this.#hpa, pods, phase);
      if (move === null) continue;
      const resourceMetrics = this.#hpa.resourceMetrics.map((metric) => {
        const to = move.moves.find((candidate) => candidate.metric.index === metric.index)?.to;
        return to === undefined ? metric : { ...metric, targetUtilizationRatio: to / 100 };
      });
      const annotations = move.original === null ? {} : { [HPA_ANNOTATIONS.original]: targetsAnnotation(move.original, 0) };
      const metricsWriter = move.moves.length === 0 ? this.#hpa.metricsWriter : EFFECTS_MANAGER;
      this.#hpa = { ...this.#hpa, resourceMetrics, annotations, metricsWriter };
    }
  }
}
