import type { Resources } from '#kube/records/resources';
import { MiB, SECOND_MS, type Bytes, type DurationMs, type Instant } from '#kube/units';
import type { Clock } from '../../ports/clock.ts';
import type { Pod, PodStatus } from '../../controllers/wire/pod.ts';
import type { ClusterAccess } from '../../api/cluster-access.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { between } from '../../clock/seeded-hash.ts';
import { ScaledCurve } from '../../usage/demand-curve.ts';
import { parseUsageAnnotation, USAGE_ANNOTATION, type StatedProfile } from '../../usage/usage-annotation.ts';
import type { UsageArchive } from '../../usage/usage-archive.ts';
import type { UsagePlan } from '../../usage/usage-plan.ts';
import type { ContainerLogs } from '../endpoints/container-logs.ts';
import { setDemand } from './container-demand.ts';
import type { ContainerRuntime, Termination } from './container-runtime.ts';
import type { EventText, EventWriter } from '../../api/event-writer.ts';
import { KILLED_EXIT_CODE, PodLifecycle, startupBoostMs } from './pods/pod-lifecycle.ts';
import { kubeletConfigurationOf, type KubeletConfiguration } from './kubelet-configuration.ts';
import { PodResizer, type ResizeHost } from './pods/pod-resizer.ts';
import { Pressure } from './pressure.ts';
import { PodRuntime } from './pods/pod-runtime.ts';
import { asPod, optionalResources } from './pods/pod-spec.ts';
import { podStatus } from './pods/pod-status.ts';
import { findShortage } from './pods/resize-decision.ts';
import { taintForMemoryPressure, writeMemoryPressure } from './node-pressure.ts';
import type { ClusterCounters, ContainerTallies } from '../simulator-counters.ts';
import { settleUsage } from '../load/usage-accounting.ts';
import type { WorkloadLoads } from '../load/workload-loads.ts';

/** Coalesces several changes of the same time: a real kubelet also checks once per sync. */
const RETRY_DEFERRED_MS: DurationMs = SECOND_MS;
/** Memory and CPU of the system and the kubelet itself, outside of every pod. */
const SYSTEM_MEMORY_BYTES: Bytes = 420 * MiB;
const SYSTEM_CPU_MILLICORES = 45;
const PRESSURE_SINCE_MINOR = 34;

/** Shared by all kubelets of a cluster. */
export interface KubeletDependencies {
  readonly cluster: ClusterAccess;
  readonly clock: Clock;
  readonly seed: number;
  readonly events: EventWriter;
  readonly loads: WorkloadLoads;
  readonly plan: UsagePlan;
  readonly archive: UsageArchive;
  readonly logs: ContainerLogs;
  readonly counters: ClusterCounters;
  readonly tallies: ContainerTallies;
}

/** The kubelet of one node: runs its pods and writes their status. */
export class Kubelet implements ResizeHost {
  readonly name: string;
  readonly dependencies: KubeletDependencies;
  readonly startedAt: Instant;
  readonly lifecycle: PodLifecycle;
  /** Running containers with usage, in the order of their start. */
  readonly running: { readonly pod: PodRuntime; readonly container: ContainerRuntime }[] = [];
  /** CPU used by the whole node since its start, and its working set, as of the last evaluation. */
  cpuCoreSeconds = 0;
  evaluatedAt: Instant;
  grantedMillicores = SYSTEM_CPU_MILLICORES;
  workingSetBytes: Bytes = SYSTEM_MEMORY_BYTES;
  readonly cpuPressure = new Pressure();
  readonly memoryPressure = new Pressure();
  /** Time of the last memory pressure; null: never. */
  pressureSeenAt: Instant | null = null;
  underMemoryPressure = false;
  #capacity: Resources;
  #allocatable: Resources;
  #object: KubeObject;
  readonly #resizer: PodResizer;
  readonly #pods = new Map<string, PodRuntime>();
  readonly #images = new Set<string>();
  #cancelRetry: (() => void) | null = null;

  constructor(node: KubeObject, dependencies: KubeletDependencies) {
    this.name = node.metadata.name;
    this.dependencies = dependencies;
    this.startedAt = this.evaluatedAt = dependencies.clock.now();
    this.#object = node;
    this.#capacity = nodeResources(node, 'capacity');
    this.#allocatable = nodeResources(node, 'allocatable');
    this.lifecycle = new PodLifecycle(this);
    this.#resizer = new PodResizer(this, this.lifecycle);
  }

