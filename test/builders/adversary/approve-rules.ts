// Invariants of mode Approve at every moment of every life. They are computed here independently of the code under test.

import { hasSameValues, type Values } from '../../../src/core/resize/model/container-values.ts';
import type { PodRecord } from '#kube/records/pod';
import type { RequestsAndLimits } from '#kube/records/resources';
import { DAY_MS, MiB, MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { ResizeMemory, UserRequests } from '../../../src/core/resize/model/situation.ts';
import type { ContainerChange, ResizeStep } from '../../../src/core/resize/model/resize-step.ts';
import { containerMode, containerPolicyOf, modeInForce } from '../../../src/core/resize/policy/policy-rules.ts';
import type { UserAct } from './approve-lives.ts';
import type { LifeTick } from './workload-life.ts';

const PARTS = ['requests', 'limits'] as const;
const RESOURCES = ['cpuMillicores', 'memoryBytes'] as const;
type Part = (typeof PARTS)[number];
type Resource = (typeof RESOURCES)[number];
const POLICY = { cpuMillicores: 'cpu', memoryBytes: 'memory' } as const;
const MIN_CHANGE: Readonly<Record<Resource, number>> = { cpuMillicores: 5, memoryBytes: 4 * MiB };
const NODE_SHARE = 0.8;
const VALID_MS = 7 * DAY_MS;
/** An approval has at most two parts for each resource of two containers, and each may wait for the end of another change once. */
const MAX_STARTS = 8;
/** Resizes of a pod in a day without acts of users: two changes of two resources, each taken back. */
const MAX_RESIZES_A_DAY = 8;
/** A pod that starts is not resized in its first minutes. */
const RESTORED_WITHIN_MS = 30 * MINUTE_MS;
/** After them every approval has lapsed, and each hold and observation has ended. */
const SETTLED_MS = 10 * DAY_MS;
/** Reasons that need a user, another node or another autoscaler, so that they may last. */
const LASTING = new Set([
  'approval',
  'hpa',
  'node-capacity',
  'node-unsupported',
  'restart',
  'paused',
  'dry-run',
  'quota',
  'rolled-back',
  'hold',
]);

type Amount = readonly [container: string, part: Part, resource: Resource];
type Approval = NonNullable<UserRequests['approved']>;

/** Checks one life against the invariants, tick by tick. */
export class ApproveRules {
  readonly violations: string[] = [];
  /** Number of changes that each approval has started. */
  readonly #starts = new Map<Instant, number>();
  /** Times of the resizes of each pod since the last act. */
  readonly #resizes = new Map<string, readonly DurationMs[]>();
  /** `at` of the approvals that ended: rolled back, or followed by greater deployed values. */
  readonly #ended = new Set<Instant>();
  #actedAt: DurationMs = 0;
  /** Time since which a pod has less than the values in force, by uid. */
  readonly #belowSince = new Map<string, DurationMs>();
  #templateBefore: Values = new Map();
  #last: LifeTick | null = null;

  /** Checks all invariants after one tick. */
  check(lived: LifeTick, act: UserAct | null): void {
    const { situation } = lived;
    if (act !== null) this.#actedAt = lived.elapsedMs;
    this.#recordEnds(lived);
    this.#checkStatus(lived, act);
    if (modeInForce(situation.policy, situation.overrides) === 'Approve') {
      this.#checkChange(lived);
      this.#checkEffectiveValues(lived);
      for (const step of lived.steps) for (const change of step.containers) this.#checkStep(lived, step, change);
    }
    for (const step of lived.steps) this.#checkPermitted(lived, step);
    this.#checkLoops(lived, act);
    this.#checkRestored(lived);
    this.#last = lived;
  }

  /** Checks the last state of a life after its quiet end. */
  checkEnd(): void {
    const lived = this.#last;
    if (lived === null) return;
    const { state, reason, message, mode } = lived.decision;
    if (state === 'applying' && mode !== 'Auto') this.#fail('a change is under way at the end', lived, lived.decision.memory.apply);
    if ((state === 'awaiting' || state === 'blocked') && reason === null) this.#fail('a state without a reason', lived, state);
    if (message === '') this.#fail('a state without a message', lived, state);
    if (state === 'awaiting' && mode !== 'Auto' && !LASTING.has(reason ?? '')) this.#fail('a wait without an end', lived, reason);
  }

  #fail(rule: string, { elapsedMs, decision }: LifeTick, details: unknown): void {
    const moment = `day ${(elapsedMs / DAY_MS).toFixed(3)}`;
    this.violations.push(
      `${moment}: ${rule}: ${JSON.stringify(details)} (${decision.mode} ${decision.state} ${decision.reason ?? ''}: ${decision.message})`,
    );
  }

  #recordEnds({ situation, decision }: LifeTick): void {
    const { approved } = situation.userRequests;
    const template: Values = new Map(situation.workload.containers.map((container) => [container.name, container]));
    if (approved !== null && approved.at <= (situation.memory.rolledBack?.at ?? 0)) this.#ended.add(approved.at);
    const before = this.#templateBefore;
    const isRaised = [...template].some(([name, now]) =>
      RESOURCES.some((resource) => (now.requests[resource] ?? 0) > (before.get(name)?.requests[resource] ?? Infinity) * 1.01),
    );
    const isGoverned = decision.mode === 'Approve' && decision.state !== 'excluded';
    if (isRaised && isGoverned && approved !== null && approved.at < situation.now) this.#ended.add(approved.at);
    this.#templateBefore = template;
  }

  /** The approval that is valid at a decision by the rules of the documentation; null: none. */
  #validApproval({ situation }: LifeTick): Approval | null {
    const { approved } = situation.userRequests;
    const { now } = situation;
    if (approved === null || approved.at > now || now - approved.at >= VALID_MS || this.#ended.has(approved.at)) return null;
    return approved;
  }

  /** The amount that a valid approval gives; null: none. */
  #approvedAmount(lived: LifeTick, [container, part, resource]: Amount): number | null {
    const { policy, overrides } = lived.situation;
    const mode = modeInForce(policy, overrides);
    if (containerMode(containerPolicyOf(policy, container), mode) !== mode) return null;
    const values = this.#validApproval(lived)?.values.get(container);
    if (values === undefined) return null;
    const given = values[part][resource];
    if (given !== null) return given;
    // A limit that equals its request stays equal.
    const inForce = lived.situation.memory.lastApplied?.values.get(container) ?? lived.decision.memory.previous?.values.get(container);
    const other = values[part === 'requests' ? 'limits' : 'requests'][resource];
    return inForce !== undefined && inForce.requests[resource] === inForce.limits[resource] ? other : null;
  }

  /** Rule: a change begins or is retargeted only to approved amounts, within their bounds. */
  #checkChange(lived: LifeTick): void {
    const { situation, decision } = lived;
    const { apply } = decision.memory;
    const before = situation.memory.apply;
    if (apply === null || (before !== null && isSame(before.values, apply.values))) return;
    if (this.#isDeployed(lived)) return;
    const isRetargeted = before?.startedAt === apply.startedAt;
    const { lastApplied, previous } = decision.memory;
    const from = (isRetargeted ? before.values : null) ?? lastApplied?.values ?? previous?.values ?? new Map();
    const valid = this.#validApproval(lived);
    if (valid === null) {
      this.#fail('a change starts without a valid approval', lived, [apply.reason, apply.by, situation.userRequests.approved?.at]);
      return;
    }
    // What a node refuses is retried at intervals, in every mode.
    if (!isRetargeted && situation.memory.failures.length === 0) {
      const count = (this.#starts.get(valid.at) ?? 0) + 1;
      this.#starts.set(valid.at, count);
      if (count > MAX_STARTS) this.#fail('an approval starts its change over and over', lived, count);
    }
    for (const [amount, was, is] of differences(from, apply.values)) {
      const approved = this.#approvedAmount(lived, amount);
      if (is < was && !this.#isAtLeast(lived, amount, is, approved)) {
        this.#fail('a change reduces below the approved value', lived, [amount, was, is, approved]);
      }
      if (is > was && !this.#isRaiseAllowed(lived, amount, is, approved)) {
        this.#fail('a change raises above the approved value', lived, [amount, was, is, approved]);
      }
      if (is > was) this.#checkBound(lived, amount, is, was);
    }
  }

  #isDeployed({ situation, decision }: LifeTick): boolean {
    return !isSame(situation.memory.template, decision.memory.template);
  }

  #isAtLeast({ situation }: LifeTick, [container, , resource]: Amount, is: number, approved: number | null): boolean {
    if (approved === null) return false;
    const ratio = containerPolicyOf(situation.policy, container)[POLICY[resource]].minChangeRatio;
    return approved <= is || approved - is < MIN_CHANGE[resource] || approved - is < is * ratio;
  }

  /** An approved value below a floor or `min` is raised to it. A limit is at least its request. */
  #isRaiseAllowed(lived: LifeTick, amount: Amount, is: number, approved: number | null): boolean {
    const [container, part, resource] = amount;
    const { min } = this.#bounds(lived, container, resource);
    const ofRequest = part === 'limits' ? (this.#approvedAmount(lived, [container, 'requests', resource]) ?? 0) : 0;
    return is <= Math.max(approved ?? 0, approved === null && ofRequest === 0 ? 0 : min, ofRequest);
  }

  #bounds({ situation }: LifeTick, container: string, resource: Resource): { readonly min: number; readonly max: number } {
    const { policy, overrides, largestNode } = situation;
    const rules = containerPolicyOf(policy, container)[POLICY[resource]];
    const floor = overrides.floor.get('*')?.[resource] ?? null;
    const ceiling = overrides.ceiling.get('*')?.[resource] ?? null;
    const max = ceiling ?? rules.max ?? Infinity;
    const min = floor ?? Math.min(rules.min ?? 0, max);
    const node = Math.max(largestNode?.[resource] ?? 0, situation.memory.largestNode?.[resource] ?? 0);
    return { min: Math.min(min, node * NODE_SHARE), max: Math.min(min > max && floor !== null ? min : max, node) };
  }

  /** Rule: no request is raised past its bound, unless it was deployed so. */
  #checkBound(lived: LifeTick, [container, part, resource]: Amount, is: number, was: number): void {
    const { max } = this.#bounds(lived, container, resource);
    const template = lived.situation.workload.containers.find(({ name }) => name === container);
    if (part === 'requests' && is > Math.max(max, was, template?.requests[resource] ?? 0)) {
      this.#fail('a request is raised past its bound', lived, [container, resource, was, is, max]);
    }
    const node = Math.max(lived.situation.largestNode?.[resource] ?? 0, lived.situation.memory.largestNode?.[resource] ?? 0) * NODE_SHARE;
    const deployed = Math.max(template?.limits[resource] ?? 0, template?.requests[resource] ?? 0);
    if (part === 'limits' && is > Math.max(node, was, deployed))
      this.#fail('a limit is raised past its bound', lived, [container, resource, was, is, node]);
  }

  /** Rule: values in force change only by a completed change, the end of one, a roll-back, or a deployment. */
  #checkEffectiveValues(lived: LifeTick): void {
    const { situation, decision } = lived;
    const [before, after] = [situation.memory.lastApplied, decision.memory.lastApplied];
    if (after === null || before === null || isSame(before.values, after.values) || this.#isDeployed(lived)) return;
    if (decision.memory.rolledBack?.at === after.at) return;
    const { apply, previous } = situation.memory;
    const isCompleted = decision.memory.apply === null && apply !== null && isSame(apply.values, after.values);
    for (const [amount, was, is] of differences(before.values, after.values)) {
      const [name, part, resource] = amount;
      const ofChange = apply?.values.get(name)?.[part][resource] ?? null;
      const ofPrevious = previous?.values.get(name)?.[part][resource] ?? null;
      if (is < was && !(isCompleted && this.#isAtLeast(lived, amount, is, this.#approvedAmount(lived, amount)))) {
        if (!(ofPrevious !== null && is >= ofPrevious))
          this.#fail('values in force fall without an approval', lived, [amount, was, is, after.reason]);
      }
      if (is > was && is > Math.max(ofChange ?? 0, ofPrevious ?? 0)) {
        this.#fail('values in force rise without an approval', lived, [amount, was, is, after.reason]);
      }
    }
  }

  /** Rules: a pod is reduced only to values that are approved or in force, and raised only to those, or by what mode Auto left. */
  #checkStep(lived: LifeTick, step: ResizeStep, { name, from, to }: ContainerChange): void {
    const { situation, decision } = lived;
    const { lastApplied, rolledBack } = decision.memory;
    const actual = step.pod.containers.find((container) => container.name === name)?.actual ?? from;
    const isRequested = step.isRollBack === true && rolledBack !== null && rolledBack.requestedAt !== null;
    for (const part of PARTS) {
      for (const resource of RESOURCES) {
        const [was, is] = [actual[part][resource], to[part][resource]];
        if (was === null || is === null || was === is) continue;
        const amount: Amount = [name, part, resource];
        const inForce = lastApplied?.values.get(name)?.[part][resource] ?? null;
        const details = [step.pod.name, step.kind, step.reason, amount, was, is, inForce];
        const approved = this.#approvedAmount(lived, amount);
        const isInMode = containerMode(containerPolicyOf(situation.policy, name), 'Approve') === 'Approve';
        if (is < was && !isRequested && !(inForce !== null && is >= inForce && isInMode) && !this.#isAtLeast(lived, amount, is, approved)) {
          this.#fail('a pod is reduced without a valid approval', lived, [...details, approved]);
        }
        const template = situation.workload.containers.find((container) => container.name === name);
        const own = ownAmount(decision.memory, step.pod, amount);
        // A raise under way continues after its approval has ended, and new pods get the values before it.
        const underWay = [situation.memory.apply, decision.memory.apply === null ? null : decision.memory.previous];
        const ofChange = underWay.map((each) => each?.values.get(name)?.[part][resource] ?? 0);
        const most = Math.max(inForce ?? 0, ...ofChange, template?.[part][resource] ?? 0, own, from[part][resource] ?? 0);
        if (is > was && is > most && !this.#isRaiseAllowed(lived, amount, is, approved)) {
          this.#fail('a pod is raised above the approved value', lived, [...details, approved, most]);
        }
        if (is > was && step.kind === 'change') this.#checkBound(lived, amount, is, Math.max(was, inForce ?? 0, ...ofChange));
      }
    }
  }

  /** Rules: a hold, a pause, a rejection, or a mode that makes no changes permits only that a user's roll-back and the end of a change. */
  #checkPermitted(lived: LifeTick, step: ResizeStep): void {
    const { situation, decision } = lived;
    const { policy, overrides, userRequests, now } = situation;
    const details = [step.pod.name, step.kind, step.reason];
    if (policy.paused || decision.mode === 'Off') this.#fail('a pod is resized while paused or in mode Off', lived, details);
    const isActing = decision.mode === 'Approve' || decision.mode === 'Auto';
    if (!isActing && step.lowers && step.isRollBack !== true) this.#fail('a pod is reduced in a mode without changes', lived, details);
    if (step.kind !== 'change') return;
    if (!isActing) this.#fail('a change is made in a mode without changes', lived, details);
    if (overrides.heldUntil !== null && overrides.heldUntil > now) this.#fail('a change is made while held', lived, details);
    const { rejected } = userRequests;
    const shown = decision.containers.filter(
      ({ name, target }) => target !== null && containerMode(containerPolicyOf(policy, name), decision.mode) === decision.mode,
    );
    const isRejected = shown.every(({ name, target }) =>
      RESOURCES.every((resource) => rejected?.values.get(name)?.requests[resource] === target?.requests[resource]),
    );
    if (rejected !== null && now - rejected.at < VALID_MS && isRejected) this.#fail('rejected values are applied', lived, details);
  }

  /** Rule: without acts of users the number of resizes of a pod in a day is bounded. */
  #checkLoops(lived: LifeTick, act: UserAct | null): void {
    if (act !== null || lived.decision.mode === 'Auto') this.#resizes.clear();
    if (lived.decision.mode === 'Auto') return;
    const isRefused = lived.situation.memory.failures.length + lived.decision.memory.failures.length > 0;
    for (const { pod } of isRefused ? [] : lived.steps) {
      const times = [...(this.#resizes.get(pod.uid) ?? []), lived.elapsedMs].filter((at) => at > lived.elapsedMs - DAY_MS);
      this.#resizes.set(pod.uid, times);
      if (times.length > MAX_RESIZES_A_DAY) this.#fail('a pod is resized over and over', lived, [pod.name, times.length]);
    }
    if (lived.steps.length > 0 && lived.elapsedMs - this.#actedAt > SETTLED_MS) {
      // New pods get the values in force at any time.
      const steps = lived.steps.filter(({ kind }) => kind === 'change');
      if (steps.length > 0)
        this.#fail(
          'a change is made long after the last act',
          lived,
          steps.map(({ reason }) => reason),
        );
    }
  }

  /** Rule: without a change under way no pod stays below the values in force. */
  #checkRestored(lived: LifeTick): void {
    const { situation, decision } = lived;
    const { memory } = decision;
    const { gateState, policy, overrides, now } = situation;
    const isHeld = overrides.heldUntil !== null && overrides.heldUntil > now;
    const isBlocked = gateState.stale !== null || policy.paused || policy.dryRun || isHeld || memory.failures.length > 0;
    if (decision.mode !== 'Approve' || memory.apply !== null || memory.lastApplied === null || isBlocked) {
      this.#belowSince.clear();
      return;
    }
    for (const pod of lived.pods) {
      const below = pod.containers.filter((container) =>
        RESOURCES.some(
          (resource) =>
            (container.requests[resource] ?? Infinity) < (memory.lastApplied?.values.get(container.name)?.requests[resource] ?? 0),
        ),
      );
      const inMode = below.filter(({ name }) => containerMode(containerPolicyOf(policy, name), 'Approve') === 'Approve');
      if (inMode.length === 0 || pod.resize.state !== 'none' || pod.phase !== 'Running') this.#belowSince.delete(pod.uid);
      else this.#belowSince.set(pod.uid, this.#belowSince.get(pod.uid) ?? lived.elapsedMs);
      const since = this.#belowSince.get(pod.uid);
      if (since !== undefined && lived.elapsedMs - since > RESTORED_WITHIN_MS) {
        this.#fail('a pod stays below the values in force', lived, [
          pod.name,
          inMode.map(({ name, requests }) => [name, requests]),
          [...memory.lastApplied.values],
        ]);
      }
    }
  }

  /** Rules: state and message agree with what happens. */
  #checkStatus(lived: LifeTick, act: UserAct | null): void {
    const { situation, decision, steps } = lived;
    const { state, reason, message, until, memory, mode } = decision;
    const isChanging = steps.some(({ kind }) => kind === 'change');
    if ((state === 'awaiting' || state === 'blocked') && reason === null) this.#fail('a state without a reason', lived, state);
    if (until !== null && until <= situation.now - MINUTE_MS) this.#fail('a wait ends in the past', lived, [until, situation.now]);
    if ((state === 'optimal' || state === 'recommended') && isChanging) this.#fail('a change is made in a state without one', lived, state);
    if (state === 'applying' && memory.apply === null) this.#fail('a change is reported that is not under way', lived, state);
    if (state === 'awaiting' && reason === 'approval' && memory.apply !== null)
      this.#fail('an approval is awaited during a change', lived, memory.apply);
    const { policy, overrides, hpas, now } = situation;
    const isHeld = (overrides.heldUntil ?? 0) > now || (memory.rolledBack?.heldUntil ?? 0) > now;
    const unfounded =
      (reason === 'hold' && !isHeld) ||
      (reason === 'dry-run' && !policy.dryRun) ||
      (reason === 'paused' && !policy.paused) ||
      (reason === 'hpa' && hpas.length === 0);
    if (unfounded) this.#fail('a reason is reported that does not apply', lived, reason);
    if (reason === 'rejected' && situation.userRequests.rejected === null) this.#fail('a rejection is reported without one', lived, reason);
    if (mode !== 'Approve') return;
    if (message.includes('the approved values are in force')) this.#checkInForce(lived);
    const isPresent =
      act?.kind === 'approve' &&
      act.values === 'present' &&
      act.factor === 1 &&
      act.at === 0 &&
      act.containers === 'all' &&
      act.part === 'all';
    const isSilent = state === 'awaiting' && reason === 'approval' && !message.includes('approv') && !message.includes('risen since');
    if (isPresent && isSilent && this.#validApproval(lived) !== null)
      this.#fail('a new approval is ignored without a reason', lived, situation.userRequests.approved);
  }

  #checkInForce(lived: LifeTick): void {
    const valid = this.#validApproval(lived);
    const inForce = lived.decision.memory.lastApplied?.values;
    if (valid === null) {
      this.#fail('approved values are reported in force without an approval', lived, null);
      return;
    }
    for (const plan of lived.decision.containers) {
      for (const resource of RESOURCES) {
        const approved = this.#approvedAmount(lived, [plan.name, 'requests', resource]);
        const is = inForce?.get(plan.name)?.requests[resource] ?? plan.inForce.requests[resource];
        if (approved === null || is === null) continue;
        const { min, max } = this.#bounds(lived, plan.name, resource);
        // A bound raises at most to what the nodes of the pods allow, and reduces nothing further than approved.
        const raised = approved < min ? Math.min(min, Math.max(is, approved)) : approved;
        const bounded = raised > max ? Math.max(max, Math.min(raised, is)) : raised;
        const ratio = plan.policy[POLICY[resource]].minChangeRatio;
        const moved = Math.abs(bounded - is);
        if (moved >= MIN_CHANGE[resource] && moved >= is * ratio * 1.001) {
          this.#fail('approved values are reported in force that are not', lived, [plan.name, resource, bounded, is]);
        }
      }
    }
  }
}

/** What a pod alone has from an OOM kill or as a hot replica in mode Auto; 0: nothing. */
function ownAmount(memory: ResizeMemory, { uid }: PodRecord, [container, part, resource]: Amount): number {
  const bump = memory.oomBumps.find((each) => each.uid === uid && each.container === container);
  const hot = memory.hotReplicas.find((each) => each.uid === uid && each.container === container);
  if (resource === 'cpuMillicores') return hot?.cpu ?? 0;
  return (part === 'limits' ? bump?.limit : bump?.request) ?? 0;
}

function isSame(a: Values, b: Values): boolean {
  return a.size === b.size && [...a].every(([name, values]) => hasSameValues(values, b.get(name) ?? values));
}

/** The amounts that differ, with both values. */
function* differences(from: Values, to: Values): Generator<readonly [Amount, number, number]> {
  for (const [name, values] of to) {
    const before: RequestsAndLimits | undefined = from.get(name);
    for (const part of PARTS) {
      for (const resource of RESOURCES) {
        const [was, is] = [before?.[part][resource] ?? null, values[part][resource]];
        if (was !== null && is !== null && was !== is) yield [[name, part, resource], was, is];
      }
    }
  }
}
