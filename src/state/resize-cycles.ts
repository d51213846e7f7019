// Resize cycles: one evaluation of all workloads of a policy. The policy's reconciler begins a cycle, the workloads' reconcilers
// report, and the last report ends it.

import type { Instant } from '#kube/units';
import type { WorkloadKey } from '#kube/records/workload';

/** Result of one evaluation of one workload. */
export interface CycleReport {
  readonly changed: number;
  readonly failed: number;
  readonly deferred: number;
  readonly blocked: boolean;
  /** Why it waits or is blocked; null: it does not. */
  readonly reason: string | null;
}

/** A running or ended cycle; `finishedAt` null: it is running. */
export interface CycleResult {
  readonly id: string;
  readonly trigger: string;
  readonly startedAt: Instant;
  readonly finishedAt: Instant | null;
  readonly evaluated: number;
  readonly changed: number;
  readonly deferred: number;
  readonly blocked: number;
  readonly failed: number;
  readonly byReason: Readonly<Record<string, number>>;
}

interface OpenCycle {
  readonly id: string;
  readonly trigger: string;
  readonly startedAt: Instant;
  readonly waitingFor: Set<WorkloadKey>;
  evaluated: number;
  blocked: number;
  deferred: number;
  readonly byReason: Map<string, number>;
}

/** Changes between two cycles count for the next one. */
interface PolicyCycles {
  open: OpenCycle | null;
  last: CycleResult | null;
  changed: number;
  failed: number;
}

/** The running and the last cycle of each policy. */
export class ResizeCycles {
  readonly #byPolicy = new Map<string, PolicyCycles>();
  readonly #onEnd = new Set<(policy: string, result: CycleResult) => void>();

  /** Calls the listener synchronously when a cycle ends; it must only enqueue or append. Returns the cancel function. */
  onEnd(listener: (policy: string, result: CycleResult) => void): () => void {
    this.#onEnd.add(listener);
    return () => this.#onEnd.delete(listener);
  }

  /** Begins a cycle; a running one ends first with its reports so far. @param policy empty: workloads without a policy */
  begin(
    policy: string,
    cycle: { readonly id: string; readonly trigger: string; readonly workloads: Iterable<WorkloadKey> },
    now: Instant,
  ): void {
    const cycles = this.#cyclesOf(policy);
    if (cycles.open !== null) this.#end(policy, cycles, now);
    cycles.open = {
      id: cycle.id,
      trigger: cycle.trigger,
      startedAt: now,
      waitingFor: new Set(cycle.workloads),
      evaluated: 0,
      blocked: 0,
      deferred: 0,
      byReason: new Map(),
    };
    if (cycles.open.waitingFor.size === 0) this.#end(policy, cycles, now);
  }

  /** Adds the evaluation of a workload. */
  report(policy: string, workload: WorkloadKey, report: CycleReport, now: Instant): void {
    const cycles = this.#cyclesOf(policy);
    cycles.changed += report.changed;
    cycles.failed += report.failed;
    const open = cycles.open;
    if (open?.waitingFor.delete(workload) !== true) return;
    open.evaluated += 1;
    open.deferred += report.deferred;
    if (report.blocked) open.blocked += 1;
    if (report.reason !== null) open.byReason.set(report.reason, (open.byReason.get(report.reason) ?? 0) + 1);
    if (open.waitingFor.size === 0) this.#end(policy, cycles, now);
  }

  /** Removes a workload from running cycles: it was deleted, or another policy governs it. */
  leave(workload: WorkloadKey, now: Instant): void {
    for (const [policy, cycles] of this.#byPolicy) {
      if (cycles.open?.waitingFor.delete(workload) === true && cycles.open.waitingFor.size === 0) this.#end(policy, cycles, now);
    }
  }

  /** The running cycle, or the last one; null: none yet. */
  latest(policy: string): CycleResult | null {
    const cycles = this.#byPolicy.get(policy);
    if (cycles === undefined) return null;
    return cycles.open === null ? cycles.last : resultOf(cycles.open, cycles, null);
  }

  isRunning(policy: string): boolean {
    return (this.#byPolicy.get(policy)?.open ?? null) !== null;
  }

  /** Deletes the cycles of a policy. */
  forget(policy: string): void {
    this.#byPolicy.delete(policy);
  }

  #end(policy: string, cycles: PolicyCycles, now: Instant): void {
    if (cycles.open === null) return;
    const result = resultOf(cycles.open, cycles, now);
    cycles.last = result;
    cycles.open = null;
    cycles.changed = 0;
    cycles.failed = 0;
    for (const listener of this.#onEnd) listener(policy, result);
  }

  #cyclesOf(policy: string): PolicyCycles {
    let cycles = this.#byPolicy.get(policy);
    if (cycles === undefined) {
      cycles = { open: null, last: null, changed: 0, failed: 0 };
      this.#byPolicy.set(policy, cycles);
    }
    return cycles;
  }
}

function resultOf(open: OpenCycle, cycles: PolicyCycles, finishedAt: Instant | null): CycleResult {
  return {
    id: open.id,
    trigger: open.trigger,
    startedAt: open.startedAt,
    finishedAt,
    evaluated: open.evaluated,
    changed: cycles.changed,
    deferred: open.deferred,
    blocked: open.blocked,
    failed: cycles.failed,
    byReason: Object.fromEntries([...open.byReason].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
