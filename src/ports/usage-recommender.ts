import type { UsageSample, UsageSeries } from '#kube/records/usage';
import type { Bytes, Instant } from '#kube/units';
import type { WorkloadKey } from '#kube/records/workload';
import type { ContainerAdvice, RecommenderRules } from '../core/recommender/advice.ts';
import type { BackfillResult, RecommenderCheckpoint } from '../core/recommender/recommender.ts';

/** How far each part of a learner had come: opaque, good for asking later what changed since. */
export type RecommenderMarks = readonly number[];

/**
 * Turns usage into advice, in this thread or in others. What is told is taken in before anything that is asked after it.
 * Questions reject while a part of it is being rebuilt or does not answer: ask again later.
 */
export interface UsageRecommender {
  /** Takes one sample of one container of one pod. */
  observe(workload: WorkloadKey, container: string, pod: string, sample: UsageSample): void;
  /**
   * Takes an OOM kill.
   * @param limitBytes in force at the death; null: there was none
   * @param workingSetBytes the last one before the death; null: not measured. Left out: the limit was hit
   */
  observeOom(workload: WorkloadKey, container: string, at: Instant, limitBytes: Bytes | null, workingSetBytes?: Bytes | null): void;
  /** A workload began to run another version. */
  noteChange(workload: WorkloadKey, at: Instant): void;
  /** Takes in recorded pasts; all series of one workload belong into one call. */
  backfill(series: readonly UsageSeries[]): Promise<BackfillResult>;
  /** Advice for the containers that have rules and of which anything is known, sorted by name. */
  advise(workload: WorkloadKey, now: Instant, rules: ReadonlyMap<string, RecommenderRules>): Promise<readonly ContainerAdvice[]>;
  marks(): Promise<RecommenderMarks>;
  /** State of the containers that changed since, in portions; no marks: of all. */
  changedSince(marks: RecommenderMarks | null): AsyncIterable<readonly RecommenderCheckpoint[]>;
  /** Takes over checkpoints unless as much is known already; answers how many could not be read. */
  restore(checkpoints: readonly RecommenderCheckpoint[]): Promise<{ readonly restored: number; readonly refused: number }>;
  /** Forgets a workload; answers the keys of its checkpoints, to be deleted. */
  forget(workload: WorkloadKey): Promise<readonly string[]>;
  /** Workloads of which anything is known. */
  workloads(): Promise<readonly WorkloadKey[]>;
}
