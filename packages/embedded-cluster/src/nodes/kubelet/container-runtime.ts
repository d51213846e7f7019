import { sameResources, type RequestsAndLimits } from '#kube/records/resources';
import type { Bytes, DurationMs, Instant, Millicores, Ratio } from '#kube/units';
import type { DemandCurve } from '../../usage/demand-curve.ts';
import type { ArchivedSeries } from '../../usage/usage-archive.ts';
import type { ContainerTally } from '../simulator-counters.ts';
import type { ContainerSpec } from './pod-spec.ts';
import { Pressure } from './pressure.ts';
import { RestartBackoff } from './restart-backoff.ts';

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

/** One container on a node: what runs, what it is given, what it has used. Mutable, owned by its kubelet. */
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

  /** What it needs; null for plain init containers, which use nothing worth counting. */
  curve: DemandCurve | null = null;
  /** How long one run takes where it ends by itself; null: it runs until it is stopped. */
  runMs: DurationMs | null = null;
  archive: ArchivedSeries | null = null;
  tally: ContainerTally | null = null;
  /** Share of its working set that is page cache. */
  cacheShare: Ratio = 0;
  /** Above its memory limit one of its processes is killed, and it goes on. */
  multiProcess = false;
  /** What a start wants where that is stated; null: the usual. */
  startupCpuMillicores: Millicores | null = null;
  startupMemoryBytes: Bytes | null = null;
  startupMs: DurationMs | null = null;
  /** CPU boost of a start ends here. */
  startupUntil: Instant = 0;

  /** Since the last evaluation. */
  demandMillicores: Millicores = 0;
  grantedMillicores: Millicores = 0;
  workingSetBytes: Bytes = 0;
  /** Of the working set what is no page cache: the kernel cannot take it back. */
  unreclaimableBytes: Bytes = 0;
  evaluatedAt: Instant = 0;
  /** CPU used since the start, up to `evaluatedAt`. */
  cpuCoreSeconds = 0;
  /** Since the start: running time under a CPU limit, and the part of it in which it wanted more. */
  limitedMs: DurationMs = 0;
  throttledMs: DurationMs = 0;
  /** Processes that were killed at its memory limit since the start while it went on. */
  oomEvents = 0;
  readonly cpuPressure = new Pressure();
  readonly memoryPressure = new Pressure();
  /** Share of the time that it waits for memory: its limit leaves too little for its page cache. */
  reclaimRatio: Ratio = 0;

  constructor(spec: ContainerSpec, waitingReason: string) {
    this.spec = spec;
    this.allocated = spec.resources;
    this.state = { kind: 'waiting', reason: waitingReason, message: null };
  }

  get name(): string {
    return this.spec.name;
  }

  get running(): boolean {
    return this.state.kind === 'running';
  }

  /** null while it does not run. */
  get startedAt(): Instant | null {
    return this.state.kind === 'running' ? this.state.startedAt : null;
  }

  /** What it may use at most now. */
  get limits(): RequestsAndLimits['limits'] {
    return (this.actual ?? this.allocated).limits;
  }

  get requests(): RequestsAndLimits['requests'] {
    return (this.actual ?? this.allocated).requests;
  }

  /** CPU used since the start, at any moment after the last evaluation. */
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
  get wantsResize(): boolean {
    return !sameRequestsAndLimits(this.spec.resources, this.allocated);
  }
}

export function sameRequestsAndLimits(a: RequestsAndLimits, b: RequestsAndLimits): boolean {
  return a === b || (sameResources(a.requests, b.requests) && sameResources(a.limits, b.limits));
}
