// What a decision about one workload consists of.

import type { AwaitingReason, BlockedReason, RecommendationState, ResizeMode } from '../../../apis/conditions.ts';
import type { ApprovedCeiling } from './limit-exception.ts';
import type { FollowedAutoscaler } from '../../hpa/follow-targets.ts';
import type { ScaleStep } from './scale-step.ts';
import type { PodRecord } from '#kube/records/pod';
import type { DurationMs, Instant } from '#kube/units';
import type { ResizeStep } from './resize-step.ts';
import { mostSpecific, type Waiting } from './waiting.ts';
import type { ResizeMemory } from './situation.ts';
import type { ContainerPlan } from './container-plan.ts';
import type { DecisionNote } from './decision-note.ts';

export interface WorkloadDecision {
  readonly state: RecommendationState;
  readonly reason: AwaitingReason | BlockedReason | 'rejected' | null;
  readonly message: string;
  /** Earliest next try; null where that is not known. */
  readonly until: Instant | null;
  readonly mode: ResizeMode;
  readonly containers: readonly ContainerPlan[];
  /** To be written down before any step is taken. */
  readonly memory: ResizeMemory;
  /** Resizes to make now, in order. */
  readonly steps: readonly ResizeStep[];
  /** Autoscalers whose targets are to follow the requests of the pods as they are and as the steps make them. */
  readonly autoscalers: readonly FollowedAutoscaler[];
  /** Ceilings that a person has approved, to be written onto the workload. */
  readonly ceilings?: readonly ApprovedCeiling[];
  /** A change of replicas, for a workload that falls idle or wakes. */
  readonly scale?: ScaleStep;
  /** A pod to evict because its node can never give it what it needs; null: none. */
  readonly evict: PodRecord | null;
  readonly notes: readonly DecisionNote[];
  /** What was decided of each class of nodes, that with the most pods first; absent where classes do not differ. */
  readonly classes?: readonly {
    readonly name: string;
    readonly pods: readonly PodRecord[];
    readonly decision: WorkloadDecision;
  }[];
  /** When to decide again at the latest. */
  readonly lookAgainInMs: DurationMs;
}

/** Where a decision has come to, in words. */
export type Outcome = Pick<WorkloadDecision, 'state' | 'reason' | 'message' | 'until'>;

export function outcome(state: RecommendationState, reason: Outcome['reason'], message: string, until: Instant | null = null): Outcome {
  return { state, reason, message, until };
}

/** The most telling of what is waited for; `otherwise` where nothing is. */
export function fromWaiting(waits: readonly Waiting[], otherwise: Outcome): Outcome {
  const waiting = mostSpecific(waits);
  return waiting === null ? otherwise : outcome('awaiting', waiting.reason, waiting.message, waiting.until);
}