  get node(): KubeObject {
    return this.#object;
  }
  get capacity(): Resources {
    return this.#capacity;
  }
  get allocatable(): Resources {
    return this.#allocatable;
  }
  get configuration(): KubeletConfiguration {
    return kubeletConfigurationOf(this.#object.metadata.annotations);
  }
  /** Since 1.34 (`KubeletPSI`). */
  get hasPressureStats(): boolean {
    const { nodeInfo } = this.#object['status'] as { readonly nodeInfo?: { readonly kubeletVersion?: string } };
    return Number(nodeInfo?.kubeletVersion?.split('.')[1] ?? 0) >= PRESSURE_SINCE_MINOR;
  }
  get systemMemoryBytes(): Bytes {
    return SYSTEM_MEMORY_BYTES;
  }
  get systemCpuMillicores(): number {
    return SYSTEM_CPU_MILLICORES;
  }

  /** The Node object changed. */
  update(node: KubeObject): void {
    this.#object = node;
    const allocatable = nodeResources(node, 'allocatable');
    const grew = allocatable.cpuMillicores > this.#allocatable.cpuMillicores || allocatable.memoryBytes > this.#allocatable.memoryBytes;
    this.#capacity = nodeResources(node, 'capacity');
    this.#allocatable = allocatable;
    if (grew) this.retryDeferredResizes();
  }

  /** Every pod on the node, including ended ones. */
  pods(): Iterable<PodRuntime> {
    return this.#pods.values();
  }

  /** CPU used by the whole node since its start, at any time after the last evaluation. */
  cpuCoreSecondsAt(at: Instant): number {
    return this.cpuCoreSeconds + (this.grantedMillicores * Math.max(0, at - this.evaluatedAt)) / 1e6;
  }

  findPod(uid: string): PodRuntime | undefined {
    return this.#pods.get(uid);
  }

  /** A pod on this node was added or changed. */
  sync(object: Pod): void {
    const known = this.#pods.get(object.metadata.uid);
    if (known === undefined) {
      this.#admit(object);
      return;
    }
    known.update(object);
    if (object.metadata.deletionTimestamp !== undefined) {
      if (!known.terminating && isEviction(object)) this.dependencies.counters.evictions++;
      if (known.ended) this.finishDeletion(known);
      else this.lifecycle.beginDeletion(known);
    } else this.#resizer.consider(known);
  }

  /** A pod's object was deleted: its running containers are killed. */
  forget(uid: string): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    pod.cancelAll();
    for (const container of pod.containers) this.#stopUsage(pod, container);
    pod.ended = true;
    this.readinessChanged(pod);
    this.#pods.delete(uid);
    this.dependencies.logs.forget(uid);
    this.retryDeferredResizes();
  }

