import type { LimitRangeRecord } from '../../model/cluster-records.ts';
import type { ExplanationStep } from '../../model/explanation-step.ts';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';
import type { Bytes, Instant, Millicores } from '#kube/units';
import type { ContainerAdvice } from '../../recommender/advice.ts';
import type { ContainerPolicy } from '../policy/policy-rules.ts';

/** Current values, recommended target and inputs of one container. */
export interface ContainerPlan {
  readonly name: string;
  /** Requests and limits of most pods. */
  readonly current: RequestsAndLimits;
  /** Base of a change: the values that Evenkeel applied last, else those of most pods. */
  readonly inForce: RequestsAndLimits;
  /** null without a recommendation, for example after too few samples. */
  readonly target: ContainerTarget | null;
  readonly advice: ContainerAdvice | null;
  readonly policy: ContainerPolicy;
  /** Inputs of `target`, to compute it again with one input changed; null where `target` is null. */
  readonly targetInputs: TargetInputs | null;
  /** Values for the pod that was OOM-killed at its limit; absent or null: the target. */
  readonly killedPod?: RequestsAndLimits | null;
  /** CPU request of a hot replica, which is raised alone; absent or null: no replica is hot. */
  readonly hotCpu?: Millicores | null;
  /** The target without the bounds of an autoscaler that measures utilization against the request, and the reason for the bound. */
  readonly withoutAutoscaler?: { readonly target: ContainerTarget; readonly reason: string };
}

/** Recommended requests and limits with the steps that explain them. */
export interface ContainerTarget extends RequestsAndLimits {
  readonly steps: readonly ExplanationStep[];
  /** Reason of the memory limit's value, as a message; null without a memory limit. */
  readonly memoryLimitReason: string | null;
}

/** What measured throttling allows for the CPU limit of a container. */
export interface CpuLimitStep {
  /** The limit to raise to now; null: not now. */
  readonly raisedTo: Millicores | null;
  /** Whether a step can follow by itself: throttling is measured, and neither the bound nor the number of steps is reached. */
  readonly isPossible: boolean;
  /** The raise only restores the limit of the template: it is urgent and does not count as a step. */
  readonly isReturn: boolean;
}

/** Everything that the target of one container is computed from. */
export interface TargetInputs {
  readonly now: Instant;
  readonly current: RequestsAndLimits;
  readonly advice: ContainerAdvice;
  readonly policy: ContainerPolicy;
  /** The pod has QoS class Guaranteed: its requests and limits stay equal, since Kubernetes forbids a resize to change the class. */
  readonly guaranteed: boolean;
  readonly limitRanges: readonly LimitRangeRecord[];
  /** Memory limits may fall (the kubelets are new enough, and no restart is asked for). */
  readonly memoryLimitMayFall: boolean;
  readonly memoryLimitLoweredAt: Instant | null;
  /** Upper bound for raises of the memory limit in bytes; a limit above it is kept. null or absent: no bound. */
  readonly memoryLimitBound?: number | null;
  /** The greatest CPU request: the workload's ceiling, else the policy's `max`. null or absent: there is none. */
  readonly maxCpuRequest?: Millicores | null;
  /** The CPU limit as deployed; null or absent: the template sets none. */
  readonly templateCpuLimit?: Millicores | null;
  /** Smallest memory limit that OOM kills justify within `oom.maxBumps`; 0 or absent: none. */
  readonly minLimitByKills?: Bytes;
  /** A memory leak is suspected: request and limit stay as deployed. */
  readonly leaks?: boolean;
  /** Values in the workload's template; absent for a container that is not in the template, such as an injected sidecar. */
  readonly deployed?: RequestsAndLimits;
  /** Raise that measured throttling allows; absent: none. */
  readonly cpuLimitStep?: CpuLimitStep;
  /** Approved baselines: limits that a user approved and that no rule lowers. */
  readonly minLimits?: OptionalResources;
  /** GOMAXPROCS: CPUs that a Go program uses at once; null or absent: unknown. */
  readonly goMaxProcs?: number | null;
}
