import type { RequestsAndLimits, Resources } from '#kube/records/resources';
import type { Bytes, DurationMs, Instant } from '#kube/units';
import type { Clock } from '../../../ports/clock.ts';
import type { Pod } from '../../../controllers/wire/pod.ts';
import { qosClassOf } from '../../../admission/pod/qos-class.ts';
import { ContainerRuntime } from '../container-runtime.ts';
import { containerSpecs, podRequests, requestsAndLimits } from './pod-spec.ts';
import type { WorkloadLoad } from '../../load/workload-load.ts';

/** An allocated resize that is being actuated. */
export interface ResizeInProgress {
  readonly since: Instant;
  /** Error of the last attempt; null without an error. */
  readonly error: string | null;
  readonly generation: number;
}

/** A resize that the node has not allocated. */
export interface ResizePending {
  readonly reason: 'Deferred' | 'Infeasible';
  readonly message: string;
  readonly since: Instant;
  readonly generation: number;
}

/** Annotation on a pod, `true`: its kubelet omits it from its usage pages. */
const UNREPORTED_ANNOTATION = 'simulator.evenkeel.io/unreported';

/** State of one pod on a node. Mutable, owned by its kubelet. */
export class PodRuntime {
  /** Latest version of the pod from the store. */
  object: Pod;
  readonly containers: readonly ContainerRuntime[];
  readonly load: WorkloadLoad;
  readonly skew: number;
  readonly qosClass: string;
  /** Reason of the kubelet for a pod that it ended: `Evicted`, `OutOfcpu`. */
  failure: { readonly reason: string; readonly message: string } | null = null;
  startTime: Instant | null = null;
  podIp: string | null = null;
  terminating = false;
  /** No container runs and none will again. */
  ended = false;
  ready = false;
  initialized: boolean;
  resizePending: ResizePending | null = null;
  resizeInProgress: ResizeInProgress | null = null;
  cancelActuation: (() => void) | null = null;
  /** CPU used by stopped containers: the pod's counter continues across restarts. */
  endedCoreSeconds = 0;
  /** Network traffic for each core-second of work; drawn from the seed. */
  readonly networkBytesPerCoreSecond: number;
  /** Pod-level resources; they never change. */
  readonly #whole: RequestsAndLimits;
  readonly #clock: Clock;
  readonly #cancels = new Set<() => void>();

  constructor(
    object: Pod,
    load: WorkloadLoad,
    clock: Clock,
    traits: { readonly skew: number; readonly networkBytesPerCoreSecond: number },
  ) {
    this.object = object;
    this.#whole = requestsAndLimits(object.spec.resources);
    this.load = load;
    this.skew = traits.skew;
    this.networkBytesPerCoreSecond = traits.networkBytesPerCoreSecond;
    this.#clock = clock;
    const specs = containerSpecs(object.spec);
    const waits = specs.some(({ role }) => role !== 'main');
    this.initialized = !waits;
    this.containers = specs.map((spec) => new ContainerRuntime(spec, waits ? 'PodInitializing' : 'ContainerCreating'));
    this.qosClass = object.status.qosClass ?? qosClassOf(object.spec);
  }

  /** Whether the kubelet's pages have its usage. */
  get isReported(): boolean {
    return !this.ended && this.object.metadata.annotations?.[UNREPORTED_ANNOTATION] !== 'true';
  }
  get uid(): string {
    return this.object.metadata.uid;
  }
  get namespace(): string {
    return this.object.metadata.namespace ?? '';
  }
  get name(): string {
    return this.object.metadata.name;
  }
  get generation(): number {
    return this.object.metadata.generation ?? 1;
  }
  get priority(): number {
    return this.object.spec.priority ?? 0;
  }

  initContainers(): readonly ContainerRuntime[] {
    return this.containers.filter(({ spec }) => spec.role !== 'main');
  }

  mainContainers(): readonly ContainerRuntime[] {
    return this.containers.filter(({ spec }) => spec.role === 'main');
  }

  /** Its share of the node's capacity; nothing once it has ended. */
  allocatedRequests(): Resources {
    if (this.ended) return { cpuMillicores: 0, memoryBytes: 0 };
    return podRequests(
      this.containers.map(({ spec, allocated }) => ({ role: spec.role, requests: allocated.requests })),
      this.#whole,
    );
  }

  desiredRequests(): Resources {
    return podRequests(
      this.containers.map(({ spec }) => ({ role: spec.role, requests: spec.resources.requests })),
      this.#whole,
    );
  }

  /** CPU used since the pod's start, at any time after the last evaluation. */
  cpuCoreSecondsAt(at: Instant): number {
    let total = this.endedCoreSeconds;
    for (const container of this.containers) if (container.isRunning) total += container.cpuCoreSecondsAt(at);
    return total;
  }

  workingSetBytes(): Bytes {
    let total = 0;
    for (const container of this.containers) total += container.workingSetBytes;
    return total;
  }

  /** Applies a newer object; resources of the spec may have changed. */
  update(object: Pod): void {
    this.object = object;
    const specs = new Map(containerSpecs(object.spec).map((spec) => [spec.name, spec]));
    for (const container of this.containers) container.spec = specs.get(container.name) ?? container.spec;
  }

  /** Runs later, unless the pod has stopped by then. Returns the cancel function. */
  after(delayMs: DurationMs, task: () => void): () => void {
    const cancel = this.#clock.schedule(this.#clock.now() + Math.round(delayMs), () => {
      this.#cancels.delete(cancel);
      task();
    });
    this.#cancels.add(cancel);
    return () => {
      this.#cancels.delete(cancel);
      cancel();
    };
  }

  /** Cancels all scheduled tasks of the pod. */
  cancelAll(): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
    this.cancelActuation = null;
  }
}
