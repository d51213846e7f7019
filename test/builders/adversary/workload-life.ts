// Plays days of usage of one workload: samples go to a real recommender, its advice to a real decision, and the resizes of the decision to
// pods whose kernel kills and throttles them. The cluster around it is played in the simplest way, so that thousands of lives take seconds.

import { EFFECTS_MANAGER } from '../../../src/core/model/field-managers.ts';
import type { PodRecord } from '#kube/records/pod';
import type { RequestsAndLimits, Resources } from '#kube/records/resources';
import { DAY_MS, SECOND_MS, type DurationMs, type Instant, type Ratio } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';
import type { ContainerAdvice } from '../../../src/core/recommender/advice.ts';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import { decideWorkload } from '../../../src/core/resize/layers/decide-workload.ts';
import type { WorkloadDecision } from '../../../src/core/resize/model/decision.ts';
import type { ContainerChange, ResizeStep } from '../../../src/core/resize/model/resize-step.ts';
import {
  NO_MEMORY,
  NO_USER_REQUESTS,
  type NodePoolOfNode,
  type ResizeMemory,
  type UserRequests,
  type WorkloadSituation,
} from '../../../src/core/resize/model/situation.ts';
import { evidenceSince } from '../../../src/core/resize/plan/verify/throttling-and-pressure.ts';
import { greatest } from '../../../src/core/resize/plan/pod/largest-node.ts';
import { podsAfter } from '../../../src/core/resize/plan/autoscalers/preserve-replicas.ts';
import { containerRules } from '../../../src/core/resize/policy/container-rules.ts';
import type { PolicyRules } from '../../../src/core/resize/policy/policy-rules.ts';
import type { WorkloadOverrides } from '../../../src/core/resize/policy/workload-overrides.ts';
import { correctFutureTimestamps, readMemory, writeMemory } from '../../../src/core/resize/status/memory-codec.ts';
import { LifeAutoscaler, type AutoscalerOptions } from './life-autoscaler.ts';
import { LifeController, TICK_MS } from './life-controller.ts';
import { resizeByNode, freeOn, mainOf, withMain, type LifeNode } from './life-node.ts';
import { aContainer, anAdvice, aPodRecord, aSituation, autoPolicy, aWorkloadRecord, NO_OVERRIDES, T0 } from '../rightsizing.ts';

export { TICK_MS } from './life-controller.ts';
export { mainOf } from './life-node.ts';

/** OOM kills in a row after which the kubelet backs off. */
const KILLS_TO_CRASH_LOOP = 2;

/** The second container of a pod. */
export const SIDECAR = 'proxy';

/** Conditions of one tick. Demand is the usage of a replica without limits. */
export interface Tick {
  readonly demand: (replica: number) => Resources;
  /** Share of the nodes' capacity beside this pod that no other pod requests; left out: all of it. */
  readonly freeRatio?: Ratio;
  /** No kubelet answers, or only that of one replica does not. */
  readonly silent?: 'all' | number;
  /** Replica that its node kills under memory pressure, perhaps far below its own limit. */
  readonly nodeKills?: number;
  /** Factor of the template's size in a new version. Every pod is replaced by one of that size where it fits on a node. */
  readonly deploy?: Ratio;
  /** The controller process restarts, and its history store may be lost. */
  readonly restart?: 'with store' | 'without store';
  /** All clocks are set back. */
  readonly clockBackMs?: DurationMs;
  /** Throttling: computed when left out, unmeasured, or this ratio whatever the usage. */
  readonly throttling?: 'unmeasured' | Ratio;
  /** The nodes measure no pressure, and this ratio of their CPU is in use; null: unmeasured. */
  readonly busyNodes?: Ratio | null;
  /** In one minute of the five each replica demands this multiple of its CPU. */
  readonly burst?: Ratio;
  /** Distorts the kubelet's report: counters that jump, repeat or run backwards. */
  readonly distort?: (sample: UsageSample) => UsageSample;
  /** The controller process was stopped for so long before this tick. */
  readonly stoppedMs?: DurationMs;
  /** Recommendation for the sidecar; left out: the previous one. */
  readonly sidecar?: Resources;
  /** What users change in this tick. */
  readonly users?: (view: UserView) => Partial<LifeSettings>;
}

