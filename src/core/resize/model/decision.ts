// The result of a decision about one workload.

import type { AwaitingReason, BlockedReason, RecommendationState, ResizeMode } from '../../../apis/conditions.ts';
import type { ApprovedCeiling } from './limit-exception.ts';
import type { FollowedAutoscaler } from '../../hpa/follow-targets.ts';
import type { PodRecord } from '#kube/records/pod';
import type { DurationMs, Instant } from '#kube/units';
import type { ResizeStep } from './resize-step.ts';
import { pickByRank, type Waiting } from './waiting.ts';
import type { ResizeMemory } from './situation.ts';
import type { ContainerPlan } from './container-plan.ts';
import type { DecisionEvent } from './decision-event.ts';

/** State to report, memory to store, and the writes to make now. */
export interface WorkloadDecision {
  readonly state: RecommendationState;
  readonly reason: AwaitingReason | BlockedReason | 'rejected' | null;
  readonly message: string;
  /** Earliest next attempt; null: unknown. */
  readonly until: Instant | null;
  readonly mode: ResizeMode;
  readonly containers: readonly ContainerPlan[];
  /** Stored in the Recommendation's status before any step is taken, so that a crash loses no change. */
  readonly memory: ResizeMemory;
  /** Resizes to make now, in order. */
  readonly steps: readonly ResizeStep[];
  /** Autoscalers whose targets follow the pods' requests, present ones and those of the steps. */
  readonly autoscalers: readonly FollowedAutoscaler[];
  /** Ceilings that a user approved, to write to the workload's annotation. */
  readonly ceilings?: readonly ApprovedCeiling[];
  /** Change of replicas for a workload that is idled or woken. */
  readonly scale?: ScaleStep;
  /** Pod to evict because its node has too little capacity for the target; null: none. */
  readonly evict: PodRecord | null;
  readonly events: readonly DecisionEvent[];
  /** Decision of each node size class, the class with the most pods first; absent where classes do not differ. */
  readonly classes?: readonly {
    readonly name: string;
    readonly pods: readonly PodRecord[];
    readonly decision: WorkloadDecision;
  }[];
  /** Delay after which the workload is decided again at the latest. */
  readonly reconcileAfterMs: DurationMs;
}

/** One change of a workload's replicas, or of a HorizontalPodAutoscaler's minReplicas. */
export interface ScaleStep {
  /** Name of the HorizontalPodAutoscaler whose minReplicas changes; null: the workload's replicas change. */
  readonly autoscaler: string | null;
  readonly from: number;
  /** Equal to `from`: the value stays, and idle mode removes its annotation from the autoscaler. */
  readonly to: number;
  readonly reason: string;
}

/** State, reason and message of a decision. */
export type Outcome = Pick<WorkloadDecision, 'state' | 'reason' | 'message' | 'until'>;

export function outcome(state: RecommendationState, reason: Outcome['reason'], message: string, until: Instant | null = null): Outcome {
  return { state, reason, message, until };
}

/** Outcome `awaiting` with the highest-ranked of `waits`; `otherwise` where `waits` is empty. */
export function outcomeOfWaiting(waits: readonly Waiting[], otherwise: Outcome): Outcome {
  const waiting = pickByRank(waits);
  return waiting === null ? otherwise : outcome('awaiting', waiting.reason, waiting.message, waiting.until);
}
