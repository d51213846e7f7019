/** One change of replicas, or of an autoscaler's least. */
export interface ScaleStep {
  /** Name of the HorizontalPodAutoscaler whose minReplicas it is; null: the workload's own replicas. */
  readonly autoscaler: string | null;
  readonly from: number;
  /** Same as `from`: the value stays, and idle mode leaves the note of the autoscaler. */
  readonly to: number;
  readonly because: string;
}
