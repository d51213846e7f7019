// One workload lives through days of usage: samples go to a real recommender, its advice to a real decision, the decision's
// resizes to pods whose kernel kills and throttles them. What the cluster around it does is played in the simplest way, so
// that thousands of lives take seconds.

import { Recommender } from '../../src/core/recommender/recommender.ts';
import type { ContainerRecord, PodRecord } from '../../src/core/model/pod.ts';
import type { OptionalResources, RequestsAndLimits, Resources } from '../../src/core/model/resources.ts';
import { type DurationMs, type Instant, MINUTE_MS } from '../../src/core/model/units.ts';
import type { UsageSample } from '../../src/core/model/usage.ts';
import { workloadKey, type WorkloadRecord } from '../../src/core/model/workload.ts';
import { decideWorkload } from '../../src/core/resize/layers/decide-workload.ts';
import type { WorkloadDecision } from '../../src/core/resize/model/decision.ts';
import { raisesAnything } from '../../src/core/resize/model/container-values.ts';
import type { ResizeStep } from '../../src/core/resize/model/resize-step.ts';
import { NO_MEMORY, type ResizeMemory, type WorkloadSituation } from '../../src/core/resize/model/situation.ts';
import { containerRules } from '../../src/core/resize/policy/container-rules.ts';
import type { PolicyRules } from '../../src/core/resize/policy/policy-rules.ts';
import type { WorkloadOverrides } from '../../src/core/resize/policy/workload-overrides.ts';
import { aPodRecord, aSituation, autoPolicy, aWorkloadRecord, NO_OVERRIDES, resized, T0 } from './rightsizing.ts';

/** Usage is sampled, and a decision made, this often. */
export const TICK_MS: DurationMs = 5 * MINUTE_MS;
/** Kills in a row after which the kubelet waits before it starts the container again. */
const KILLS_TO_CRASH_LOOP = 2;

/** What happens in one tick. Demand is what the container would use if nothing held it back. */
export interface Tick {
  readonly demand: (replica: number) => Resources;
  /** The nodes have no free capacity: a raise stays Deferred. */
  readonly nodesFull?: boolean;
  /** The kubelet reports nothing. */
  readonly silent?: boolean;
  /** This replica is killed by its node, which runs out of memory; far below its own limit perhaps. */
  readonly nodeKills?: number;
  /** A new version is rolled out: every pod is replaced by one of the template's size. */
  readonly deploy?: boolean;
  /** Distorts what the kubelet reports: counters that jump, repeat or run backwards. */
  readonly distort?: (sample: UsageSample) => UsageSample;
}

export interface LifeOptions {
  readonly template: RequestsAndLimits;
  readonly replicas: number;
  readonly policy?: Partial<PolicyRules>;
  readonly overrides?: Partial<WorkloadOverrides>;
  /** Allocatable of every node; each replica has one to itself. */
  readonly node: Resources;
}

interface Replica {
  pod: PodRecord;
  killsInARow: number;
}

/** What one tick led to. */
export interface Lived {
  readonly now: Instant;
  readonly situation: WorkloadSituation;
  readonly decision: WorkloadDecision;
  readonly steps: readonly ResizeStep[];
  readonly pods: readonly PodRecord[];
  /** Highest working set of a replica in this tick. */
  readonly usedBytes: number;
  /** Names of the pods that were killed for want of memory. */
  readonly killed: readonly string[];
}

export class WorkloadLife {
  readonly #options: LifeOptions;
  readonly #policy: PolicyRules;
  readonly #recommender = new Recommender();
  readonly #workload: WorkloadRecord;
  #replicas: readonly Replica[];
  #memory: ResizeMemory = NO_MEMORY;
  #now: Instant = T0;
  #version = 1;

  constructor(options: LifeOptions) {
    this.#options = options;
    this.#policy = autoPolicy(options.policy);
    this.#workload = aWorkloadRecord({}, options.template);
    this.#replicas = this.#newPods();
  }

  get memory(): ResizeMemory {
    return this.#memory;
  }

  get now(): Instant {
    return this.#now;
  }

  get pods(): readonly PodRecord[] {
    return this.#replicas.map(({ pod }) => pod);
  }

