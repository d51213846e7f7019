/** One change of replicas, or of an autoscaler's least. */
export interface ScaleStep {
  /** Name of the HorizontalPodAutoscaler whose minReplicas it is; null: the workload's own replicas. */
  readonly autoscaler: string | null;
  readonly from: number;
  readonly to: number;
  readonly because: string;
}
