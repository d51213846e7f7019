// Requests under a PodResizePolicy with all defaults, which delays changes within the tolerance, reductions without confidence or
// within the cool-down, and reductions during their canary. Urgent raises and the end of a temporary increase are not delayed.

import { MINUTE_MS, SECOND_MS, type Instant } from '#kube/units';
import type { RequestsAndLimits } from '#kube/records/resources';
import type { ContainerAdvice, Goal } from '../recommender/advice.ts';
import { dueChanges, type DueChange } from '../resize/plan/due/due-changes.ts';
import { DEFAULT_POLICY_RULES, defaultResourcePolicy, type ContainerPolicy } from '../resize/policy/policy-rules.ts';
import { type Resource, SLOT_SECONDS } from './time-grid.ts';

const SLOT_MS = SLOT_SECONDS * SECOND_MS;
/** Duration of the canary; the other replicas follow after it. */
const CANARY_SLOTS = (30 * MINUTE_MS) / SLOT_MS;
const COOLDOWN_SLOTS = DEFAULT_POLICY_RULES.cooldownMs / SLOT_MS;
const NO_LIMITS = { cpuMillicores: null, memoryBytes: null };

/** Advice with the slot from which it applies, and the time of that slot. */
export interface AdviceFrom {
  readonly at: Instant;
  readonly slot: number;
  readonly advice: ContainerAdvice;
}

/** Requests of all replicas by slot; NaN before the first advice. */
export function computeGatedRequests(
  length: number,
  firstSlot: number,
  advices: readonly AdviceFrom[],
  { resource, goal }: { readonly resource: Resource; readonly goal: Goal },
): Float64Array {
  const policy: ContainerPolicy = {
    ...DEFAULT_POLICY_RULES.container,
    cpu: defaultResourcePolicy('cpu', goal),
    memory: defaultResourcePolicy('memory', goal),
  };
  const requests = new Float64Array(length);
  const gate = new Gate(resource, policy);
  let next = 0;
  for (let index = 0; index < length; index++) {
    const slot = firstSlot + index;
    while ((advices[next]?.slot ?? Infinity) <= slot) next += 1;
    const latest = advices[next - 1];
    requests[index] = latest === undefined ? NaN : gate.requestAt(slot, latest.at + (slot - latest.slot) * SLOT_MS, latest.advice);
  }
  return requests;
}

class Gate {
  readonly #resource: Resource;
  readonly #policy: ContainerPolicy;
  #request = NaN;
  #changedAt = -Infinity;
  /** Request before a temporary increase; null: none is in force. */
  #beforeIncrease: number | null = null;
  /** A reduction in its canary, and the slot in which the other replicas follow. */
  #reduction: { readonly to: number; readonly at: number } | null = null;

  constructor(resource: Resource, policy: ContainerPolicy) {
    this.#resource = resource;
    this.#policy = policy;
  }

  requestAt(slot: number, now: Instant, advice: ContainerAdvice): number {
    const target = advice[this.#resource]?.target ?? NaN;
    if (Number.isNaN(this.#request)) this.#request = target;
    if (this.#reduction !== null && slot >= this.#reduction.at) {
      this.#set(this.#reduction.to, slot);
      this.#reduction = null;
    }
    const change = this.#dueChange(now, target, advice);
    this.#recordIncrease(change, (advice[this.#resource]?.increase ?? null) !== null);
    if (change === undefined) return this.#request;
    const endsIncrease = change.endsIncrease === true;
    const mayWait = !change.urgent && !endsIncrease;
    if (mayWait && slot - this.#changedAt < COOLDOWN_SLOTS) return this.#request;
    if (change.direction === 'raise' || endsIncrease) {
      this.#reduction = null;
      this.#set(target, slot);
    } else if (this.#reduction === null && change.confidence >= DEFAULT_POLICY_RULES.minConfidence[this.#resource]) {
      this.#reduction = { to: target, at: slot + CANARY_SLOTS };
    } else {
      return this.#request;
    }
    return this.#request;
  }

  #recordIncrease(change: DueChange | undefined, isIncreased: boolean): void {
    if (isIncreased && change?.direction === 'raise') this.#beforeIncrease ??= this.#request;
    if (!isIncreased && change?.endsIncrease !== true) this.#beforeIncrease = null;
  }

  #dueChange(now: Instant, target: number, advice: ContainerAdvice) {
    return dueChanges({
      now,
      container: advice.container,
      current: this.#amounts(this.#request),
      target: this.#amounts(target),
      advice,
      policy: this.#policy,
      cpuBeforeIncrease: this.#beforeIncrease,
    }).find(({ resource }) => resource === this.#resource);
  }

  #amounts(value: number): RequestsAndLimits {
    const amount = Number.isNaN(value) ? null : value;
    const requests = this.#resource === 'cpu' ? { ...NO_LIMITS, cpuMillicores: amount } : { ...NO_LIMITS, memoryBytes: amount };
    return { requests, limits: NO_LIMITS };
  }

  #set(value: number, slot: number): void {
    this.#request = value;
    this.#changedAt = slot;
  }
}
