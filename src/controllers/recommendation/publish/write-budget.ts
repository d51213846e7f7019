// Bounds the writes of Recommendations: at most a burst at once and a steady rate after it, the most important first.

import { SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { WorkloadKey } from '#kube/records/workload';
import { WRITE_PRIORITIES, type WritePriority } from '../../../core/resize/status/write-priority.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Gauge } from '../../../ports/metrics.ts';

/** Below the 20 writes a second of all of Evenkeel's records that etcd and the watchers of a large cluster are planned for. */
export const WRITES_PER_SECOND = 15;
/** The first statuses of 300 workloads, so that a small cluster shows all of them at once. */
export const BURST_WRITES = 600;
const TURN_MS: DurationMs = SECOND_MS;

export interface WriteBudgetDependencies {
  readonly clock: Clock;
  /** Called when a workload may be written that had to wait. */
  readonly onTurn: (workload: WorkloadKey) => void;
  /** Counts the waiting workloads. */
  readonly waiting: Pick<Gauge, 'set'>;
}

/** A token bucket in domain time with a queue for each priority. */
export class WriteBudget {
  readonly #dependencies: WriteBudgetDependencies;
  /** Writes of the waiting workloads, by priority, in the order of their arrival. */
  readonly #queues = new Map<WritePriority, Map<WorkloadKey, number>>(WRITE_PRIORITIES.map((priority) => [priority, new Map()]));
  readonly #waiting = new Map<WorkloadKey, WritePriority>();
  /** Workloads whose turn has come; their writes are counted. */
  readonly #admitted = new Set<WorkloadKey>();
  #tokens = BURST_WRITES;
  #filledAt: Instant;
  #cancelTurn: (() => void) | null = null;

  constructor(dependencies: WriteBudgetDependencies) {
    this.#dependencies = dependencies;
    this.#filledAt = dependencies.clock.now();
    dependencies.waiting.set(0);
  }

  /**
   * Whether a workload may be written now. Where it may not, it waits behind those of the same or a higher priority. Urgent writes
   * never wait: effects have budgets of their own, and others wait longer for them.
   */
  admit(workload: WorkloadKey, priority: WritePriority, writes: number): boolean {
    const isTurn = this.#admitted.delete(workload);
    if (isTurn || priority === 'urgent' || (this.#isFirst(workload, priority) && this.#has(writes))) {
      this.#leave(workload);
      if (!isTurn) this.#take(writes);
      return true;
    }
    if (this.#waiting.get(workload) !== priority) this.#leave(workload);
    this.#waiting.set(workload, priority);
    this.#queueOf(priority).set(workload, writes);
    this.#update();
    return false;
  }

  /** Called where a workload has nothing to write. */
  withdraw(workload: WorkloadKey): void {
    this.#admitted.delete(workload);
    this.#leave(workload);
  }

  close(): void {
    for (const queue of this.#queues.values()) queue.clear();
    this.#waiting.clear();
    this.#admitted.clear();
    this.#update();
  }

  /** Whether no other workload of the same or a higher priority waits. */
  #isFirst(workload: WorkloadKey, priority: WritePriority): boolean {
    for (const each of WRITE_PRIORITIES) {
      const [first] = this.#queueOf(each).keys();
      if (first !== undefined) return first === workload || isHigher(priority, each);
      if (each === priority) return true;
    }
    return true;
  }

  #has(writes: number): boolean {
    this.#fill();
    return this.#tokens >= writes;
  }

  #fill(): void {
    const now = this.#dependencies.clock.now();
    // A clock that was set back adds nothing.
    const seconds = Math.max(0, now - this.#filledAt) / SECOND_MS;
    this.#tokens = Math.min(BURST_WRITES, this.#tokens + seconds * WRITES_PER_SECOND);
    this.#filledAt = now;
  }

  /** The debt of urgent writes is bounded, so that others do not wait for longer than a burst takes. */
  #take(writes: number): void {
    this.#fill();
    this.#tokens = Math.max(-BURST_WRITES, this.#tokens - writes);
  }

  #leave(workload: WorkloadKey): void {
    const priority = this.#waiting.get(workload);
    if (priority === undefined) return;
    this.#waiting.delete(workload);
    this.#queueOf(priority).delete(workload);
    this.#update();
  }

  #update(): void {
    const { clock, waiting } = this.#dependencies;
    waiting.set(this.#waiting.size);
    if (this.#waiting.size === 0) {
      this.#cancelTurn?.();
      this.#cancelTurn = null;
    } else {
      this.#cancelTurn ??= clock.schedule(clock.now() + TURN_MS, () => this.#giveTurns());
    }
  }

  #giveTurns(): void {
    this.#cancelTurn = null;
    for (const priority of WRITE_PRIORITIES) {
      for (const [workload, writes] of this.#queueOf(priority)) {
        if (!this.#has(writes)) {
          this.#update();
          return;
        }
        this.#take(writes);
        this.#leave(workload);
        this.#admitted.add(workload);
        this.#dependencies.onTurn(workload);
      }
    }
  }

  #queueOf(priority: WritePriority): Map<WorkloadKey, number> {
    return this.#queues.get(priority) ?? new Map<WorkloadKey, number>();
  }
}

function isHigher(priority: WritePriority, than: WritePriority): boolean {
  return WRITE_PRIORITIES.indexOf(priority) < WRITE_PRIORITIES.indexOf(than);
}
