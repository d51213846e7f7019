import { isSameResources, type RequestsAndLimits } from '#kube/records/resources';
import type { Bytes, DurationMs, Instant, Millicores, Ratio } from '#kube/units';
import type { DemandCurve } from '../../usage/demand-curve.ts';
import type { ArchivedSeries } from '../../usage/usage-archive.ts';
import type { ContainerTally } from '../simulator-counters.ts';
import type { ContainerSpec } from './pods/pod-spec.ts';
import { Pressure } from './pressure.ts';
import { RestartBackoff } from './pods/restart-backoff.ts';

export interface Termination {
  readonly exitCode: number;
  /** `Completed`, `Error`, `OOMKilled`. */
  readonly reason: string;
  readonly startedAt: Instant;
  readonly finishedAt: Instant;
  readonly containerId: string;
}

export type ContainerState =
  | { readonly kind: 'waiting'; readonly reason: string; readonly message: string | null }
  | { readonly kind: 'running'; readonly startedAt: Instant }
  | { readonly kind: 'terminated'; readonly termination: Termination };

/** State of one container on a node: its allocation, demand and usage. Mutable, owned by its kubelet. */
export class ContainerRuntime {
  spec: ContainerSpec;
  state: ContainerState;
  lastTermination: Termination | null = null;
  restartCount = 0;
  started = false;
  ready = false;
  containerId = '';
  readonly backoff = new RestartBackoff();

  /** Admitted by the node. */
  allocated: RequestsAndLimits;
  /** In force; null before the first start. */
  actual: RequestsAndLimits | null = null;

  /** Demand; null for plain init containers, whose usage is negligible. */
  curve: DemandCurve | null = null;
  /** Duration of one run; null: it runs until it is stopped. */
  runMs: DurationMs | null = null;
  archive: ArchivedSeries | null = null;
  tally: ContainerTally | null = null;
  /** Share of its working set that is page cache. */
  cacheShare: Ratio = 0;
  /** Above its memory limit one of its processes is killed, and the container continues. */
  multiProcess = false;
  /** Demand of a start when it is specified; null: the default. */
  startupCpuMillicores: Millicores | null = null;
  startupMemoryBytes: Bytes | null = null;
  startupMs: DurationMs | null = null;
  /** End of the start's CPU demand. */
  startupUntil: Instant = 0;

  /** Since the last evaluation. */
  demandMillicores: Millicores = 0;
  grantedMillicores: Millicores = 0;
  workingSetBytes: Bytes = 0;
  /** Working set without page cache, which the kernel can reclaim. */
  unreclaimableBytes: Bytes = 0;
  evaluatedAt: Instant = 0;
  /** CPU used since the start, up to `evaluatedAt`. */
  cpuCoreSeconds = 0;
  /** Since the start: running time under a CPU limit, and the part of it with a demand above the limit. */
  limitedMs: DurationMs = 0;
  throttledMs: DurationMs = 0;
  /** Number of processes OOM-killed since the start while the container continued. */
  oomEvents = 0;
  readonly cpuPressure = new Pressure();
  readonly memoryPressure = new Pressure();
  /** Share of time in which it waits for memory, because its limit leaves too little for its page cache. */
  reclaimRatio: Ratio = 0;

  constructor(spec: ContainerSpec, waitingReason: string) {
    this.spec = spec;
    this.allocated = spec.resources;
    this.state = { kind: 'waiting', reason: waitingReason, message: null };
  }

  get name(): string {
    return this.spec.name;
  }

  get isRunning(): boolean {
    return this.state.kind === 'running';
  }

  /** null while it is not running. */
  get startedAt(): Instant | null {
    return this.state.kind === 'running' ? this.state.startedAt : null;
  }

  /** CPU that it may use at most now. */
  get limits(): RequestsAndLimits['limits'] {
    return (this.actual ?? this.allocated).limits;
  }

  get requests(): RequestsAndLimits['requests'] {
    return (this.actual ?? this.allocated).requests;
  }

  /** CPU used since the start, at any time after the last evaluation. */
  cpuCoreSecondsAt(at: Instant): number {
    return this.cpuCoreSeconds + (this.grantedMillicores * Math.max(0, at - this.evaluatedAt)) / 1e6;
  }

  /** A new process has a new cgroup. */
  resetCounters(): void {
    this.cpuCoreSeconds = this.limitedMs = this.throttledMs = this.oomEvents = this.reclaimRatio = 0;
    this.cpuPressure.reset();
    this.memoryPressure.reset();
  }

  /** Whether the spec asks for something that is not allocated. */
  get hasPendingResize(): boolean {
    return !hasSameRequestsAndLimits(this.spec.resources, this.allocated);
  }
}

export function hasSameRequestsAndLimits(a: RequestsAndLimits, b: RequestsAndLimits): boolean {
  return a === b || (isSameResources(a.requests, b.requests) && isSameResources(a.limits, b.limits));
}
