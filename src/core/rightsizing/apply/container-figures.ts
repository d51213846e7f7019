import type { RequestsAndLimits } from '../../model/resources.ts';
import type { ContainerAdvice } from '../advice.ts';
import type { ContainerPolicy } from '../policy/policy-rules.ts';
import type { ContainerTarget, TargetInputs } from './container-target.ts';

/** One container's figures. */
export interface ContainerFigures {
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
  /** What the target would be but for an autoscaler that measures against the request, and why it is not. */
  readonly beyondAutoscaler?: { readonly target: ContainerTarget; readonly because: string };
}
