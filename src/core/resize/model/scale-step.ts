/** One change of a workload's replicas, or of a HorizontalPodAutoscaler's minReplicas. */
export interface ScaleStep {
  /** Name of the HorizontalPodAutoscaler whose minReplicas changes; null: the workload's replicas change. */
  readonly autoscaler: string | null;
  readonly from: number;
  /** Equal to `from`: the value stays, and idle mode removes its annotation from the autoscaler. */
  readonly to: number;
  readonly reason: string;
}
