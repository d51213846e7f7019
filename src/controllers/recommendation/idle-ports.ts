import type { IdleRules } from '../../core/resize/policy/idle-rules.ts';
import type { Activity } from '../../core/resize/model/idle-tracker.ts';
import type { Instant } from '#kube/units';
import type { WorkloadKey, WorkloadRecord } from '#kube/records/workload';

/** Whoever knows how long workloads have been quiet. */
export interface IdleSource {
  /** features.idleWorkloads */
  readonly enabled: boolean;
  watch(workload: WorkloadRecord, rules: IdleRules | null, now: Instant): Promise<void>;
  activityOf(key: WorkloadKey): Activity | null;
  forget(key: WorkloadKey): void;
}