/** What users set: the policy, annotations of the workload, requests in its Recommendation, and an autoscaler. */
export interface LifeSettings {
  readonly policy: PolicyRules;
  readonly overrides: WorkloadOverrides;
  readonly userRequests: UserRequests;
  readonly autoscaler: AutoscalerOptions | null;
}

/** What users see: the present settings, and the last decision; null before the first. */
export interface UserView {
  readonly now: Instant;
  readonly settings: LifeSettings;
  readonly decision: WorkloadDecision | null;
}

/** Environment of a life. */
export interface LifeOptions {
  readonly template: RequestsAndLimits;
  /** A second container, whose recommendation is given by the ticks; left out: none. */
  readonly sidecar?: RequestsAndLimits;
  readonly replicas: number;
  readonly policy?: Partial<PolicyRules>;
  readonly overrides?: Partial<WorkloadOverrides>;
  /** Each replica is placed on the next of these nodes that its template fits on. */
  readonly nodes: readonly LifeNode[];
  readonly kubeletVersion?: string;
  readonly autoscaler?: AutoscalerOptions;
}

interface Replica {
  pod: PodRecord;
  killsInARow: number;
}

/** Outcome of one tick. */
export interface LifeTick {
  readonly now: Instant;
  /** Time since the life began, whatever the clocks show. */
  readonly elapsedMs: DurationMs;
  readonly situation: WorkloadSituation;
  readonly decision: WorkloadDecision;
  readonly steps: readonly ResizeStep[];
  readonly pods: readonly PodRecord[];
  /** Uids of the pods with an accepted sample. */
  readonly seenPods: ReadonlySet<string>;
  /** Whether an accepted sample measured CPU. */
  readonly isCpuSeen: boolean;
  /** Working set of each accepted sample, in bytes, by pod uid. */
  readonly seenBytes: ReadonlyMap<string, number>;
  /** Highest CPU of a minute in the accepted samples, in millicores; null when none measured it. */
  readonly seenCpuMillicores: number | null;
  /** Whether the throttling of any pod was measured. */
  readonly isThrottlingSeen: boolean;
  /** Usage of each pod, measured or not, by uid. */
  readonly used: ReadonlyMap<string, Resources>;
}

/** One workload with its pods, nodes, autoscaler and controller. */
export class WorkloadLife {
  readonly #options: LifeOptions;
  readonly #controller: LifeController;
  #settings: LifeSettings;
  #autoscaler: LifeAutoscaler | null;
  #decision: WorkloadDecision | null = null;
  #sidecarNeed: Resources | null = null;
  #workload: WorkloadRecord;
  #replicas: readonly Replica[] = [];
  #memory: ResizeMemory = NO_MEMORY;
  #now: Instant = T0;
  #elapsedMs: DurationMs = 0;
  #created = 0;

