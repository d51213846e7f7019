// More CPU while a container starts, and back. A layer around the decision proper, which sees every pod without its loan:
// what it decides is then carried over to pods that have one, and loans are given and taken back beside it. The state is the
// pod itself and, written down before the first step, what it has otherwise: a crash at any moment leaves no pod with more
// for ever.

import type { ContainerRecord, PodRecord } from '../../model/pod.ts';
import type { RequestsAndLimits } from '../../model/resources.ts';
import { formatDuration } from '../../model/duration.ts';
import { MINUTE_MS, type DurationMs, type Millicores } from '../../model/units.ts';
import { isSizedAtBirthAlone } from '../apply/births.ts';
import type { ResizeStep } from '../apply/resize-step.ts';
import { qosOf, sameValues, type Values } from '../apply/container-values.ts';
import type { WorkloadDecision } from '../apply/decision.ts';
import { failureOf, retryAt } from '../apply/failed-resizes.ts';
import { holdsEverything } from '../apply/interlocks.ts';
import { otherManager } from '../apply/other-manager.ts';
import { isResizable } from '../apply/pod-change.ts';
import { modeInForce, type FailedResize, type StartUpBoost, type WorkloadSituation } from '../apply/situation.ts';
import { containerMode, containerPolicyOf } from '../policy/policy-rules.ts';
import { boundsOf } from '../policy/workload-overrides.ts';
import { boostedCpu, cpuLeftByQuotas } from './boosted-cpu.ts';
import { boostsOf, cpuOf, lentTo, sameCpu, withoutBoosts } from './boosts.ts';
import { isStillStarting, isWorthBoosting, startEndsAt } from './start-of-container.ts';

/** As many as the schema holds: further pods start with what they have. */
const MOST_BOOSTS = 64;
/** Until the informers show what was written, a loan that is not to be seen may still be on its way. */
const ON_ITS_WAY_MS: DurationMs = 2 * MINUTE_MS;

/** @param decide the decision proper, on pods as they would be without any loan */
export function withStartUpBoost(
  situation: WorkloadSituation,
  decide: (situation: WorkloadSituation) => WorkloadDecision,
): WorkloadDecision {
  const boosts = boostsOf(situation.pods, situation.memory.boosts);
  const known = { ...situation, memory: { ...situation.memory, boosts } };
  const lent = new Map(known.pods.map((pod) => [pod.uid, lentTo(pod, known.memory)]));
  const untouched = boosts.length === 0 && [...lent.values()].every(({ size }) => size === 0);
  if (untouched && known.policy.startup === null) return decide(known);
  const decision = decide({ ...known, pods: withoutBoosts(known.pods, known.memory) });
  if (!mayTouch(known)) return { ...decision, steps: onRealPods(decision.steps, known.pods, lent) };
  return new Lending(known, decision, lent).decide();
}

/** What a dry run validates is one pod as it really is. */
function onRealPods(steps: readonly ResizeStep[], pods: readonly PodRecord[], lent: ReadonlyMap<string, Values>): readonly ResizeStep[] {
  return steps.flatMap((step) => {
    const pod = pods.find(({ uid }) => uid === step.pod.uid);
    return pod === undefined || (lent.get(pod.uid)?.size ?? 0) > 0 ? [] : [{ ...step, pod }];
  });
}

function mayTouch(situation: WorkloadSituation): boolean {
  const { standing, policy } = situation;
  if (standing.dryRun || policy.dryRun || !standing.inPlace) return false;
  return holdsEverything(situation) === null && otherManager(situation) === null;
}

class Lending {
  readonly #situation: WorkloadSituation;
  readonly #decision: WorkloadDecision;
  readonly #lent: ReadonlyMap<string, Values>;
  readonly #boosts: StartUpBoost[] = [];
  readonly #failures: FailedResize[] = [];
  readonly #mayLend: boolean;
  readonly #room: Room;
  #ends = Number.POSITIVE_INFINITY;
  /** Remembered now for the first time. */
  #added = 0;

  constructor(situation: WorkloadSituation, decision: WorkloadDecision, lent: ReadonlyMap<string, Values>) {
    this.#situation = situation;
    this.#decision = decision;
    this.#lent = lent;
    this.#mayLend = mayLend(situation);
    this.#room = new Room(situation);
  }

