// A decision in the making: the context with what is remembered so far, and the steps and events that follow from it.

import type { ResizeMode } from '../../../apis/conditions.ts';
import { outcome, type Outcome } from '../model/decision.ts';
import type { ContainerPlan } from '../model/container-plan.ts';
import type { Values } from '../model/container-values.ts';
import type { DecisionNote } from '../model/decision-note.ts';
import type { ResizeStep } from '../model/resize-step.ts';
import type { ResizeMemory, WorkloadSituation } from '../model/situation.ts';
import { modeInForce } from '../policy/policy-rules.ts';
import type { DueChange } from './due-changes.ts';
import { summaryOf, whatIsDue, type PlanContext } from './plan-due-changes.ts';
import { planContainers } from './plan-containers.ts';

export class Draft {
  #context: WorkloadSituation;
  #containers: readonly ContainerPlan[];
  readonly mode: ResizeMode;
  readonly steps: ResizeStep[] = [];
  readonly notes: DecisionNote[] = [];

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

  remember(change: Partial<ResizeMemory>): void {
    this.#context = { ...this.#context, memory: { ...this.memory, ...change } };
  }

  /** The same, where it changes what is in force: sizes are computed anew from that. */
  rememberInForce(change: Partial<ResizeMemory>): void {
    this.remember(change);
    this.#containers = planContainers(this.#context);
  }

  /** Remembers what was remembered earlier: what was decided since is not done. */
  restore(memory: ResizeMemory): void {
    this.#context = { ...this.#context, memory };
    this.#containers = planContainers(this.#context);
  }

  /** @param values approved ones in place of the recommended */
  due(values?: Values): readonly DueChange[] {
    return whatIsDue(this.plan, values);
  }

  summary(values?: Values): string {
    return summaryOf(this.plan, values);
  }

  /** Nothing is to be changed. */
  unchanged(): Outcome {
    const { lastApplied, rolledBack } = this.memory;
    const isApplied = lastApplied !== null && rolledBack?.at !== lastApplied.at;
    return isApplied ? outcome('applied', null, 'in force and inside the tolerance') : outcome('optimal', null, 'inside the tolerance');
  }
}