  /** The node was deleted, with everything on it. */
  stop(): void {
    for (const uid of [...this.#pods.keys()]) this.forget(uid);
    this.#cancelRetry?.();
  }

  /** Sets the MemoryPressure condition, and the taint that the node lifecycle controller would set. */
  reportMemoryPressure(pressed: boolean): void {
    this.underMemoryPressure = pressed;
    const { cluster } = this.dependencies;
    cluster.modifyStatus('nodes', null, this.name, (draft) => writeMemoryPressure(draft, pressed, this.now()));
    cluster.modify('nodes', null, this.name, (draft) => taintForMemoryPressure(draft, pressed));
    const reason = pressed ? 'NodeHasInsufficientMemory' : 'NodeHasSufficientMemory';
    this.dependencies.events.record(
      this.#object,
      { type: 'Normal', reason, message: `Node ${this.name} status is now: ${reason}` },
      this.name,
    );
  }

  evict(pod: PodRuntime, message: string): void {
    this.dependencies.counters.evictions++;
    this.event(pod, { type: 'Warning', reason: 'Evicted', message });
    this.lifecycle.fail(pod, 'Evicted', message);
  }

  #admit(object: Pod): void {
    const phase = object.status.phase;
    if (phase === 'Succeeded' || phase === 'Failed') return;
    const { loads, clock, seed } = this.dependencies;
    const load = loads.of(object);
    const traits = {
      skew: load.skewOf(seed, object.metadata.name),
      networkBytesPerCoreSecond: this.draw(`net/${load.ref.name}`, 2e5, 4e6),
    };
    const pod = new PodRuntime(object, load, clock, traits);
    this.#pods.set(pod.uid, pod);
    if (object.metadata.deletionTimestamp !== undefined) {
      this.finishDeletion(pod);
      return;
    }
    this.#planUsage(pod);
    const shortage = findShortage(pod.allocatedRequests(), this.allocatedBeside(pod), this.#allocatable);
    if (shortage === null) {
      this.lifecycle.begin(pod);
      return;
    }
    const reason = shortage.includes('resource: cpu') ? 'OutOfcpu' : 'OutOfmemory';
    this.event(pod, { type: 'Warning', reason, message: shortage });
    this.lifecycle.fail(pod, reason, `Pod was rejected: ${shortage}`);
  }

  #planUsage(pod: PodRuntime): void {
    const stated = this.#statedUsage(pod);
    const runsToEnd = pod.load.ref.kind === 'Job' || pod.load.ref.kind === 'CronJob';
    for (const container of pod.containers) {
      const { resources, role } = container.spec;
      if (role === 'init') continue;
      const size = {
        name: container.name,
        cpuMillicores: resources.requests.cpuMillicores ?? resources.limits.cpuMillicores,
        memoryBytes: resources.requests.memoryBytes ?? resources.limits.memoryBytes,
      };
      const planned = this.dependencies.plan.usageOf(pod.load.ref, size, stated[container.name]);
      const { perNodeCores, multiProcess = false } = stated[container.name] ?? {};
      container.multiProcess = multiProcess;
      container.curve =
        perNodeCores === undefined ? planned.curve : new ScaledCurve(planned.curve, this.capacity.cpuMillicores / 1000 / perNodeCores);
      container.runMs = runsToEnd && role === 'main' ? planned.runSeconds * SECOND_MS : null;
      container.cacheShare = planned.cacheShare;
      container.startupCpuMillicores = planned.startup.cpuMillicores;
      container.startupMemoryBytes = planned.startup.memoryBytes;
      container.startupMs = planned.startup.seconds === null ? null : planned.startup.seconds * SECOND_MS;
      container.tally = this.dependencies.tallies.of(pod.load.ref, container.name);
      const ref = { namespace: pod.namespace, pod: pod.name, container: container.name };
      container.archive = this.dependencies.archive.open(pod.uid, ref, pod.load.ref);
    }
  }

  #statedUsage(pod: PodRuntime): Readonly<Record<string, StatedProfile>> {
    const text = pod.object.metadata.annotations?.[USAGE_ANNOTATION];
    if (text === undefined) return {};
    const parsed = parseUsageAnnotation(text);
    if (parsed.ok) return parsed.byContainer;
    this.event(pod, {
      type: 'Warning',
      reason: 'InvalidUsageProfile',
      message: `${parsed.problems.join('; ')}; usage is drawn from the seed instead`,
    });
    return {};
  }

  // Services of a node for its pods.

  now(): Instant {
    return this.dependencies.clock.now();
  }

  draw(what: string, from: number, to: number): number {
    return between(this.dependencies.seed, what, from, to);
  }

  publish(pod: PodRuntime): void {
    const now = this.now();
    const written = this.dependencies.cluster.modifyStatus('pods', pod.namespace, pod.name, (draft) => {
      if (draft.metadata.uid !== pod.uid) return;
      draft['status'] = podStatus(pod, (draft['status'] ?? {}) as PodStatus, '127.0.0.1', now);
    });
    if (written?.metadata.uid === pod.uid) pod.object = asPod(written);
  }

  event(pod: PodRuntime, words: EventText, container?: ContainerRuntime): void {
    const list = container?.spec.role === 'main' ? 'containers' : 'initContainers';
    const about = container === undefined ? words : { ...words, fieldPath: `spec.${list}{${container.name}}` };
    this.dependencies.events.record(pod.object, about, this.name);
  }

