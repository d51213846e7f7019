import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '../../../core/model/units.ts';
import { setDemand } from '../kubelet/container-demand.ts';
import type { ContainerRuntime } from '../kubelet/container-runtime.ts';
import { shareCpu } from '../kubelet/cpu-sharing.ts';
import { compareForEviction, CRITICAL_PRIORITY } from '../kubelet/eviction-order.ts';
import type { Kubelet } from '../kubelet/kubelet.ts';
import { EVICTION_THRESHOLD_BYTES } from '../machine-types.ts';
import { KILLED_EXIT_CODE } from '../kubelet/pod-lifecycle.ts';
import type { PodRuntime } from '../kubelet/pod-runtime.ts';
import type { ClusterCounters } from '../simulator-counters.ts';
import { settleUsage } from './usage-accounting.ts';

/**
 * Step at which need is compared with what is given. Profiles move by the minute and recordings by 5 minutes; half a
 * minute keeps start-ups and kills apart from them. 14 days of a dozen workloads take under a second at full speed.
 */
export const USAGE_STEP_MS: DurationMs = 30 * SECOND_MS;
/** CPU weight of a container that requests nothing: 2 shares of 1024 for a core. */
const LEAST_WEIGHT = 2;

/** Sets what every running container of a node uses from now on, and kills and evicts what does not fit. */
export class UsageEngine {
  readonly #counters: ClusterCounters;
  #wanted = new Float64Array(128);
  #weights = new Float64Array(128);
  #granted = new Float64Array(128);

  constructor(counters: ClusterCounters) {
    this.#counters = counters;
  }

  /** Once each step and node. No allocation unless something is killed. */
  evaluate(kubelet: Kubelet, now: Instant): void {
    const { running } = kubelet;
    this.#reserve(running.length);
    settleNode(kubelet, now);
    let memoryBytes = kubelet.systemMemoryBytes;
    let killed: { readonly pod: PodRuntime; readonly container: ContainerRuntime }[] | null = null;
    for (let i = 0; i < running.length; i++) {
      const entry = running[i];
      if (entry === undefined) continue;
      const { pod, container } = entry;
      settleUsage(container, now, this.#counters);
      setDemand(pod, container, now);
      const limits = container.limits;
      this.#wanted[i] = Math.min(container.demandMillicores, limits.cpuMillicores ?? Infinity);
      this.#weights[i] = Math.max(container.requests.cpuMillicores ?? 0, LEAST_WEIGHT);
      if (limits.memoryBytes !== null && container.workingSetBytes > limits.memoryBytes) {
        // Cache goes first; only what a process holds itself kills it.
        if (container.ownMemoryBytes > limits.memoryBytes) (killed ??= []).push(entry);
        container.workingSetBytes = limits.memoryBytes;
      }
      memoryBytes += container.workingSetBytes;
    }
    this.#grant(kubelet, running.length);
    kubelet.workingSetBytes = Math.min(memoryBytes, kubelet.capacity.memoryBytes);
    if (killed !== null) for (const { pod, container } of killed) this.#oomKill(kubelet, pod, container, now);
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

  #oomKill(kubelet: Kubelet, pod: PodRuntime, container: ContainerRuntime, now: Instant): void {
    this.#counters.oomKills++;
    if (container.tally !== null) container.tally.oomKills++;
    container.archive?.recordOomKill(now, container.limits.memoryBytes);
    kubelet.lifecycle.containerEnded(pod, container, KILLED_EXIT_CODE, 'OOMKilled');
  }

  #reserve(count: number): void {
    if (count <= this.#wanted.length) return;
    const length = count * 2;
    this.#wanted = new Float64Array(length);
    this.#weights = new Float64Array(length);
    this.#granted = new Float64Array(length);
  }
}

function settleNode(kubelet: Kubelet, now: Instant): void {
  kubelet.cpuCoreSeconds += (kubelet.grantedMillicores * (now - kubelet.evaluatedAt)) / 1e6;
  kubelet.evaluatedAt = now;
}

/** The node stays under pressure until it has been well for 5 minutes (`evictionPressureTransitionPeriod`). */
const PRESSURE_TRANSITION_MS: DurationMs = 5 * MINUTE_MS;

function setMemoryPressure(kubelet: Kubelet, short: boolean, now: Instant): void {
  if (short) kubelet.pressureSeenAt = now;
  const pressed = kubelet.pressureSeenAt !== null && now - kubelet.pressureSeenAt < PRESSURE_TRANSITION_MS;
  if (pressed !== kubelet.underMemoryPressure) kubelet.reportMemoryPressure(pressed);
}

/** One pod at a time: the next step sees whether it was enough. */
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