  decide(): WorkloadDecision {
    const { now, pods } = this.#situation;
    const { memory, lookAgainInMs } = this.#decision;
    const own = new Map(this.#decision.steps.map((step) => [step.pod.uid, step]));
    const steps = new Map(pods.map((pod) => [pod.uid, this.#stepOf(pod, own.get(pod.uid))]));
    // In the order of the decision, then what only starting asks for.
    const ordered = [...own.keys(), ...[...steps.keys()].filter((uid) => !own.has(uid))];
    const failed = new Set(this.#failures.map(({ uid }) => uid));
    return {
      ...this.#decision,
      steps: ordered.flatMap((uid) => steps.get(uid) ?? []),
      memory: { ...memory, boosts: this.#boosts, failures: [...memory.failures.filter(({ uid }) => !failed.has(uid)), ...this.#failures] },
      lookAgainInMs: Math.min(lookAgainInMs, Math.max(1000, this.#ends - now)),
    };
  }

  /** The one step of a pod, the decision's own included; null: none. */
  #stepOf(pod: PodRecord, own: ResizeStep | undefined): ResizeStep | null {
    const lent = this.#lent.get(pod.uid) ?? new Map<string, RequestsAndLimits>();
    const refused = lent.size > 0 && ['deferred', 'infeasible', 'error'].includes(pod.resize.state);
    if (refused) this.#rememberRefusal(pod);
    const after = new Map(pod.containers.map((container) => [container.name, baseAfter(container, lent, own)]));
    const starting = refused ? new Map<string, RequestsAndLimits>() : this.#startingWith(pod, after, lent);
    this.#rememberBoost(pod, after, starting, lent);
    const containers = pod.containers.flatMap((container) => {
      const from = { requests: container.requests, limits: container.limits };
      const to = starting.get(container.name) ?? after.get(container.name) ?? from;
      return sameValues(from, to) ? [] : [{ name: container.name, from, to }];
    });
    if (containers.length === 0) return null;
    if (own !== undefined) return { ...own, pod, containers };
    return isResizable(pod) ? { pod, containers, kind: 'start-up', lowers: false, because: this.#because(pod, starting) } : null;
  }

  /** Values with more CPU, of the containers that are to have it now. */
  #startingWith(pod: PodRecord, after: Values, lent: Values): Values {
    const found = new Map<string, RequestsAndLimits>();
    const { startup } = this.#situation.policy;
    if (startup === null || !this.#mayLend) return found;
    for (const container of pod.containers) {
      const base = after.get(container.name);
      const has = lent.has(container.name);
      if (base === undefined || !this.#isWanted(pod, container, has, startup.durationMs)) continue;
      const boosted = this.#boosted(pod, container, base);
      if (boosted === null) continue;
      // Once lent it stays as it is while it is no more than allowed: room that comes later is not worth another resize.
      found.set(container.name, cpuOf(base, has && isBetween(container, base, boosted) ? container : boosted));
      this.#ends = Math.min(this.#ends, startEndsAt(pod, container, startup.durationMs));
    }
    const values = pod.containers.flatMap(({ name }) => found.get(name) ?? after.get(name) ?? []);
    const full = lent.size === 0 && this.#isFull(pod);
    if (found.size > 0 && (full || qosOf(values) !== pod.qosClass)) return new Map();
    for (const container of pod.containers) this.#room.take(pod, container, found.get(container.name));
    return found;
  }

  #isWanted(pod: PodRecord, container: ContainerRecord, has: boolean, durationMs: DurationMs): boolean {
    const { now, memory } = this.#situation;
    if (!isTouched(this.#situation, container.name)) return false;
    if (has) return isStillStarting(pod, container, durationMs, now);
    const failure = failureOf(pod, memory.failures);
    if (failure !== undefined && now < retryAt(failure)) return false;
    // Where nothing grows in place, what was lent at birth is kept and taken back, and no more is lent.
    if (isSizedAtBirthAlone(this.#situation)) return false;
    return canBeLent(pod, container) && isWorthBoosting(pod, container, durationMs, now);
  }

  #boosted(pod: PodRecord, container: ContainerRecord, base: RequestsAndLimits): RequestsAndLimits | null {
    const { policy, overrides, limitRanges, memory } = this.#situation;
    const rules = containerPolicyOf(policy, container.name);
    const usual = inForceOf(container.name, base, memory);
    const boosted = boostedCpu(pod.qosClass, usual, {
      ratio: policy.startup?.boostRatio ?? 1,
      most: boundsOf(overrides.ceiling, container.name).cpuMillicores ?? rules.cpu.max,
      movesLimits: rules.controlled === 'requestsAndLimits',
      limitRanges,
      room: this.#room.of(pod, container, usual),
    });
    // Born larger than it is to become: that is boost enough.
    return (boosted?.requests.cpuMillicores ?? 0) > (base.requests.cpuMillicores ?? 0) ? boosted : null;
  }

  #rememberBoost(pod: PodRecord, after: Values, starting: Values, lent: Values): void {
    const { now, memory } = this.#situation;
    const before = memory.boosts.find(({ uid }) => uid === pod.uid);
    const names = starting.size > 0 ? starting.keys() : (before?.values ?? lent).keys();
    const values = new Map(
      [...names].flatMap((name) => {
        const usual = after.get(name);
        return usual === undefined ? [] : [[name, usual] as const];
      }),
    );
    const since = before?.since ?? now;
    // What does not fit is a loan of its birth, which stands on the pod itself.
    if (this.#isFull(pod)) return;
    if (starting.size > 0 || lent.size > 0 || (before !== undefined && now - since < ON_ITS_WAY_MS)) {
      if (before === undefined) this.#added += 1;
      this.#boosts.push({ pod: pod.name, uid: pod.uid, since, values });
    }
  }

  /** No room to remember one more; what is remembered stays. */
  #isFull({ uid }: PodRecord): boolean {
    const { boosts } = this.#situation.memory;
    return boosts.length + this.#added >= MOST_BOOSTS && !boosts.some((each) => each.uid === uid);
  }

  #rememberRefusal(pod: PodRecord): void {
    const { now } = this.#situation;
    this.#failures.push({
      pod: pod.name,
      uid: pod.uid,
      state: pod.resize.state === 'infeasible' ? 'infeasible' : 'deferred',
      since: now,
      message: `more CPU to start: ${pod.resize.message}`,
      values: new Map(pod.containers.map(({ name, requests, limits }) => [name, { requests, limits }])),
    });
  }

  #because({ resize }: PodRecord, starting: Values): string {
    const duration = formatDuration(this.#situation.policy.startup?.durationMs ?? 0);
    if (starting.size > 0) return `more CPU to start, until it has been ready for ${duration}`;
    return resize.state === 'none' || resize.state === 'in-progress'
      ? 'its start is over'
      : `the node says ${resize.state}: ${resize.message}`;
  }
}

/** What a container has, or is about to have, without any loan. */
function baseAfter(container: ContainerRecord, lent: Values, own: ResizeStep | undefined): RequestsAndLimits {
  const { requests, limits } = container;
  const decided = own?.containers.find(({ name }) => name === container.name)?.to;
  const base = lent.get(container.name);
  return decided ?? (base === undefined ? { requests, limits } : cpuOf({ requests, limits }, base));
}

/** What the workload has in force for a container, in the shape of this pod's: a pod may still have what it was born with. */
function inForceOf(name: string, base: RequestsAndLimits, { apply, lastApplied }: WorkloadSituation['memory']): RequestsAndLimits {
  const settled = (apply ?? lastApplied)?.values.get(name);
  const limit = base.limits.cpuMillicores === null ? null : (settled?.limits.cpuMillicores ?? base.limits.cpuMillicores);
  return {
    requests: { ...base.requests, cpuMillicores: settled?.requests.cpuMillicores ?? base.requests.cpuMillicores },
    limits: { ...base.limits, cpuMillicores: limit },
  };
}

function canBeLent(pod: PodRecord, container: ContainerRecord): boolean {
  return isResizable(pod) && pod.resize.state === 'none' && !pod.windows && container.resizePolicy.cpu === 'NotRequired';
}

/** Lending is an effect: only where the policy may have any, and in mode Approve once something was approved. */
function mayLend({ policy, overrides, policyProblem, memory, now }: WorkloadSituation): boolean {
  const mode = modeInForce(policy, overrides);
  const allowed = mode === 'Auto' || (mode === 'Approve' && memory.lastApplied !== null);
  const held = overrides.heldUntil !== null && overrides.heldUntil > now;
  return allowed && !held && !overrides.excluded && overrides.problems.length === 0 && policyProblem === null;
}

function isTouched({ policy, overrides }: WorkloadSituation, container: string): boolean {
  return ['Auto', 'Approve'].includes(containerMode(containerPolicyOf(policy, container), modeInForce(policy, overrides)));
}

function isBetween(present: RequestsAndLimits, base: RequestsAndLimits, most: RequestsAndLimits): boolean {
  const request = present.requests.cpuMillicores ?? 0;
  const fits = (present.limits.cpuMillicores ?? 0) <= (most.limits.cpuMillicores ?? Infinity);
  return !sameCpu(present, base) && request > (base.requests.cpuMillicores ?? 0) && request <= (most.requests.cpuMillicores ?? 0) && fits;
}

/** CPU that nodes and quotas leave, used up pod by pod. */
class Room {
  readonly #free: Map<string, Millicores>;
  #request: Millicores;
  #limit: Millicores;

  constructor({ freeOnNodes, quotas }: WorkloadSituation) {
    this.#free = new Map([...freeOnNodes].map(([node, { cpuMillicores }]) => [node, cpuMillicores]));
    const left = cpuLeftByQuotas(quotas);
    this.#request = left.request;
    this.#limit = left.limit;
  }

  /** What a container may have above `base`: what it has above it already, and what is free. */
  of({ node }: PodRecord, { requests, limits }: ContainerRecord, base: RequestsAndLimits): { request: Millicores; limit: Millicores } {
    const free = this.#free.get(node ?? '') ?? Infinity;
    const above = (has: Millicores | null, without: Millicores | null): Millicores => Math.max(0, (has ?? 0) - (without ?? 0));
    return {
      request: Math.max(0, Math.min(free, this.#request)) + above(requests.cpuMillicores, base.requests.cpuMillicores),
      limit: Math.max(0, this.#limit) + above(limits.cpuMillicores, base.limits.cpuMillicores),
    };
  }

  take({ node }: PodRecord, { requests, limits }: ContainerRecord, to: RequestsAndLimits | undefined): void {
    if (to === undefined) return;
    const more = Math.max(0, (to.requests.cpuMillicores ?? 0) - (requests.cpuMillicores ?? 0));
    this.#request -= more;
    this.#limit -= Math.max(0, (to.limits.cpuMillicores ?? 0) - (limits.cpuMillicores ?? 0));
    const free = this.#free.get(node ?? '');
    if (free !== undefined) this.#free.set(node ?? '', free - more);
  }
}