  pullMs(image: string, pullsAlways: boolean): DurationMs {
    if (this.#images.has(image)) return pullsAlways ? Math.round(this.draw(`check/${image}/${this.name}`, 200, 900)) : 0;
    this.#images.add(image);
    return Math.round(this.draw(`pull/${image}/${this.name}`, 1500, 12_000));
  }

  containerStarted(pod: PodRuntime, container: ContainerRuntime): void {
    const now = this.now();
    container.evaluatedAt = now;
    container.resetCounters();
    container.demandMillicores = container.grantedMillicores = container.workingSetBytes = 0;
    container.startupUntil = now + (container.startupMs ?? startupBoostMs(this, pod, container));
    if (container.restartCount > 0) {
      this.dependencies.counters.restarts++;
      if (container.tally !== null) container.tally.restarts++;
    }
    if (container.curve !== null) {
      this.running.push({ pod, container });
      // Until the next step its demand is granted: a node never runs short at the time of a start.
      setDemand(pod, container, now);
      container.grantedMillicores = Math.min(container.demandMillicores, container.limits.cpuMillicores ?? Infinity);
      container.workingSetBytes = Math.min(container.workingSetBytes, container.limits.memoryBytes ?? Infinity);
    }
    this.dependencies.logs.started(pod, container, now);
    this.#killAtStart(pod, container);
  }

  /** The kernel kills a container, because of its own limit or of the node's memory. */
  oomKill(pod: PodRuntime, container: ContainerRuntime): void {
    this.dependencies.counters.oomKills++;
    if (container.tally !== null) container.tally.oomKills++;
    container.archive?.recordOomKill(this.now(), container.limits.memoryBytes);
    this.lifecycle.containerEnded(pod, container, KILLED_EXIT_CODE, 'OOMKilled');
  }

  /** A start that needs more than its limit ends before the first step of the usage engine. */
  #killAtStart(pod: PodRuntime, container: ContainerRuntime): void {
    const { startupMemoryBytes, containerId } = container;
    if (startupMemoryBytes === null || startupMemoryBytes <= (container.limits.memoryBytes ?? Infinity)) return;
    pod.after(this.draw(`killed/${pod.name}/${container.name}`, 300, 1100), () => {
      if (container.containerId === containerId && container.isRunning) this.oomKill(pod, container);
    });
  }

  containerStopped(pod: PodRuntime, container: ContainerRuntime, termination: Termination): void {
    this.#stopUsage(pod, container);
    this.dependencies.logs.ended(pod, container, termination);
  }

  readinessChanged(pod: PodRuntime): void {
    const ready =
      !pod.ended &&
      !pod.terminating &&
      pod.initialized &&
      pod.containers.every((container) => container.spec.role === 'init' || container.ready);
    if (ready === pod.ready) return;
    pod.ready = ready;
    pod.load.addReady(ready ? 1 : -1);
    if (ready) for (const container of pod.mainContainers()) this.dependencies.logs.ready(pod, container, this.now());
  }

  retryDeferredResizes(): void {
    if (this.#cancelRetry !== null) return;
    this.#cancelRetry = this.dependencies.clock.schedule(this.now() + RETRY_DEFERRED_MS, () => {
      this.#cancelRetry = null;
      this.#resizer.retryDeferred();
    });
  }

  finishDeletion(pod: PodRuntime): void {
    this.dependencies.cluster.delete('pods', pod.namespace, pod.name, { uid: pod.uid, gracePeriodSeconds: 0 });
  }

  allocatedBeside(pod: PodRuntime): Resources {
    let cpuMillicores = 0;
    let memoryBytes = 0;
    for (const other of this.#pods.values()) {
      if (other === pod) continue;
      const allocated = other.allocatedRequests();
      cpuMillicores += allocated.cpuMillicores;
      memoryBytes += allocated.memoryBytes;
    }
    return { cpuMillicores, memoryBytes };
  }

  resized(pod: PodRuntime): void {
    this.dependencies.counters.resizes++;
    for (const container of pod.mainContainers()) this.dependencies.logs.resized(pod, container, this.now());
  }

  #stopUsage(pod: PodRuntime, container: ContainerRuntime): void {
    const index = this.running.findIndex((entry) => entry.container === container);
    if (index < 0) return;
    settleUsage(container, this.now(), this.dependencies.counters);
    pod.endedCoreSeconds += container.cpuCoreSeconds;
    container.demandMillicores = container.grantedMillicores = container.workingSetBytes = 0;
    this.running.splice(index, 1);
  }
}

/** Deleted through the eviction API, for example by a drain. */
function isEviction(pod: Pod): boolean {
  return pod.status.conditions?.some(({ type, reason }) => type === 'DisruptionTarget' && reason === 'EvictionByEvictionAPI') ?? false;
}

function nodeResources(node: KubeObject, list: 'capacity' | 'allocatable'): Resources {
  const status = node['status'] as Readonly<Record<string, Record<string, string> | undefined>> | undefined;
  const found = optionalResources(status?.[list]);
  return { cpuMillicores: found.cpuMillicores ?? 0, memoryBytes: found.memoryBytes ?? 0 };
}
