import { MINUTE_MS, SECOND_MS, type Bytes, type DurationMs, type Instant, type Ratio } from '#kube/units';
import { setDemand } from '../kubelet/container-demand.ts';
import type { ContainerRuntime } from '../kubelet/container-runtime.ts';
import { shareCpu } from '../kubelet/cpu-sharing.ts';
import { compareForEviction, CRITICAL_PRIORITY } from '../kubelet/eviction-order.ts';
import type { Kubelet } from '../kubelet/kubelet.ts';
import { EVICTION_THRESHOLD_BYTES } from '../machine-types.ts';
import type { PodRuntime } from '../kubelet/pods/pod-runtime.ts';
import type { ClusterCounters } from '../simulator-counters.ts';
import { settleUsage, waitedRatio } from './usage-accounting.ts';

/**
 * Interval at which demand is compared with the granted resources. Profiles change by the minute and recordings every 5 minutes; half a
 * minute separates start-ups and kills from them. 14 days of a dozen workloads take under a second at full speed.
 */
export const USAGE_STEP_MS: DurationMs = 30 * SECOND_MS;
/** CPU weight of a container without a request: 2 shares, of 1024 for a core. */
const MIN_WEIGHT = 2;
/**
 * The kubelet checks every 10 s, which is within a step: a node that is slightly short at the end of a step had its eviction. One this far
 * beyond its memory was faster than the kubelet.
 */
const SYSTEM_OOM_SHARE: Ratio = 1.05;
/** Lower bound of the running time, however little memory is left for page cache. */
const MAX_RECLAIM_RATIO = 0.8;
/** System daemons wait for each other sometimes, so no node measures 0. */
const SYSTEM_WAITED_RATIO: Ratio = 0.002;
/** A node under memory pressure reclaims page cache from all containers. */
const PRESSED_RECLAIM_RATIO: Ratio = 0.2;

/** Sets the usage of every running container of a node, and kills and evicts those that do not fit. */
export class UsageEngine {
  readonly #counters: ClusterCounters;
  #wanted = new Float64Array(128);
  #weights = new Float64Array(128);
  #granted = new Float64Array(128);

  constructor(counters: ClusterCounters) {
    this.#counters = counters;
  }

