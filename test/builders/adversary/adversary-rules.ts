// Invariants of every moment of every life, however hostile. They are computed here independently of the code under test.

import type { PodRecord } from '#kube/records/pod';
import type { RequestsAndLimits } from '#kube/records/resources';
import { DAY_MS, HOUR_MS, MiB, MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import { qosOf } from '../../../src/core/resize/model/container-values.ts';
import type { ChangeUnderWay } from '../../../src/core/resize/model/situation.ts';
import type { ResizeStep } from '../../../src/core/resize/model/resize-step.ts';
import type { Life } from './adversary.ts';
import { mainOf, TICK_MS, type LifeTick, type Tick } from './workload-life.ts';

const NODE_SHARE = 0.8;
const RESOURCES = ['cpuMillicores', 'memoryBytes'] as const;
type Resource = (typeof RESOURCES)[number];
const POLICY = { cpuMillicores: 'cpu', memoryBytes: 'memory' } as const;

/** Throttling is unmeasured when its last reading is older. */
const MEASURED_WITHIN_MS: DurationMs = 2 * HOUR_MS;
/** Two sampling periods may be lost. */
const SEEN_WITHIN_MS: DurationMs = 5 * MINUTE_MS;
/** A resource without a measurement for longer is unmeasured, even when samples of other resources arrive. */
const RESOURCE_MEASURED_WITHIN_MS: DurationMs = 20 * MINUTE_MS;
const BUSY_NODE_RATIO = 0.8;
/** A smaller change is noise, whatever its ratio. */
const MIN_CHANGE: Readonly<Record<Resource, number>> = { cpuMillicores: 5, memoryBytes: 4 * MiB };
const MIN_CHANGE_RATIO = { Savings: 0.05, Balanced: 0.1, Safe: 0.15 } as const;
const MIN_CONFIDENCE: Readonly<Record<Resource, number>> = { cpuMillicores: 0.6, memoryBytes: 0.8 };
/** Steps of an explanation that cap a memory request. */
const CAPS = ['ceiling', 'leak'];
/** Stored memory peaks are rounded to codes that are 0.04 % apart. */
const PEAK_RESOLUTION = 0.999;

/**
 * The CPU request of a Guaranteed pod falls at most to this multiple of its highest minute of 14 days, and only after a week of readings.
 */
const GUARANTEED_HEADROOM = 2;
const READ_TICKS = (7 * DAY_MS) / TICK_MS;

interface Change {
  readonly step: ResizeStep;
  /** The values in force. Cancelling a raise that the node never admitted lowers nothing. */
  readonly from: RequestsAndLimits;
  readonly to: RequestsAndLimits;
}

/** Checks one life against the invariants, tick by tick. */
export class AdversaryRules {
  readonly #life: Life;
  readonly #violations: string[] = [];
  readonly #limitBounds: Record<Resource, number>;
  readonly #requestBounds: Record<Resource, number>;
  readonly #largestNode: Record<Resource, number> = { cpuMillicores: 0, memoryBytes: 0 };
  #peaks: readonly { readonly elapsedMs: DurationMs; readonly bytes: number }[] = [];
  #cpuHighs: { readonly elapsedMs: DurationMs; readonly millicores: number }[] = [];
  /** Start of the last reduction of the base that reached a pod. */
  readonly #baseLoweredAt: Record<Resource, DurationMs> = {
    cpuMillicores: Number.NEGATIVE_INFINITY,
    memoryBytes: Number.NEGATIVE_INFINITY,
  };
  /** Start of a reduction of the base that has not reached a pod yet; null when there is none. */
  readonly #baseLowering: Record<Resource, { readonly since: DurationMs; readonly to: number } | null> = {
    cpuMillicores: null,
    memoryBytes: null,
  };
  /** Request that the last reduction of the base has set. */
  readonly #baseLoweredTo: Record<Resource, number> = { cpuMillicores: 0, memoryBytes: 0 };
  /** Time since which the base had been in force when its last reduction began. */
  readonly #loweredFrom: Record<Resource, Instant | null> = { cpuMillicores: null, memoryBytes: null };
  readonly #loweredAt = new Map<string, DurationMs>();
  /** Values in force in the last tick, by pod uid. */
  readonly #actual = new Map<string, RequestsAndLimits>();
  /** CPU request of each pod that was raised alone as a hot replica: before it, and since; by pod uid. */
  readonly #hotCpu = new Map<string, { readonly before: number; readonly raisedTo: number }>();
  /** Whether the last resize that lowered a resource of a pod was something other than a reduction of the base. */
  readonly #isNoReduction = new Map<string, boolean>();
  #clockBackAt: DurationMs = Number.NEGATIVE_INFINITY;
  #throttlingSeenAt: DurationMs = Number.NEGATIVE_INFINITY;
  /** Time of the last accepted usage sample, by pod uid. */
  readonly #usageSeenAt = new Map<string, DurationMs>();
  /** Time of the last measurement of each resource, over all pods. */
  readonly #measuredAt: Record<Resource, DurationMs> = { cpuMillicores: Number.NEGATIVE_INFINITY, memoryBytes: Number.NEGATIVE_INFINITY };

  constructor(life: Life) {
    this.#life = life;
    this.#limitBounds = { cpuMillicores: 0, memoryBytes: 0 };
    this.#requestBounds = { cpuMillicores: 0, memoryBytes: 0 };
  }

  /** Violated invariants with their times; empty when all hold. */
  get violations(): readonly string[] {
    return this.#violations;
  }

  /** Checks all invariants after one tick. */
  check(lived: LifeTick, tick: Tick): void {
    this.#observe(lived, tick);
    this.#checkLimits(lived);
    this.#checkNumbers(lived);
    this.#checkChange(lived);
    for (const step of lived.steps) {
      const [container] = step.containers;
      if (container === undefined) continue;
      const change: Change = { step, from: mainOf(step.pod).actual ?? container.from, to: container.to };
      this.#checkShape(change, lived);
      for (const resource of RESOURCES) {
        if (amount(change.to, resource) < amount(change.from, resource)) this.#checkLowered(change, resource, lived);
        else this.#checkRaised(change, resource, lived);
      }
    }
    for (const pod of lived.pods) this.#checkOnceADay(pod, lived);
  }

  #observe({ elapsedMs, seenPods, isCpuSeen, seenBytes, seenCpuMillicores, isThrottlingSeen, situation }: LifeTick, tick: Tick): void {
    if (tick.clockBackMs !== undefined) this.#clockBackAt = elapsedMs;
    for (const uid of seenPods) this.#usageSeenAt.set(uid, elapsedMs);
    if (isCpuSeen) this.#measuredAt.cpuMillicores = elapsedMs;
    if (seenBytes.size > 0) this.#measuredAt.memoryBytes = elapsedMs;
    if (isThrottlingSeen) this.#throttlingSeenAt = elapsedMs;
    if (tick.restart === 'without store') {
      this.#peaks = [];
      this.#cpuHighs = [];
    }
    while ((this.#cpuHighs[0]?.elapsedMs ?? Infinity) <= elapsedMs - 14 * DAY_MS) this.#cpuHighs.shift();
    if (seenCpuMillicores !== null) this.#cpuHighs.push({ elapsedMs, millicores: seenCpuMillicores });
    const bytes = Math.max(0, ...seenBytes.values());
    const isWithinWeek = (peak: { readonly elapsedMs: DurationMs }): boolean => peak.elapsedMs > elapsedMs - 7 * DAY_MS;
    this.#peaks = [...this.#peaks.filter((peak) => isWithinWeek(peak) && peak.bytes > bytes), { elapsedMs, bytes }];
    const [template] = situation.workload.containers;
    for (const resource of RESOURCES) {
      // The largest node that its pods ran on bounds the limit also once they run on smaller ones.
      const nodes = [...(situation.nodesOfPods?.values() ?? [])].map((allocatable) => allocatable[resource]);
      const node = Math.max(this.#largestNode[resource], ...nodes);
      this.#largestNode[resource] = node;
      const [request, limit] = [template?.requests[resource] ?? 0, template?.limits[resource] ?? 0];
      this.#requestBounds[resource] = Math.max(this.#requestBounds[resource], request);
      const bound = Math.min(Math.floor((this.#mostOf(resource) ?? Infinity) * this.#ratioOf(resource, request, limit)), node * NODE_SHARE);
      this.#limitBounds[resource] = Math.max(this.#limitBounds[resource], bound, limit);
    }
  }

  /** Upper bound of a request: the ceiling of the workload, above or below `min`, else `max` of the policy; null when unbounded. */
  #mostOf(resource: Resource): number | null {
    const { overrides, policy } = this.#life.options;
    return overrides?.ceiling?.get('*')?.[resource] ?? policy?.container?.[POLICY[resource]].max ?? null;
  }

  #ratioOf(resource: Resource, request: number, limit: number): number {
    const { template, policy } = this.#life.options;
    const { rule, ratio } = policy?.container?.[POLICY[resource]].limit ?? { rule: 'Keep', ratio: null };
    if (qosOf([template]) === 'Guaranteed') return 1;
    return rule === 'Ratio' && ratio !== null ? ratio : Math.max(1, limit / request);
  }

  #fail(rule: string, { elapsedMs, decision }: LifeTick, details: unknown): void {
    const moment = `day ${(elapsedMs / DAY_MS).toFixed(3)}`;
    this.#violations.push(
      `${moment}: ${rule}: ${JSON.stringify(details)} (${decision.state} ${decision.reason ?? ''}: ${decision.message})`,
    );
  }

  #checkLimits(lived: LifeTick): void {
    for (const pod of lived.pods) {
      for (const resource of RESOURCES) {
        const limit = mainOf(pod).limits[resource] ?? 0;
        if (limit > this.#limitBounds[resource])
          this.#fail('a limit passes its bound', lived, [pod.name, resource, limit, this.#limitBounds[resource]]);
      }
    }
  }

  /** The API server refuses a status with a number that JSON cannot represent, and the workload would no longer be reconciled. */
  #checkNumbers(lived: LifeTick): void {
    const path = nonFinitePath(lived.decision.containers);
    if (path !== null) this.#fail('a number of the status is not finite', lived, path);
  }

  /** A reduction has its evidence, and no change is smaller than the dead band. */
  #checkChange(lived: LifeTick): void {
    const { situation, decision } = lived;
    const { apply, previous } = decision.memory;
    if (apply === null || apply.startedAt === situation.memory.apply?.startedAt) return;
    const [from, to] = [previous?.values.get('main'), apply.values.get('main')];
    if (from === undefined || to === undefined) return;
    this.#checkDeadBand(apply, from, to, lived);
    for (const resource of RESOURCES) {
      const isReduced = apply.endsIncrease !== true && amount(to, resource) < amount(from, resource);
      const isBaseReduced = isReduced && !this.#isEndOfIncrease(resource, amount(to, resource), situation);
      this.#baseLowering[resource] = isBaseReduced ? { since: lived.elapsedMs, to: amount(to, resource) } : null;
      if (isReduced) this.#checkEvidence(resource, from, lived);
    }
    if (apply.endsIncrease !== true && qosOf([from]) === 'Guaranteed') this.#checkGuaranteedCpu(from, to, lived);
  }

  #checkEvidence(resource: Resource, from: RequestsAndLimits, lived: LifeTick): void {
    const { situation, elapsedMs } = lived;
    const [advice] = situation.advice;
    const confidence = advice?.[POLICY[resource]]?.confidence ?? 0;
    if (confidence < MIN_CONFIDENCE[resource]) this.#fail('a reduction without confidence', lived, [resource, confidence]);
    if (resource !== 'cpuMillicores') return;
    if (from.limits.cpuMillicores !== null) {
      const age = elapsedMs - this.#throttlingSeenAt;
      if (age > MEASURED_WITHIN_MS) this.#fail('a CPU reduction whose throttling is not measured', lived, age);
      return;
    }
    const busiest = Math.max(0, ...[...(situation.cpuOfNodesWithoutPressure?.values() ?? [])].map((used) => used ?? 1));
    if (busiest >= BUSY_NODE_RATIO) this.#fail('a CPU reduction on a busy node without pressure', lived, busiest);
  }

  #checkGuaranteedCpu(from: RequestsAndLimits, to: RequestsAndLimits, lived: LifeTick): void {
    const [was, is] = [amount(from, 'cpuMillicores'), amount(to, 'cpuMillicores')];
    if (is >= was) return;
    const read = this.#cpuHighs.length;
    if (read < READ_TICKS) this.#fail('CPU of a Guaranteed pod is reduced without a week of readings', lived, [was, is, read]);
    const high = Math.max(0, ...this.#cpuHighs.map(({ millicores }) => millicores));
    const floor = Math.min(was, high * GUARANTEED_HEADROOM, this.#mostOf('cpuMillicores') ?? Infinity);
    if (is < floor) this.#fail('CPU of a Guaranteed pod is reduced below twice its highest minute', lived, [was, is, high]);
  }

  #checkDeadBand({ reason }: ChangeUnderWay, from: RequestsAndLimits, to: RequestsAndLimits, lived: LifeTick): void {
    // After an OOM kill the dead band does not apply.
    if (reason === 'an OOM kill') return;
    const isWorthIt = RESOURCES.some((resource) => this.#isWorthIt(resource, from, to, lived));
    if (!isWorthIt) this.#fail('a change within the dead band', lived, [reason, from, to]);
  }

  #isWorthIt(resource: Resource, from: RequestsAndLimits, to: RequestsAndLimits, { situation }: LifeTick): boolean {
    const [advice] = situation.advice;
    const [was, is] = [amount(from, resource), amount(to, resource)];
    const { goal } = this.#life.options.policy?.container?.[POLICY[resource]] ?? { goal: 'Balanced' };
    const moved = Math.abs(is - was);
    const isUrgent = is > was && was < (advice?.[POLICY[resource]]?.lowerBound ?? 0);
    const [limit, newLimit] = [from.limits[resource] ?? 0, to.limits[resource] ?? 0];
    const isAtLeast = (change: number, before: number, ratio: number): boolean =>
      change >= MIN_CHANGE[resource] && (before === 0 || change / before >= ratio);
    if (newLimit > limit || isAtLeast(limit - newLimit, limit, MIN_CHANGE_RATIO[goal])) return true;
    return isAtLeast(moved, was, isUrgent ? 0 : MIN_CHANGE_RATIO[goal]);
  }

  #checkShape({ step, to }: Change, lived: LifeTick): void {
    if (qosOf([to]) !== step.pod.qosClass) this.#fail('a QoS class changes', lived, [step.pod.qosClass, to]);
    for (const resource of RESOURCES) {
      if (amount(to, resource) > (to.limits[resource] ?? Infinity)) this.#fail('a request passes its limit', lived, [step.pod.name, to]);
    }
  }

  #checkRaised({ step, from, to }: Change, resource: Resource, lived: LifeTick): void {
    const isHot = resource === 'cpuMillicores' && step.reason.startsWith('CPU usage is more than');
    const [before, raisedTo] = [amount(from, resource), amount(to, resource)];
    const hot = this.#hotCpu.get(step.pod.uid);
    if (isHot && raisedTo > before) this.#hotCpu.set(step.pod.uid, { before: hot?.before ?? before, raisedTo });
    else if (resource === 'cpuMillicores' && hot !== undefined && raisedTo > hot.raisedTo) this.#hotCpu.delete(step.pod.uid);
    const maxRequest = Math.max(this.#mostOf(resource) ?? Infinity, amount(from, resource), this.#requestBounds[resource]);
    if (amount(to, resource) > maxRequest) this.#fail('a request passes max and ceiling', lived, [step.pod.name, resource, to, maxRequest]);
  }

  #checkLowered(change: Change, resource: Resource, lived: LifeTick): void {
    const { step, to, from } = change;
    const { situation, elapsedMs, decision } = lived;
    const details = [step.pod.name, step.kind, step.reason, resource, from, to];
    const { warmUpUntil, stale } = situation.gateState;
    if (stale !== null) this.#fail('a pod is reduced while usage is stale', lived, details);
    if ((warmUpUntil ?? 0) > situation.now) this.#fail('a pod is reduced during warm-up after a start or an outage', lived, details);
    const age = elapsedMs - (this.#usageSeenAt.get(step.pod.uid) ?? Number.NEGATIVE_INFINITY);
    if (age > SEEN_WITHIN_MS) this.#fail('a pod is reduced without a usage sample of it', lived, [details, age]);
    const unmeasured = elapsedMs - this.#measuredAt[resource];
    if (unmeasured > RESOURCE_MEASURED_WITHIN_MS) this.#fail('an unmeasured resource is reduced', lived, [details, unmeasured]);
    const target = amount(to, resource);
    const common = amount(decision.memory.apply?.values.get('main') ?? to, resource);
    if (target < Math.min(common, amount(from, resource)))
      this.#fail('a pod is reduced below the target of this decision', lived, [...details, common]);
    if (resource === 'memoryBytes') this.#checkPeak(change, lived, details);
    this.#recordReduction(change, resource, lived);
  }

  #checkPeak({ step, to }: Change, lived: LifeTick, details: unknown): void {
    const target = amount(to, 'memoryBytes');
    const peak = Math.max(0, ...this.#peaks.map(({ bytes }) => bytes)) * PEAK_RESOLUTION;
    const used = (lived.seenBytes.get(step.pod.uid) ?? 0) * PEAK_RESOLUTION;
    if (target >= Math.max(peak, used)) return;
    const steps = lived.decision.containers[0]?.target?.steps ?? [];
    const isCapExplained = steps.some((explanation) => explanation.resource === 'memory' && CAPS.includes(explanation.step));
    if (!isCapExplained) this.#fail('memory is reduced below its peak of 7 days', lived, [details, peak, used]);
  }

  /**
   * The base falls at most once a day, and a pod at most once per reduction of the base, however late its node answers. The values in force
   * count: a resize that the node defers lowers nothing yet.
   */
  #checkOnceADay(pod: PodRecord, lived: LifeTick): void {
    const { actual } = mainOf(pod);
    const before = this.#actual.get(pod.uid);
    if (actual !== null) this.#actual.set(pod.uid, actual);
    if (actual === null || before === undefined) return;
    for (const resource of RESOURCES) {
      const key = `${pod.uid}/${resource}`;
      if (amount(actual, resource) >= amount(before, resource) || this.#isNoReduction.get(key) === true) continue;
      const details = [pod.name, resource, before, actual];
      this.#checkBase(resource, lived, details);
      const last = this.#loweredAt.get(key) ?? Number.NEGATIVE_INFINITY;
      if (last >= this.#baseLoweredAt[resource])
        this.#fail('a pod is reduced twice by one reduction of the base', lived, [...details, last / DAY_MS]);
      this.#loweredAt.set(key, lived.elapsedMs);
    }
  }

  #checkBase(resource: Resource, lived: LifeTick, details: unknown): void {
    const lowering = this.#baseLowering[resource];
    if (lowering === null) return;
    const { since, to } = lowering;
    // A time in the future counts as an hour ago.
    const minAge = since - this.#clockBackAt < DAY_MS ? DAY_MS - HOUR_MS - 2 * MINUTE_MS : DAY_MS;
    const age = since - this.#baseLoweredAt[resource];
    // A reduction that ended before the base had fallen, for example because its pods were deleted, may begin again.
    const inForceSince = lived.situation.memory.lastApplied?.at ?? null;
    const hasRestarted = inForceSince !== null && inForceSince === this.#loweredFrom[resource];
    this.#loweredFrom[resource] = inForceSince;
    if (age < minAge && !hasRestarted) this.#fail('a request is reduced twice a day', lived, [details, age / HOUR_MS]);
    this.#baseLoweredAt[resource] = since;
    this.#baseLoweredTo[resource] = to;
    this.#baseLowering[resource] = null;
  }

  /**
   * Whether CPU returns from a temporary increase, also in a change that reduces memory: to no less than before the increase, and no less than
   * the last reduction of the base has set.
   */
  #isEndOfIncrease(resource: Resource, to: number, { memory }: LifeTick['situation']): boolean {
    const before = memory.cpuBeforeIncrease.get('main');
    return resource === 'cpuMillicores' && before !== undefined && to >= before && to >= this.#baseLoweredTo.cpuMillicores;
  }

  /** A new pod gets the values in force. A roll-back and the end of a temporary CPU increase may come at any time. */
  #recordReduction({ step, from, to }: Change, resource: Resource, { decision, situation }: LifeTick): void {
    const { apply, lastApplied } = decision.memory;
    const endsIncrease =
      apply?.endsIncrease === true ||
      lastApplied?.reason === 'temporary increase ended' ||
      this.#isEndOfIncrease(resource, amount(to, resource), situation);
    const hot = this.#hotCpu.get(step.pod.uid);
    // Also as a part of a change of all replicas that is under way.
    const isNoLongerHot =
      step.reason.startsWith('CPU usage is similar') ||
      (hot !== undefined && amount(from, resource) <= hot.raisedTo && amount(to, resource) >= hot.before);
    const { memory } = situation;
    const inForce = (memory.apply === null ? memory.lastApplied : memory.previous)?.values.get('main');
    const isInForce = inForce !== undefined && amount(to, resource) >= amount(inForce, resource);
    const isNew = isInForce && !this.#loweredAt.has(`${step.pod.uid}/${resource}`);
    const isNoReduction = isNew || step.isRollBack === true || (resource === 'cpuMillicores' && (endsIncrease || isNoLongerHot));
    this.#isNoReduction.set(`${step.pod.uid}/${resource}`, isNoReduction);
    if (resource === 'cpuMillicores') this.#hotCpu.delete(step.pod.uid);
  }
}

function amount({ requests }: RequestsAndLimits, resource: Resource): number {
  return requests[resource] ?? 0;
}

/** Values whose numbers are all finite: decisions share most of their parts with the previous ones, and no part is changed in place. */
const finite = new WeakSet<object>();

/** Path of a NaN or an infinity in a value; null when all numbers are finite. */
function nonFinitePath(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : '';
  if (typeof value !== 'object' || value === null || finite.has(value)) return null;
  if (value instanceof Map) {
    for (const [key, item] of value) {
      const path = nonFinitePath(item);
      if (path !== null) return `.${String(key)}${path}`;
    }
  } else {
    // Object.entries would create an array for each of a decision's many small objects.
    for (const key in value) {
      const path = nonFinitePath(value[key as keyof typeof value]);
      if (path !== null) return `.${key}${path}`;
    }
  }
  finite.add(value);
  return null;
}