  /** Lives through one tick: usage, kills, a decision, and what the kubelets make of it. */
  live(tick: Tick): Lived {
    this.#now += TICK_MS;
    if (tick.deploy === true) this.#deploy();
    const usedBytes = Math.max(...this.#replicas.map(({ pod }, index) => this.#memoryOf(pod, tick.demand(index))));
    const killed = this.#replicas.flatMap((replica, index) => (this.#use(replica, index, tick) ? [replica.pod.name] : []));
    if (tick.nodesFull !== true) for (const replica of this.#replicas) replica.pod = admitted(replica.pod);
    const situation = this.#situation();
    const decision = decideWorkload(situation);
    this.#memory = decision.memory;
    this.#carryOut(decision.steps, tick.nodesFull === true);
    return { now: this.#now, situation, decision, steps: decision.steps, pods: this.pods, usedBytes, killed };
  }

  #deploy(): void {
    this.#version += 1;
    this.#replicas = this.#newPods();
    this.#recommender.noteChange(this.#key(), this.#now);
  }

  #newPods(): readonly Replica[] {
    return Array.from({ length: this.#options.replicas }, (_, index) => {
      const name = `web-${index + 1}`;
      const born = { createdAt: this.#now, readySince: this.#now, uid: `uid-${name}-${this.#version}` };
      const container = { ...this.#options.template, record: { startedAt: this.#now } };
      return { pod: aPodRecord({ name, node: `n${index + 1}`, ...born, container }), killsInARow: 0 };
    });
  }

  /** Uses what is demanded as far as the limits let it; true where it was killed. */
  #use(replica: Replica, index: number, { demand, silent, nodeKills, distort = (sample) => sample }: Tick): boolean {
    const { node } = this.#options;
    const wanted = demand(index);
    const container = mainOf(replica.pod);
    const inForce = container.actual ?? container;
    const cpuLimit = Math.min(inForce.limits.cpuMillicores ?? Infinity, node.cpuMillicores);
    const memoryBytes = this.#memoryOf(replica.pod, wanted);
    const overLimit = wanted.memoryBytes > memoryBytes;
    const sample: UsageSample = {
      at: this.#now,
      cpuMillicores: Math.min(wanted.cpuMillicores, cpuLimit),
      memoryBytes,
      throttledRatio: inForce.limits.cpuMillicores === null ? null : Math.max(0, 1 - cpuLimit / Math.max(1, wanted.cpuMillicores)),
    };
    if (silent !== true) this.#recommender.observe(this.#key(), container.name, replica.pod.name, distort(sample));
    if (!overLimit && nodeKills !== index) {
      replica.killsInARow = 0;
      replica.pod = running(replica.pod, this.#now);
      return false;
    }
    replica.killsInARow += 1;
    replica.pod = killed(replica.pod, this.#now, replica.killsInARow >= KILLS_TO_CRASH_LOOP);
    this.#recommender.observeOom(this.#key(), container.name, this.#now, inForce.limits.memoryBytes);
    return true;
  }

  /** Working set: what is demanded, as far as the limit lets it. */
  #memoryOf(pod: PodRecord, demand: Resources): number {
    const container = mainOf(pod);
    return Math.min(demand.memoryBytes, (container.actual ?? container).limits.memoryBytes ?? this.#options.node.memoryBytes);
  }

  #situation(): WorkloadSituation {
    const { node, overrides } = this.#options;
    const pods = this.pods;
    const merged = { ...NO_OVERRIDES, ...overrides };
    const rules = containerRules(this.#policy, merged, 'main', node);
    const nodes = pods.map((pod) => pod.node ?? '');
    return aSituation({
      now: this.#now,
      workload: this.#workload,
      pods,
      policy: this.#policy,
      overrides: merged,
      advice: this.#recommender.advise(this.#key(), this.#now, rules),
      kubeletVersions: new Map(nodes.map((name) => [name, 'v1.36.0'])),
      freeOnNodes: new Map(pods.map((pod) => [pod.node ?? '', free(node, mainOf(pod).requests)])),
      largestNode: node,
      memory: this.#memory,
    });
  }

  #carryOut(steps: readonly ResizeStep[], nodesFull: boolean): void {
    const taken = steps.filter(({ containers }) => !nodesFull || !containers.some(({ from, to }) => raisesAnything(from, to)));
    const deferred = steps.filter((step) => !taken.includes(step));
    const pods = resized(this.pods, taken);
    const asked = resized(pods, deferred);
    this.#replicas.forEach((replica, index) => {
      const pod = pods[index] ?? replica.pod;
      const wanted = asked[index] ?? pod;
      replica.pod = wanted === pod ? pod : deferredPod(pod, wanted, this.#now);
    });
  }

  #key(): string {
    return workloadKey(this.#workload);
  }
}

/** The one container of such a pod. */
export function mainOf(pod: PodRecord): ContainerRecord {
  const [main] = pod.containers;
  if (main === undefined) throw new Error(`${pod.name} has no container`);
  return main;
}

function withMain(pod: PodRecord, change: Partial<ContainerRecord>): PodRecord {
  return { ...pod, containers: [{ ...mainOf(pod), ...change }] };
}

function running(pod: PodRecord, now: Instant): PodRecord {
  if (mainOf(pod).state === 'running') return pod;
  return { ...withMain(pod, { state: 'running', waitingReason: null, startedAt: now, ready: true }), ready: true, readySince: now };
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

/** Its spec asks for more than the node has free: what is in force stays. */
function deferredPod(before: PodRecord, wanted: PodRecord, now: Instant): PodRecord {
  const { actual, allocated } = mainOf(before);
  const resize = { state: 'deferred' as const, message: 'Node didn’t have enough resource', since: before.resize.since ?? now };
  return { ...withMain(wanted, { actual, allocated }), resize };
}

/** The node has free capacity again: what was deferred is in force. */
function admitted(pod: PodRecord): PodRecord {
  if (pod.resize.state !== 'deferred') return pod;
  const { requests, limits } = mainOf(pod);
  return { ...withMain(pod, { actual: { requests, limits }, allocated: requests }), resize: { state: 'none', message: '', since: null } };
}

function free(node: Resources, requests: OptionalResources): Resources {
  return {
    cpuMillicores: node.cpuMillicores - (requests.cpuMillicores ?? 0),
    memoryBytes: node.memoryBytes - (requests.memoryBytes ?? 0),
  };
}
