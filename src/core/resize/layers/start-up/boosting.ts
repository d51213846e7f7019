// Merges start-up boosts into a decision: which pods get a boost, keep it, or have it ended.

import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import type { RequestsAndLimits } from '#kube/records/resources';
import { formatDuration } from '../../../model/duration.ts';
import { MINUTE_MS, type DurationMs } from '#kube/units';
import { isSizedAtCreationOnly } from '../../plan/blockers/creation-only.ts';
import type { ResizeStep } from '../../model/resize-step.ts';
import { qosOf, hasSameValues, valuesOf, type Values } from '../../model/container-values.ts';
import { NODE_PROPERTY_CODES } from '#kube/records/refusal-code';
import type { WorkloadDecision } from '../../model/decision.ts';
import { newestByKey, findFailure, poolOf, isCpuRefused, retryAt } from '../../plan/steps/failed-resizes.ts';
import { isResizable } from '../../plan/pod/pod-change.ts';
import type { FailedResize, StartUpBoost, WorkloadSituation } from '../../model/situation.ts';
import { containerPolicyOf } from '../../policy/policy-rules.ts';
import { requestBounds } from '../../policy/container-rules.ts';
import { boostedCpu } from './boosted-cpu.ts';
import { cpuOf, canChangePods, canChangeContainer, isSameCpu } from './boosts.ts';
import { SpareCpu } from './spare-cpu.ts';
import { isStillStarting, isWorthBoosting, startEndsAt } from './start-of-container.ts';

/** Maximum number of items by the schema: further pods start without a boost. */
const MAX_BOOSTS = 64;
/** Time until a written boost is in the informers' cache; until then it is kept although the pod does not show it. */
const BOOST_PENDING_MS: DurationMs = 2 * MINUTE_MS;

/** Decides the boosts of one workload's pods. */
export class Boosting {
  readonly #situation: WorkloadSituation;
  readonly #decision: WorkloadDecision;
  readonly #usual: ReadonlyMap<string, Values>;
  readonly #boosts: StartUpBoost[] = [];
  readonly #failures: FailedResize[] = [];
  readonly #canBoost: boolean;
  readonly #spareCpu: SpareCpu;
  #ends = Number.POSITIVE_INFINITY;
  /** Number of boosts that are stored for the first time. */
  #added = 0;

  constructor(situation: WorkloadSituation, decision: WorkloadDecision, usual: ReadonlyMap<string, Values>) {
    this.#situation = situation;
    this.#decision = decision;
    this.#usual = usual;
    this.#canBoost = canBoost(situation);
    this.#spareCpu = new SpareCpu(situation);
  }

