import type { UsageSample, UsageSeries } from '#kube/records/usage';
import type { Bytes, Instant } from '#kube/units';
import type { WorkloadKey } from '#kube/records/workload';
import type { ContainerAdvice, RecommenderRules } from '../../core/recommender/advice.ts';
import type { BackfillResult, RecommenderCheckpoint } from '../../core/recommender/recommender.ts';

/** Sequence number of each worker at some time; opaque. `changedSince` returns the changes after it. */
export type SequenceNumbers = readonly number[];

/**
 * Computes recommendations from usage, in this thread or in workers. Observations are applied before later requests. A
 * request rejects while a worker restarts or does not answer; the caller retries later.
 */
export interface UsageRecommender {
  /** Records one sample of one container of one pod. */
  observe(workload: WorkloadKey, container: string, pod: string, sample: UsageSample): void;
  /**
   * Records an OOM kill.
   * @param limitBytes in force at the kill; null: there was none
   * @param workingSetBytes the last one before the kill; null: not measured. Absent: the limit was reached
   */
  observeOom(workload: WorkloadKey, container: string, at: Instant, limitBytes: Bytes | null, workingSetBytes?: Bytes | null): void;
  /** Records the version that a workload runs: another one than before, also before a restart, is a roll-out. @param version a hash, not 0 */
  observeVersion(workload: WorkloadKey, version: number, at: Instant): void;
  /** Learns from recorded usage; all series of one workload belong in one call. */
  backfill(series: readonly UsageSeries[]): Promise<BackfillResult>;
  /** Advice for the containers that have rules and usage or kills, sorted by name. */
  advise(workload: WorkloadKey, now: Instant, rules: ReadonlyMap<string, RecommenderRules>): Promise<readonly ContainerAdvice[]>;
  /** Current sequence numbers, for `changedSince`. */
  sequenceNumbers(): Promise<SequenceNumbers>;
  /** Checkpoints of the containers that changed since, in batches; null: of all containers. */
  changedSince(sequenceNumbers: SequenceNumbers | null): AsyncIterable<readonly RecommenderCheckpoint[]>;
  /** Checkpoints of some containers, by their keys; without those of which there is no model. */
  checkpointsOf(keys: readonly string[]): Promise<readonly RecommenderCheckpoint[]>;
  /** Loads checkpoints, and merges what was learnt meanwhile into them. `refused`: checkpoints that cannot be decoded. */
  restore(checkpoints: readonly RecommenderCheckpoint[]): Promise<{ readonly restored: number; readonly refused: number }>;
  /** Deletes a workload. Returns the keys of its checkpoints, which the caller deletes. */
  forget(workload: WorkloadKey): Promise<readonly string[]>;
  /** Workloads with usage, kills or rollouts. */
  workloads(): Promise<readonly WorkloadKey[]>;
}
