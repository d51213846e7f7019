import { SECOND_MS, type DurationMs } from '#kube/units';
import type { Resources } from '#kube/records/resources';
import { hasSameRequestsAndLimits, type ContainerRuntime } from '../container-runtime.ts';
import { refusedByConfiguration, type KubeletConfiguration } from '../kubelet-configuration.ts';
import type { PodHost } from './pod-host.ts';
import type { PodLifecycle } from './pod-lifecycle.ts';
import type { PodRuntime } from './pod-runtime.ts';
import { wireResources } from './pod-status.ts';
import { compareDeferred, decideActuation, decideResize } from './resize-decision.ts';

/** Interval between retries of a failed resize (a memory limit below usage). */
const RETRY_MS: DurationMs = 30 * SECOND_MS;

export interface ResizeHost extends PodHost {
  readonly allocatable: Resources;
  readonly configuration: KubeletConfiguration;
  /** Allocations of all other pods. */
  allocatedBeside(pod: PodRuntime): Resources;
  pods(): Iterable<PodRuntime>;
  /** A resize of a pod was actuated. */
  resized(pod: PodRuntime): void;
}

/** In-place resize on one node: admits the resources of specs, actuates them, and retries deferred resizes. */
export class PodResizer {
  readonly #host: ResizeHost;
  readonly #lifecycle: PodLifecycle;

  constructor(host: ResizeHost, lifecycle: PodLifecycle) {
    this.#host = host;
    this.#lifecycle = lifecycle;
  }

  /** The pod's spec may differ from its allocation. Publishes the status when something changed. */
  consider(pod: PodRuntime): void {
    if (pod.ended || pod.terminating) return;
    if (pod.resizePending?.reason === 'Infeasible' && pod.resizePending.generation === pod.generation) return;
    if (this.#decide(pod)) this.#host.publish(pod);
  }

  /** Capacity was freed: retries the deferred resizes, in the kubelet's order. */
  retryDeferred(): void {
    const deferred = [...this.#host.pods()].filter((pod) => pod.resizePending?.reason === 'Deferred' && !pod.terminating && !pod.ended);
    const ranked = deferred
      .map((pod) => ({
        pod,
        increases: isIncrease(pod.desiredRequests(), pod.allocatedRequests()),
        priority: pod.priority,
        qosClass: pod.qosClass,
        since: pod.resizePending?.since ?? 0,
      }))
      .sort((a, b) => compareDeferred(a, b) || (a.pod.uid < b.pod.uid ? -1 : 1));
    for (const { pod } of ranked) this.consider(pod);
  }

  #decide(pod: PodRuntime): boolean {
    const verdict = decideResize({
      desired: pod.desiredRequests(),
      settled: pod.containers.every((container) => !container.hasPendingResize),
      othersAllocated: this.#host.allocatedBeside(pod),
      nodeAllocatable: this.#host.allocatable,
    });
    const refusal = verdict.kind === 'settled' ? null : refusedByConfiguration(this.#host.configuration, pod);
    if (refusal !== null) return this.#hold(pod, 'Infeasible', refusal);
    switch (verdict.kind) {
      case 'settled': {
        const waited = pod.resizePending !== null;
        pod.resizePending = null;
        return waited;
      }
      case 'allocate':
        this.#allocate(pod);
        return true;
      case 'deferred':
        return this.#hold(pod, 'Deferred', verdict.message);
      case 'infeasible':
        return this.#hold(pod, 'Infeasible', verdict.message);
    }
  }

  #hold(pod: PodRuntime, reason: 'Deferred' | 'Infeasible', message: string): boolean {
    const old = pod.resizePending;
    if (old?.reason === reason && old.message === message && old.generation === pod.generation) return false;
    const since = old?.reason === reason ? old.since : this.#host.now();
    pod.resizePending = { reason, message, since, generation: pod.generation };
    this.#host.event(pod, { type: 'Warning', reason: `Resize${reason}`, message: `Pod resize ${reason}: ${message}` });
    return true;
  }

  #allocate(pod: PodRuntime): void {
    const before = pod.allocatedRequests();
    for (const container of pod.containers) container.allocated = container.spec.resources;
    pod.resizePending = null;
    const after = pod.allocatedRequests();
    if (after.cpuMillicores < before.cpuMillicores || after.memoryBytes < before.memoryBytes) this.#host.retryDeferredResizes();
    if (!pod.containers.some(isPending)) {
      // No container runs with other values: those not started yet start with these, others were not changed.
      pod.cancelActuation?.();
      pod.resizeInProgress = null;
      return;
    }
    pod.resizeInProgress = { since: this.#host.now(), error: null, generation: pod.generation };
    this.#host.event(pod, { type: 'Normal', reason: 'ResizeStarted', message: `Pod resize started: ${describe(pod)}` });
    this.#planActuation(pod, this.#host.draw(`actuate/${pod.name}/${pod.generation}`, 800, 2000));
  }

  #planActuation(pod: PodRuntime, afterMs: DurationMs): void {
    pod.cancelActuation?.();
    pod.cancelActuation = pod.after(afterMs, () => {
      pod.cancelActuation = null;
      this.#actuate(pod);
    });
  }

  /** All containers or none, as in the kubelet: one refusal blocks the whole pod. */
  #actuate(pod: PodRuntime): void {
    const { resizeInProgress } = pod;
    if (resizeInProgress === null || pod.ended || pod.terminating) return;
    const plans = pod.containers.filter(isPending).map((container) => ({ container, plan: actuationOf(container) }));
    const refused = plans.find(({ plan }) => plan.kind === 'refuse')?.plan;
    if (refused?.kind === 'refuse') {
      pod.resizeInProgress = { ...resizeInProgress, error: refused.message };
      this.#host.event(pod, { type: 'Warning', reason: 'ResizeError', message: `Pod resize error: ${refused.message}` });
      this.#host.publish(pod);
      this.#planActuation(pod, RETRY_MS);
      return;
    }
    pod.resizeInProgress = null;
    for (const { container, plan } of plans) {
      if (plan.kind === 'restart' && container.isRunning) this.#lifecycle.restartForResize(pod, container);
      else container.actual = container.allocated;
    }
    this.#host.event(pod, { type: 'Normal', reason: 'ResizeCompleted', message: `Pod resize completed: ${describe(pod)}` });
    this.#host.resized(pod);
    this.#host.publish(pod);
  }
}

/** Runs, or ran, with other resources than allocated. */
function isPending(container: ContainerRuntime): boolean {
  return container.actual !== null && container.spec.role !== 'init' && !hasSameRequestsAndLimits(container.actual, container.allocated);
}

function actuationOf(container: ContainerRuntime): ReturnType<typeof decideActuation> {
  return decideActuation({
    container: container.name,
    from: container.actual ?? container.allocated,
    to: container.allocated,
    restartOn: container.spec.restartOn,
    usedMemoryBytes: container.isRunning ? container.workingSetBytes : 0,
  });
}

function isIncrease(desired: Resources, allocated: Resources): boolean {
  return desired.cpuMillicores > allocated.cpuMillicores || desired.memoryBytes > allocated.memoryBytes;
}

function describe(pod: PodRuntime): string {
  const containers = pod.containers
    .filter(({ spec }) => spec.role !== 'init')
    .map(({ name, allocated }) => ({ name, resources: wireResources(allocated) }));
  return JSON.stringify({ containers, generation: pod.generation });
}