  decide(): WorkloadDecision {
    const { now, pods } = this.#situation;
    const { memory, reconcileAfterMs } = this.#decision;
    const decided = new Map(this.#decision.steps.map((step) => [step.pod.uid, step]));
    const steps = new Map(pods.map((pod) => [pod.uid, this.#stepOf(pod, decided.get(pod.uid))]));
    // Steps of the decision keep their order; steps only for boosts follow.
    const ordered = [...decided.keys(), ...[...steps.keys()].filter((uid) => !decided.has(uid))];
    return {
      ...this.#decision,
      steps: ordered.flatMap((uid) => steps.get(uid) ?? []),
      memory: {
        ...memory,
        boosts: this.#boosts,
        failures: newestByKey([...memory.failures, ...this.#failures]),
      },
      reconcileAfterMs: Math.min(reconcileAfterMs, Math.max(1000, this.#ends - now)),
    };
  }

  /** The step of a pod, merged with the decision's step; null: none. */
  #stepOf(pod: PodRecord, decided: ResizeStep | undefined): ResizeStep | null {
    const usual = this.#usual.get(pod.uid) ?? new Map<string, RequestsAndLimits>();
    const refused = usual.size > 0 && ['deferred', 'infeasible', 'error'].includes(pod.resize.state);
    if (refused) this.#recordRefusal(pod);
    const after = new Map(pod.containers.map((container) => [container.name, baseAfter(container, usual, decided)]));
    const starting = refused ? new Map<string, RequestsAndLimits>() : this.#boostedValues(pod, after, usual);
    this.#recordBoost(pod, after, starting, usual);
    const containers = pod.containers.flatMap((container) => {
      const from = { requests: container.requests, limits: container.limits };
      const to = starting.get(container.name) ?? after.get(container.name) ?? from;
      return hasSameValues(from, to) ? [] : [{ name: container.name, from, to }];
    });
    if (containers.length === 0) return null;
    if (decided !== undefined) return { ...decided, pod, containers };
    return isResizable(pod) ? { pod, containers, kind: 'start-up', lowers: false, reason: this.#reason(pod, starting) } : null;
  }

  /** Boosted values of the containers that have or get a boost now. */
  #boostedValues(pod: PodRecord, after: Values, usual: Values): Values {
    const found = new Map<string, RequestsAndLimits>();
    const { startup } = this.#situation.policy;
    if (startup === null || !this.#canBoost) return found;
    for (const container of pod.containers) {
      const base = after.get(container.name);
      const has = usual.has(container.name);
      if (base === undefined || !this.#isWanted(pod, container, has, startup.durationMs)) continue;
      const boosted = this.#boosted(pod, container, base);
      if (boosted === null) continue;
      // A boost that is within the bounds is kept: capacity that becomes free later is not worth another resize.
      found.set(container.name, cpuOf(base, has && isBetween(container, base, boosted) ? container : boosted));
      this.#ends = Math.min(this.#ends, startEndsAt(pod, container, startup.durationMs));
    }
    const values = pod.containers.flatMap(({ name }) => found.get(name) ?? after.get(name) ?? []);
    const full = usual.size === 0 && this.#isFull(pod);
    if (found.size > 0 && (full || qosOf(values) !== pod.qosClass)) return new Map();
    for (const container of pod.containers) this.#spareCpu.take(pod, container, found.get(container.name));
    return found;
  }

  #isWanted(pod: PodRecord, container: ContainerRecord, has: boolean, durationMs: DurationMs): boolean {
    const { now, memory } = this.#situation;
    if (!canChangeContainer(this.#situation, container.name)) return false;
    if (has) return isStillStarting(pod, container, durationMs, now);
    const failure = findFailure(pod, memory.failures);
    if (failure !== undefined && now < retryAt(failure)) return false;
    if (isCpuRefused(pod, this.#situation)) return false;
    // Workloads that are sized only at creation get no boost in place; one from creation is kept and ended.
    if (isSizedAtCreationOnly(this.#situation)) return false;
    return canBeBoosted(pod, container) && isWorthBoosting(pod, container, durationMs, now);
  }

  #boosted(pod: PodRecord, container: ContainerRecord, base: RequestsAndLimits): RequestsAndLimits | null {
    const { policy, overrides, limitRanges, memory } = this.#situation;
    const rules = containerPolicyOf(policy, container.name);
    const usual = inForceOf(container.name, base, memory);
    const boosted = boostedCpu(pod.qosClass, usual, {
      ratio: policy.startup?.boostRatio ?? 1,
      max: requestBounds('cpu', policy, overrides, container.name, null).max?.value ?? null,
      movesLimits: rules.controlled === 'requestsAndLimits',
      limitRanges,
      room: this.#spareCpu.of(pod, container, usual),
    });
    // A pod that was created larger than its target needs no boost.
    return (boosted?.requests.cpuMillicores ?? 0) > (base.requests.cpuMillicores ?? 0) ? boosted : null;
  }

  #recordBoost(pod: PodRecord, after: Values, starting: Values, usual: Values): void {
    const { now, memory } = this.#situation;
    const before = memory.boosts.find(({ uid }) => uid === pod.uid);
    const names = starting.size > 0 ? starting.keys() : (before?.values ?? usual).keys();
    const values = new Map(
      [...names].flatMap((name) => {
        const usual = after.get(name);
        return usual === undefined ? [] : [[name, usual] as const];
      }),
    );
    const since = before?.since ?? now;
    // Beyond the maximum only boosts from creation exist, which the pod's annotation stores.
    if (this.#isFull(pod)) return;
    if (starting.size > 0 || usual.size > 0 || (before !== undefined && now - since < BOOST_PENDING_MS)) {
      if (before === undefined) this.#added += 1;
      this.#boosts.push({ pod: pod.name, uid: pod.uid, since, values });
    }
  }

  /** Whether the maximum number of boosts is stored and this pod has none. */
  #isFull({ uid }: PodRecord): boolean {
    const { boosts } = this.#situation.memory;
    return boosts.length + this.#added >= MAX_BOOSTS && !boosts.some((each) => each.uid === uid);
  }

  #recordRefusal(pod: PodRecord): void {
    const { now, nodePools } = this.#situation;
    const state = pod.resize.state === 'infeasible' ? 'infeasible' : 'deferred';
    const refused = pod.resize.refusal?.code ?? 'node-capacity';
    // A refusal by a property of the node holds for any amount and for all pods of the node pool.
    const isOfNode = NODE_PROPERTY_CODES.includes(refused);
    this.#failures.push({
      pod: pod.name,
      uid: pod.uid,
      pool: isOfNode ? poolOf(pod, refused, nodePools) : null,
      resource: refused === 'cpu-manager' ? 'cpu' : null,
      state,
      since: now,
      code: isOfNode ? refused : 'start-up-boost',
      message: `start-up boost: ${pod.resize.message}`,
      values: valuesOf(pod),
    });
  }

  #reason({ resize }: PodRecord, starting: Values): string {
    const duration = formatDuration(this.#situation.policy.startup?.durationMs ?? 0);
    if (starting.size > 0) return `start-up boost until the pod has been ready for ${duration}`;
    return resize.state === 'none' || resize.state === 'in-progress'
      ? 'end of the start-up boost'
      : `the resize is ${resize.state} on its node: ${resize.message}`;
  }
}

/** Values of a container after the decision, without a boost. */
function baseAfter(container: ContainerRecord, usual: Values, step: ResizeStep | undefined): RequestsAndLimits {
  const { requests, limits } = container;
  const decided = step?.containers.find(({ name }) => name === container.name)?.to;
  const base = usual.get(container.name);
  return decided ?? (base === undefined ? { requests, limits } : cpuOf({ requests, limits }, base));
}

/** The values in force for a container, with the same limits set as in this pod, which may still have the values of its creation. */
function inForceOf(name: string, base: RequestsAndLimits, { apply, lastApplied }: WorkloadSituation['memory']): RequestsAndLimits {
  const settled = (apply ?? lastApplied)?.values.get(name);
  const limit = base.limits.cpuMillicores === null ? null : (settled?.limits.cpuMillicores ?? base.limits.cpuMillicores);
  return {
    requests: { ...base.requests, cpuMillicores: settled?.requests.cpuMillicores ?? base.requests.cpuMillicores },
    limits: { ...base.limits, cpuMillicores: limit },
  };
}

function canBeBoosted(pod: PodRecord, container: ContainerRecord): boolean {
  return isResizable(pod) && pod.resize.state === 'none' && !pod.windows && container.resizePolicy.cpu === 'NotRequired';
}

/** Whether boosts are permitted: the workload's pods may be changed, and no user holds it. */
function canBoost(situation: WorkloadSituation): boolean {
  const { overrides, now } = situation;
  return canChangePods(situation) && (overrides.heldUntil === null || overrides.heldUntil <= now);
}

function isBetween(present: RequestsAndLimits, base: RequestsAndLimits, max: RequestsAndLimits): boolean {
  const request = present.requests.cpuMillicores ?? 0;
  const fits = (present.limits.cpuMillicores ?? 0) <= (max.limits.cpuMillicores ?? Infinity);
  return !isSameCpu(present, base) && request > (base.requests.cpuMillicores ?? 0) && request <= (max.requests.cpuMillicores ?? 0) && fits;
}
