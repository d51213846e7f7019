// The cycles of every policy: one evaluation of all its workloads. The policy's reconciler begins them, the workloads'
// reconcilers report, and whoever is last ends them.

import type { Instant } from '#kube/units';
import type { WorkloadKey } from '#kube/records/workload';

/** What one evaluation of one workload came to. */
export interface CycleReport {
  readonly changed: number;
  readonly failed: number;
  readonly deferred: number;
  readonly blocked: boolean;
  /** Why it waits or is blocked; null: it does neither. */
  readonly reason: string | null;
}

/** A cycle, running or ended. */
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

/** What happens between two cycles (a change that goes on by itself) counts for the next. */
interface PolicyCycles {
  open: OpenCycle | null;
  last: CycleResult | null;
  changed: number;
  failed: number;
}

export class ResizeCycles {
  readonly #byPolicy = new Map<string, PolicyCycles>();
  readonly #onEnd = new Set<(policy: string, result: CycleResult) => void>();

  /** Called synchronously when a cycle ends; must only enqueue or append. Returns the cancel. */
  onEnd(listener: (policy: string, result: CycleResult) => void): () => void {
    this.#onEnd.add(listener);
    return () => this.#onEnd.delete(listener);
  }

  /** Begins a cycle; one that still runs is ended first with what it has. @param policy '' stands for "no policy governs" */
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

  /** A workload was evaluated. */
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

  /** A workload is gone or governed by another: nothing waits for it any more. */
  leave(workload: WorkloadKey, now: Instant): void {
    for (const [policy, cycles] of this.#byPolicy) {
      if (cycles.open?.waitingFor.delete(workload) === true && cycles.open.waitingFor.size === 0) this.#end(policy, cycles, now);
    }
  }

  /** The one that runs, else the last; null before the first. */
  latest(policy: string): CycleResult | null {
    const cycles = this.#byPolicy.get(policy);
    if (cycles === undefined) return null;
    return cycles.open === null ? cycles.last : resultOf(cycles.open, cycles, null);
  }

  isRunning(policy: string): boolean {
    return (this.#byPolicy.get(policy)?.open ?? null) !== null;
  }

  /** A policy is gone. */
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
