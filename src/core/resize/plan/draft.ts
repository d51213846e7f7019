// A decision while it is made: the situation with the memory so far, and the steps and Events.

import type { ResizeMode } from '../../../apis/conditions.ts';
import { outcome, type Outcome } from '../model/decision.ts';
import type { ContainerPlan } from '../model/container-plan.ts';
import type { Values } from '../model/container-values.ts';
import type { DecisionEvent } from '../model/decision-event.ts';
import type { ResizeStep } from '../model/resize-step.ts';
import type { ResizeMemory, WorkloadSituation } from '../model/situation.ts';
import { modeInForce } from '../policy/policy-rules.ts';
import type { DueChange } from './due/due-changes.ts';
import { summaryOf, listDueChanges, type PlanContext } from './plan-due-changes.ts';
import { describeAutoscalerBound } from './autoscalers/autoscaler-bounds.ts';
import { planContainers } from './plan-containers.ts';
import { withinQosClass } from './pod/qos-class.ts';

/** Collects memory, steps and Events of one decision. */
export class Draft {
  #context: WorkloadSituation;
  #containers: readonly ContainerPlan[];
  readonly mode: ResizeMode;
  readonly steps: ResizeStep[] = [];
  readonly events: DecisionEvent[] = [];

  constructor(context: WorkloadSituation) {
    this.#context = context;
    this.mode = modeInForce(context.policy, context.overrides);
    this.#containers = planContainers(context);
  }

  get context(): WorkloadSituation {
    return this.#context;
  }

  get containers(): readonly ContainerPlan[] {
    return this.#containers;
  }

  get memory(): ResizeMemory {
    return this.#context.memory;
  }

  get plan(): PlanContext {
    return { situation: this.#context, mode: this.mode, plans: this.#containers };
  }

  get isDryRun(): boolean {
    return this.#context.gateState.dryRun || this.#context.policy.dryRun;
  }

  /** Updates the memory. */
  remember(change: Partial<ResizeMemory>): void {
    this.#context = { ...this.#context, memory: { ...this.memory, ...change } };
  }

  /** Updates the memory where that changes the values in force: the plans are computed again from them. */
  recordEffectiveValues(change: Partial<ResizeMemory>): void {
    const { lastApplied = null } = change;
    const possible = lastApplied && { lastApplied: { ...lastApplied, values: withinQosClass(lastApplied.values, this.#context) } };
    this.remember({ ...change, ...possible });
    this.#containers = planContainers(this.#context);
  }

  /** Restores an earlier memory, which discards the decisions since then. */
  restore(memory: ResizeMemory): void {
    this.#context = { ...this.#context, memory };
    this.#containers = planContainers(this.#context);
  }

  /** Changes that are due. @param values approved values to use instead of the recommended ones */
  due(values?: Values): readonly DueChange[] {
    return listDueChanges(this.plan, values);
  }

  summary(values?: Values): string {
    return summaryOf(this.plan, values);
  }

  /** Outcome where no change is due. What an autoscaler does not allow is no pending change: the message reports it. */
  unchanged(): Outcome {
    const { lastApplied, rolledBack } = this.memory;
    const isApplied = lastApplied !== null && rolledBack?.at !== lastApplied.at;
    const bound = describeAutoscalerBound(this.containers, this.context.now);
    const message = ['within the dead band', ...(bound === null ? [] : [bound])].join('; ');
    return isApplied ? outcome('applied', null, `in force and ${message}`) : outcome('optimal', null, message);
  }
}