  constructor(options: LifeOptions) {
    this.#options = options;
    const { policy, overrides, autoscaler = null } = options;
    this.#settings = {
      policy: autoPolicy(policy),
      overrides: { ...NO_OVERRIDES, ...overrides },
      userRequests: NO_USER_REQUESTS,
      autoscaler,
    };
    this.#workload = this.#workloadOf(options.template);
    this.#controller = new LifeController(workloadKey(this.#workload));
    this.#autoscaler = autoscaler === null ? null : new LifeAutoscaler(autoscaler, T0 - 30 * DAY_MS);
    this.#scaleTo(autoscaler?.minReplicas ?? options.replicas);
  }

  get pods(): readonly PodRecord[] {
    return this.#replicas.map(({ pod }) => pod);
  }

  /** Plays one tick: usage, kills, a decision, and the answers of the kubelets. */
  live(tick: Tick): LifeTick {
    this.#elapsedMs += TICK_MS + (tick.stoppedMs ?? 0);
    this.#now += TICK_MS + (tick.stoppedMs ?? 0) - (tick.clockBackMs ?? 0);
    if (tick.clockBackMs !== undefined) this.#memory = correctFutureTimestamps(this.#memory, this.#now);
    if (tick.restart !== undefined) this.#controller.restart(this.pods, tick.restart === 'without store', this.#now);
    if (tick.deploy !== undefined) this.#deploy(tick.deploy);
    this.#sidecarNeed = tick.sidecar ?? this.#sidecarNeed;
    if (tick.users !== undefined) this.#set(tick.users({ now: this.#now, settings: this.#settings, decision: this.#decision }));
    const used = new Map(this.#replicas.map(({ pod }, index) => [pod.uid, this.#usageOf(pod, this.#demand(tick, index))]));
    const seen = this.#replicas.flatMap(({ pod }, index) => this.#report(pod, index, tick));
    this.#replicas.forEach((replica, index) => this.#killIfOver(replica, index, tick));
    this.#scale(used);
    for (const replica of this.#replicas) this.#answer(replica, tick);
    const situation = this.#situation(tick);
    const decision = decideWorkload(situation);
    this.#decision = decision;
    // Stored and read back, as the next cycle reads it.
    if (decision.memory !== situation.memory) this.#memory = readMemory(writeMemory(decision.memory));
    const { stale, warmUpUntil } = situation.gateState;
    const isHeld = ({ lowers, isRollBack }: ResizeStep): boolean =>
      lowers && isRollBack !== true && (stale !== null || (warmUpUntil ?? 0) > this.#now);
    // The effect gate refuses the same steps. A dry run changes nothing.
    const steps = situation.policy.dryRun ? [] : decision.steps.filter((step) => !isHeld(step));
    this.#carryOut({ ...decision, steps }, tick);
    return {
      now: this.#now,
      elapsedMs: this.#elapsedMs,
      situation,
      decision,
      steps,
      pods: this.pods,
      seenPods: new Set(seen.map(({ uid }) => uid)),
      isCpuSeen: seen.some(({ cpuMillicores }) => cpuMillicores !== null),
      seenBytes: new Map(seen.flatMap(({ uid, memoryBytes }) => (memoryBytes === null ? [] : [[uid, memoryBytes]]))),
      seenCpuMillicores: seen.reduce<number | null>(
        (highest, { cpuPeakMillicores: peak = null }) => (peak === null ? highest : Math.max(highest ?? 0, peak)),
        null,
      ),
      isThrottlingSeen: seen.some(({ throttledRatio = null }) => throttledRatio !== null),
      used,
    };
  }

  #set(change: Partial<LifeSettings>): void {
    const before = this.#settings.autoscaler;
    this.#settings = { ...this.#settings, ...change };
    const { autoscaler } = this.#settings;
    if (autoscaler !== before) this.#autoscaler = autoscaler === null ? null : new LifeAutoscaler(autoscaler, this.#now);
  }

  #workloadOf(template: RequestsAndLimits): WorkloadRecord {
    const workload = aWorkloadRecord({}, template);
    const { sidecar } = this.#options;
    if (sidecar === undefined) return workload;
    return { ...workload, containers: [...workload.containers, { ...sidecar, name: SIDECAR, sidecar: false, image: 'proxy:1' }] };
  }

  #deploy(factor: Ratio): void {
    const [container] = this.#workload.containers;
    const larger = (amounts: RequestsAndLimits['requests']): RequestsAndLimits['requests'] => ({
      cpuMillicores: amounts.cpuMillicores === null ? null : Math.round(amounts.cpuMillicores * factor),
      memoryBytes: amounts.memoryBytes === null ? null : Math.round(amounts.memoryBytes * factor),
    });
    const { requests, limits } = container ?? this.#options.template;
    const template = { requests: larger(requests), limits: larger(limits) };
    if (this.#nodesFor(template.requests).length > 0) this.#workload = this.#workloadOf(template);
    const { length } = this.#replicas;
    this.#replicas = [];
    this.#scaleTo(length);
    this.#controller.recordRollout(this.#now);
  }

  #scaleTo(count: number): void {
    const added = Array.from({ length: Math.max(0, count - this.#replicas.length) }, (_, index) =>
      this.#newReplica(this.#replicas.length + index),
    );
    this.#replicas = [...this.#replicas.slice(0, count), ...added];
  }

  #newReplica(index: number): Replica {
    const [container = this.#options.template] = this.#workload.containers;
    const { requests, limits } = container;
    this.#created += 1;
    const name = `web-${index + 1}`;
    const times = { createdAt: this.#now, readySince: this.#now, uid: `uid-${name}-${this.#created}` };
    const { name: node } = this.#nodeFor(requests);
    const record = { startedAt: this.#now };
    const { sidecar } = this.#options;
    const main = aContainer({ requests, limits, record });
    const containers = sidecar === undefined ? [main] : [main, aContainer({ name: SIDECAR, ...sidecar, record })];
    return { pod: aPodRecord({ name, node, ...times, containers }), killsInARow: 0 };
  }

  /** The next node that is large enough, as the scheduler would choose. */
  #nodeFor(requests: RequestsAndLimits['requests']): LifeNode {
    const fitting = this.#nodesFor(requests);
    const node = fitting[this.#created % Math.max(1, fitting.length)];
    if (node === undefined) throw new Error('no node is large enough for the template');
    return node;
  }

  #nodesFor({ cpuMillicores, memoryBytes }: RequestsAndLimits['requests']): readonly LifeNode[] {
    return this.#options.nodes.filter(
      ({ allocatable }) => (cpuMillicores ?? 0) <= allocatable.cpuMillicores && (memoryBytes ?? 0) <= allocatable.memoryBytes,
    );
  }

  #nodeOf({ node }: PodRecord): LifeNode {
    const found = this.#options.nodes.find(({ name }) => name === node);
    if (found === undefined) throw new Error(`no node ${node ?? ''}`);
    return found;
  }

  /** The replicas of an autoscaled workload share its demand. */
  #demand({ demand }: Tick, index: number): Resources {
    const { autoscaler } = this.#settings;
    if (autoscaler === null) return demand(index);
    const { cpuMillicores, memoryBytes } = demand(0);
    return { cpuMillicores: (cpuMillicores * autoscaler.minReplicas) / this.#replicas.length, memoryBytes };
  }

  /** Demand, bounded by the limits. */
  #usageOf(pod: PodRecord, demand: Resources): Resources {
    const container = mainOf(pod);
    const { limits } = container.actual ?? container;
    const { allocatable } = this.#nodeOf(pod);
    return {
      cpuMillicores: Math.min(demand.cpuMillicores, limits.cpuMillicores ?? allocatable.cpuMillicores, allocatable.cpuMillicores),
      memoryBytes: Math.min(demand.memoryBytes, limits.memoryBytes ?? allocatable.memoryBytes, allocatable.memoryBytes),
    };
  }

  /** The samples of a pod that its kubelet reports and the controller accepts. */
  #report(pod: PodRecord, index: number, tick: Tick): readonly (UsageSample & { readonly uid: string })[] {
    if (tick.silent === 'all' || tick.silent === index) return [];
    const { distort = (sample: UsageSample) => sample } = tick;
    const demand = this.#demand(tick, index);
    const usage = this.#usageOf(pod, demand);
    const throttledRatio = this.#throttledRatio(pod, demand, usage, tick);
    const burst = { ...demand, cpuMillicores: demand.cpuMillicores * (tick.burst ?? 1) };
    const cpuPeakMillicores = Math.max(usage.cpuMillicores, this.#usageOf(pod, burst).cpuMillicores);
    const cpuMillicores = (4 * usage.cpuMillicores + cpuPeakMillicores) / 5;
    const sample = distort({ at: this.#now, ...usage, cpuMillicores, cpuPeakMillicores, throttledRatio, throttledSpanMs: TICK_MS });
    return this.#controller.observe(pod, sample, this.#now, this.#nodeOf(pod).allocatable) ? [{ ...sample, uid: pod.uid }] : [];
  }

  #throttledRatio(pod: PodRecord, demand: Resources, usage: Resources, { throttling }: Tick): Ratio | null {
    const container = mainOf(pod);
    const { limits } = container.actual ?? container;
    if (limits.cpuMillicores === null || throttling === 'unmeasured') return null;
    return throttling ?? Math.max(0, 1 - usage.cpuMillicores / Math.max(1, demand.cpuMillicores));
  }

  #killIfOver(replica: Replica, index: number, tick: Tick): void {
    const { pod } = replica;
    const demand = this.#demand(tick, index);
    if (demand.memoryBytes <= this.#usageOf(pod, demand).memoryBytes && tick.nodeKills !== index) {
      replica.killsInARow = 0;
      replica.pod = running(pod, this.#now);
      return;
    }
    replica.killsInARow += 1;
    replica.pod = killed(pod, this.#now, replica.killsInARow >= KILLS_TO_CRASH_LOOP);
    const container = mainOf(pod);
    this.#controller.observeKill(pod.name, this.#now, (container.actual ?? container).limits.memoryBytes);
  }

  #scale(used: ReadonlyMap<string, Resources>): void {
    if (this.#autoscaler === null) return;
    const sum = [...used.values()].reduce((total, { cpuMillicores }) => total + cpuMillicores, 0);
    this.#scaleTo(this.#autoscaler.scale(this.pods, sum / this.#replicas.length, this.#now));
  }

  #answer(replica: Replica, tick: Tick): void {
    const { pod } = replica;
    const { memoryBytes } = this.#usageOf(pod, this.#demand(tick, this.#replicas.indexOf(replica)));
    replica.pod = resizeByNode(this.#nodeOf(pod), pod, memoryBytes, tick.freeRatio ?? 1, this.#now);
  }

  #situation(tick: Tick): WorkloadSituation {
    const now = this.#now;
    const { nodes, kubeletVersion = 'v1.36.0' } = this.#options;
    const pods = this.pods;
    const memory = this.#memory;
    const largestNode = nodes
      .map(({ allocatable }) => allocatable)
      .reduce<Resources | null>((largest, size) => greatest(largest, size), null);
    const since = evidenceSince(memory);
    const { policy, overrides, userRequests } = this.#settings;
    const rules = containerRules(policy, overrides, 'main', greatest(largestNode, memory.largestNode));
    const isStale = tick.silent === 'all';
    const byNode = <T>(value: (pod: PodRecord) => T): ReadonlyMap<string, T> => new Map(pods.map((pod) => [pod.node ?? '', value(pod)]));
    return aSituation({
      now,
      workload: this.#workload,
      pods,
      policy,
      overrides,
      userRequests,
      advice: [...this.#controller.advise(now, since === undefined ? rules : { ...rules, evidenceSince: since }), ...this.#sidecarAdvice()],
      demand: [
        ...this.#controller.demand(),
        ...this.#sidecarAdvice().map(({ container }) => ({ container, windows: [], throttlingMeasuredAt: now })),
      ],
      ...(since === undefined ? {} : { readings: this.#controller.readings() }),
      hpas: this.#autoscaler === null ? [] : [this.#autoscaler.record],
      kubeletVersions: byNode(() => kubeletVersion),
      unreadPods: new Set(pods.filter(({ name }) => this.#controller.isUnread(name, now)).map(({ uid }) => uid)),
      cpuOfNodesWithoutPressure: tick.busyNodes === undefined ? new Map() : byNode(() => tick.busyNodes ?? null),
      nodePools: byNode((pod) => poolOf(this.#nodeOf(pod))),
      nodesOfPods: byNode((pod) => this.#nodeOf(pod).allocatable),
      freeOnNodes: memory.failures.length === 0 ? new Map() : byNode((pod) => freeOn(this.#nodeOf(pod), pod, tick.freeRatio ?? 1)),
      largestNode,
      memory,
      gateState: {
        inPlace: true,
        dryRun: false,
        paused: null,
        stale: isStale ? { source: 'usage', message: 'usage: last confirmed 5 minutes ago' } : null,
        warmUpUntil: this.#controller.observesUntil(now, isStale),
      },
    });
  }

  #sidecarAdvice(): readonly ContainerAdvice[] {
    if (this.#options.sidecar === undefined || this.#sidecarNeed === null) return [];
    const { cpuMillicores, memoryBytes } = this.#sidecarNeed;
    const times = { firstSampleAt: this.#now - 14 * DAY_MS, lastSampleAt: this.#now };
    return [anAdvice({ container: SIDECAR, cpu: `${cpuMillicores}m`, memory: `${memoryBytes}`, ...times })];
  }

  #carryOut({ steps, autoscalers }: WorkloadDecision, tick: Tick): void {
    this.#autoscaler?.follow(autoscalers, podsAfter(this.pods, steps), 'before');
    const resizedBy = { manager: EFFECTS_MANAGER, at: Math.floor(this.#now / SECOND_MS) * SECOND_MS };
    for (const replica of this.#replicas) {
      const changes = steps.find(({ pod }) => pod.uid === replica.pod.uid)?.containers;
      if (changes === undefined) continue;
      replica.pod = { ...withChanges(replica.pod, changes), resizedBy };
      this.#answer(replica, tick);
    }
    this.#autoscaler?.follow(autoscalers, this.pods, 'after');
  }
}

/** The pod with the requested values. The kubelet actuates those of the sidecar at once. */
function withChanges(pod: PodRecord, changes: readonly ContainerChange[]): PodRecord {
  const containers = pod.containers.map((container) => {
    const to = changes.find(({ name }) => name === container.name)?.to;
    if (to === undefined) return container;
    return { ...container, ...to, ...(container.name === SIDECAR ? { actual: to, allocated: to.requests } : {}) };
  });
  return { ...pod, containers };
}

/** Nodes of equal size and kubelet form a pool. */
function poolOf({ allocatable, refuses }: LifeNode): NodePoolOfNode {
  const { cpuMillicores, memoryBytes } = allocatable;
  const pool = `refuses-${refuses ?? 'nothing'}`;
  return { pool, size: `${cpuMillicores}m-${memoryBytes}`, kubeletVersion: 'v1.36.0', oldestNodeAt: T0 - 60 * DAY_MS };
}

function running(pod: PodRecord, now: Instant): PodRecord {
  if (mainOf(pod).state === 'running') return pod;
  const container = { state: 'running', waitingReason: null, startedAt: now, ready: true } as const;
  return { ...withMain(pod, container), ready: true, readySince: now, unreadySince: null };
}

function killed(pod: PodRecord, now: Instant, isCrashLoop: boolean): PodRecord {
  const main = mainOf(pod);
  const common = { restarts: main.restarts + 1, lastTermination: { reason: 'OOMKilled', exitCode: 137, finishedAt: now } };
  if (!isCrashLoop) return withMain(pod, { ...common, state: 'running', waitingReason: null, startedAt: now });
  return {
    ...withMain(pod, { ...common, state: 'waiting', waitingReason: 'CrashLoopBackOff', ready: false }),
    ready: false,
    unreadySince: pod.unreadySince ?? now,
  };
}