  /** Called once per step and node. Does not allocate unless a container is killed. */
  evaluate(kubelet: Kubelet, now: Instant): void {
    const { running } = kubelet;
    this.#reserve(running.length);
    let waited = SYSTEM_WAITED_RATIO;
    let memoryBytes = kubelet.systemMemoryBytes;
    let ownBytes = kubelet.systemMemoryBytes;
    let killed: { readonly pod: PodRuntime; readonly container: ContainerRuntime }[] | null = null;
    for (let i = 0; i < running.length; i++) {
      const entry = running[i];
      if (entry === undefined) continue;
      const { pod, container } = entry;
      waited = Math.max(waited, waitedRatio(container));
      settleUsage(container, now, this.#counters);
      setDemand(pod, container, now);
      const limits = container.limits;
      container.reclaimRatio = reclaimRatio(container);
      this.#wanted[i] = Math.min(container.demandMillicores, limits.cpuMillicores ?? Infinity);
      this.#weights[i] = Math.max(container.requests.cpuMillicores ?? 0, MIN_WEIGHT);
      if (limits.memoryBytes !== null && container.workingSetBytes > limits.memoryBytes) {
        // Page cache is reclaimed first; only memory of the process itself causes a kill.
        if (container.unreclaimableBytes > limits.memoryBytes) {
          if (container.multiProcess) container.oomEvents++;
          else (killed ??= []).push(entry);
        }
        container.workingSetBytes = limits.memoryBytes;
      }
      memoryBytes += container.workingSetBytes;
      ownBytes += Math.min(container.unreclaimableBytes, container.workingSetBytes);
    }
    updateNodeUsage(kubelet, waited, now);
    this.#grant(kubelet, running.length);
    kubelet.workingSetBytes = Math.min(memoryBytes, kubelet.capacity.memoryBytes);
    if (killed !== null) for (const { pod, container } of killed) kubelet.oomKill(pod, container);
    if (ownBytes > kubelet.capacity.memoryBytes * SYSTEM_OOM_SHARE) memoryBytes -= killPodForNode(kubelet, ownBytes);
    const available = kubelet.capacity.memoryBytes - memoryBytes;
    setMemoryPressure(kubelet, available < EVICTION_THRESHOLD_BYTES, now);
    if (available < EVICTION_THRESHOLD_BYTES) evictOne(kubelet, available);
  }

  #grant(kubelet: Kubelet, count: number): void {
    shareCpu(this.#wanted, this.#weights, this.#granted, count, kubelet.capacity.cpuMillicores - kubelet.systemCpuMillicores);
    let total = kubelet.systemCpuMillicores;
    for (let i = 0; i < count; i++) {
      const entry = kubelet.running[i];
      if (entry === undefined) continue;
      entry.container.grantedMillicores = this.#granted[i] ?? 0;
      total += entry.container.grantedMillicores;
    }
    kubelet.grantedMillicores = total;
  }

  #reserve(count: number): void {
    if (count <= this.#wanted.length) return;
    const length = count * 2;
    this.#wanted = new Float64Array(length);
    this.#weights = new Float64Array(length);
    this.#granted = new Float64Array(length);
  }
}

/** A working set above the limit loses its page cache repeatedly; the more so, the less is left for cache. */
function reclaimRatio({ limits, workingSetBytes, unreclaimableBytes }: ContainerRuntime): number {
  const limit = limits.memoryBytes;
  if (limit === null || workingSetBytes <= limit) return 0;
  const filled = Math.min(1, unreclaimableBytes / limit);
  return Math.min(MAX_RECLAIM_RATIO, (2 * (workingSetBytes - limit) * filled ** 4) / limit);
}

/** @param waited share of the time since the last evaluation in which a task of the node waited for CPU */
function updateNodeUsage(kubelet: Kubelet, waited: Ratio, now: Instant): void {
  const spanMs = now - kubelet.evaluatedAt;
  kubelet.cpuCoreSeconds += (kubelet.grantedMillicores * spanMs) / 1e6;
  kubelet.cpuPressure.advance(waited, spanMs);
  kubelet.memoryPressure.advance(kubelet.underMemoryPressure ? PRESSED_RECLAIM_RATIO : 0, spanMs);
  kubelet.evaluatedAt = now;
}

/** The node stays under pressure until 5 minutes without pressure (`evictionPressureTransitionPeriod`). */
const PRESSURE_TRANSITION_MS: DurationMs = 5 * MINUTE_MS;

function setMemoryPressure(kubelet: Kubelet, short: boolean, now: Instant): void {
  if (short) kubelet.pressureSeenAt = now;
  const pressed = kubelet.pressureSeenAt !== null && now - kubelet.pressureSeenAt < PRESSURE_TRANSITION_MS;
  if (pressed !== kubelet.underMemoryPressure) kubelet.reportMemoryPressure(pressed);
}

/**
 * The kernel kills when the kubelet was too slow to evict: the container with the greatest badness (share of the node's memory, adjusted by
 * QoS class), until the others fit. Returns the freed memory.
 */
function killPodForNode(kubelet: Kubelet, ownBytes: Bytes): Bytes {
  const capacityBytes = kubelet.capacity.memoryBytes;
  const candidates = kubelet.running
    .map(({ pod, container }) => ({ pod, container, badness: badnessOf(pod, container, capacityBytes) }))
    .sort((a, b) => b.badness - a.badness || (a.pod.uid < b.pod.uid ? -1 : 1));
  let freed = 0;
  for (const { pod, container } of candidates) {
    if (ownBytes - freed <= capacityBytes) break;
    freed += container.workingSetBytes;
    const message = `System OOM encountered, victim process: ${container.name}, pid: ${1000 + container.restartCount}`;
    kubelet.dependencies.events.record(kubelet.node, { type: 'Warning', reason: 'SystemOOM', message }, kubelet.name);
    kubelet.oomKill(pod, container);
  }
  return freed;
}

/** Thousandths of the node's memory plus `oom_score_adj`, as the kubelet sets it (pkg/kubelet/qos/policy.go). */
function badnessOf(pod: PodRuntime, container: ContainerRuntime, capacityBytes: Bytes): number {
  return (1000 * container.workingSetBytes) / capacityBytes + oomScoreAdjustment(pod, container, capacityBytes);
}

function oomScoreAdjustment(pod: PodRuntime, { requests }: ContainerRuntime, capacityBytes: Bytes): number {
  if (pod.priority >= CRITICAL_PRIORITY || pod.qosClass === 'Guaranteed') return -997;
  if (pod.qosClass === 'BestEffort') return 1000;
  return Math.min(999, Math.max(2, 1000 - (1000 * (requests.memoryBytes ?? 0)) / capacityBytes));
}

/** One pod at a time: the next step checks whether it was enough. */
function evictOne(kubelet: Kubelet, availableBytes: number): void {
  const candidates = [...kubelet.pods()]
    .filter((pod) => !pod.ended && !pod.terminating && pod.priority < CRITICAL_PRIORITY)
    .map((pod) => ({
      pod,
      priority: pod.priority,
      requestedMemoryBytes: pod.allocatedRequests().memoryBytes,
      usedMemoryBytes: usedBy(pod),
    }))
    .filter(({ usedMemoryBytes }) => usedMemoryBytes > 0)
    .sort((a, b) => compareForEviction(a, b) || (a.pod.uid < b.pod.uid ? -1 : 1));
  const victim = candidates[0]?.pod;
  if (victim === undefined) return;
  const threshold = `Threshold quantity: ${EVICTION_THRESHOLD_BYTES / 2 ** 20}Mi, available: ${Math.max(0, Math.floor(availableBytes / 1024))}Ki. `;
  const usage = victim.containers
    .filter((container) => container.workingSetBytes > (container.requests.memoryBytes ?? 0))
    .map((container) => {
      const used = `${Math.floor(container.workingSetBytes / 1024)}Ki`;
      return `Container ${container.name} was using ${used}, request is ${(container.requests.memoryBytes ?? 0) / 1024}Ki, has larger consumption of memory. `;
    });
  kubelet.evict(victim, `The node was low on resource: memory. ${threshold}${usage.join('')}`);
}

function usedBy(pod: PodRuntime): number {
  return pod.containers.reduce((sum, container) => sum + container.workingSetBytes, 0);
}
