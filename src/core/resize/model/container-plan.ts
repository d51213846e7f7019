import type { LimitRangeRecord } from '../../model/cluster-records.ts';
import type { ExplanationStep } from '../../model/explanation-step.ts';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';
import type { Bytes, Instant, Millicores } from '#kube/units';
import type { ContainerAdvice } from '../../recommender/advice.ts';
import type { ContainerPolicy } from '../policy/policy-rules.ts';

/** One container's figures. */
export interface ContainerPlan {
  readonly name: string;
  /** What most pods have. */
  readonly current: RequestsAndLimits;
  /** What changes start from: what Evenkeel has put in force, else what most pods have. */
  readonly inForce: RequestsAndLimits;
  /** null while too little is known of it. */
  readonly target: ContainerTarget | null;
  readonly advice: ContainerAdvice | null;
  readonly policy: ContainerPolicy;
  /** What `target` was made from, so that a part of it can be made again; null where `target` is. */
  readonly targetInputs: TargetInputs | null;
  /** What a pod gets that was OOM-killed at its limit; absent or null: no more than the target. */
  readonly killedPod?: RequestsAndLimits | null;
  /** CPU request of a replica that uses far more than the others and is raised alone; absent or null: none is. */
  readonly hotCpu?: Millicores | null;
  /** What the target would be but for an autoscaler that measures against the request, and why it is not. */
  readonly beyondAutoscaler?: { readonly target: ContainerTarget; readonly because: string };
}

export interface ContainerTarget extends RequestsAndLimits {
  readonly steps: readonly ExplanationStep[];
  /** Why the memory limit has its value, as a message; null where there is none. */
  readonly memoryLimitReason: string | null;
}

/** What measured throttling allows for the CPU limit of a container. */
export interface CpuLimitStep {
  /** The limit to raise to now; null: not now. */
  readonly raisedTo: Millicores | null;
  /** Whether a step can follow by itself: throttling is measured, and neither the bound nor the number of steps is reached. */
  readonly isPossible: boolean;
  /** It only goes back to the limit of the template, which is urgent and no step. */
  readonly isReturn: boolean;
}

export interface TargetInputs {
  readonly now: Instant;
  readonly current: RequestsAndLimits;
  readonly advice: ContainerAdvice;
  readonly policy: ContainerPolicy;
  /** Requests and limits of the pod are equal and must stay so. */
  readonly guaranteed: boolean;
  readonly limitRanges: readonly LimitRangeRecord[];
  /** Memory limits may fall (the kubelets are new enough, and no restart is asked for). */
  readonly memoryLimitMayFall: boolean;
  readonly memoryLimitLoweredAt: Instant | null;
  /** No memory limit is raised past it; one that is above it already stays. null or absent: nothing bounds it. */
  readonly memoryLimitBound?: number | null;
  /** The greatest CPU request: the workload's ceiling, else the policy's `max`. null or absent: there is none. */
  readonly maxCpuRequest?: Millicores | null;
  /** The CPU limit as deployed; null or absent: the template sets none. */
  readonly templateCpuLimit?: Millicores | null;
  /** The least limit that OOM kills prove, as far as `oom.maxBumps` lets them; 0 or absent: none. */
  readonly oomNeed?: Bytes;
  /** Its memory grows without end: request and limit stay as deployed. */
  readonly leaks?: boolean;
  /** As the workload's template has it; absent for a container that only the pods have. */
  readonly deployed?: RequestsAndLimits;
  /** What measured throttling allows; absent: nothing. */
  readonly cpuLimitStep?: CpuLimitStep;
  /** Limits that a person has approved: no rule takes them back. */
  readonly minLimits?: OptionalResources;
  /** GOMAXPROCS: CPUs that a Go program uses at once; null or absent: unknown. */
  readonly goMaxProcs?: number | null;
}
