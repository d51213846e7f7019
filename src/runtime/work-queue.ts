// A work queue as in client-go: a key is queued at most once, is never processed twice at once, and is queued again when it is added
// while it is processed. In addition: delays in domain time, retries in machine time, and priorities.

import type { DurationMs, Instant } from '#kube/units';
import type { Activity, Clock, MachineTimer } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import { backoffMs, type BackoffRules, RECONCILE_BACKOFF } from './backoff.ts';

/** `low`: initial lists and periodic requeues; `normal`: changes; `high`: safety (OOM kills, roll-backs). */
export type Priority = 'low' | 'normal' | 'high';

const ORDER: readonly Priority[] = ['high', 'normal', 'low'];

export interface WorkQueueDependencies {
  readonly clock: Clock;
  readonly machine: MachineTimer;
  readonly activity: Activity;
  readonly random: Random;
  readonly backoff?: BackoffRules;
}

interface DelayedKey {
  readonly due: Instant;
  readonly priority: Priority;
  readonly cancel: () => void;
}

export interface WorkItem<K extends string> {
  readonly key: K;
  /** Machine time spent waiting, for the latency metric. */
  readonly waitedMs: DurationMs;
}

/** Queues keys for reconcilers. No method awaits, so every call is atomic. */
export class WorkQueue<K extends string = string> {
  readonly #dependencies: WorkQueueDependencies;
  readonly #waiting: Record<Priority, Set<K>> = { high: new Set(), normal: new Set(), low: new Set() };
  readonly #dirty = new Map<K, Priority>();
  readonly #processing = new Set<K>();
  readonly #delayed = new Map<K, DelayedKey>();
  readonly #retries = new Map<K, () => void>();
  readonly #failures = new Map<K, number>();
  readonly #addedAt = new Map<K, number>();
  readonly #takers: ((item: WorkItem<K> | undefined) => void)[] = [];
  /** Ends the activity of this queue; undefined while it is idle. */
  #endActivity: (() => void) | undefined;
  #stopped = false;

  constructor(dependencies: WorkQueueDependencies) {
    this.#dependencies = dependencies;
  }

  /** Keys that are queued or being processed; delayed ones are not counted. */
  get depth(): number {
    return this.#dirty.size + this.#processing.size;
  }

  /** Queues a key now, or raises the priority of a queued one. */
  add(key: K, priority: Priority = 'normal'): void {
    if (this.#stopped) return;
    const queued = this.#dirty.get(key);
    if (queued !== undefined) {
      if (!isHigher(priority, queued)) return;
      this.#waiting[queued].delete(key);
    } else {
      this.#addedAt.set(key, this.#dependencies.machine.nowMs());
    }
    this.#dirty.set(key, priority);
    if (!this.#processing.has(key)) this.#waiting[priority].add(key);
    this.#updateActivity();
    this.#dispatch();
  }

  /**
   * Queues a key after `afterMs` of domain time. The earliest of several delays applies, with the highest of their priorities. A pending
   * periodic requeue (`low`) is cancelled when the key is taken, because that reconcile schedules the next one.
   */
  addAfter(key: K, afterMs: DurationMs, priority: Priority = 'low'): void {
    if (this.#stopped) return;
    if (afterMs <= 0) {
      this.add(key, priority);
      return;
    }
    const due = this.#dependencies.clock.now() + afterMs;
    const earlier = this.#delayed.get(key);
    if (earlier !== undefined && earlier.due <= due) {
      if (isHigher(priority, earlier.priority)) this.#delayed.set(key, { ...earlier, priority });
      return;
    }
    earlier?.cancel();
    const cancel = this.#dependencies.clock.schedule(due, () => {
      const current = this.#delayed.get(key)?.priority ?? priority;
      this.#delayed.delete(key);
      this.add(key, current);
    });
    const highest = earlier !== undefined && isHigher(earlier.priority, priority) ? earlier.priority : priority;
    this.#delayed.set(key, { due, priority: highest, cancel });
  }

  /** Cancels a pending delay of a key. */
  cancelDelay(key: K): void {
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
  }

  /**
   * Queues a failed key after its back-off in machine time, at most `maxMs`. The virtual clock stops until then.
   * @returns the delay
   */
  addRateLimited(key: K, maxMs: DurationMs = Infinity): DurationMs {
    if (this.#stopped) return 0;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const rules = this.#dependencies.backoff ?? RECONCILE_BACKOFF;
    const delay = backoffMs({ ...rules, maxMs: Math.min(rules.maxMs, maxMs) }, failures, this.#dependencies.random);
    this.#retries.get(key)?.();
    const release = this.#dependencies.activity.begin();
    const cancelTimer = this.#dependencies.machine.setTimer(delay, () => {
      this.#retries.delete(key);
      this.add(key);
      release();
    });
    this.#retries.set(key, () => {
      cancelTimer();
      release();
    });
    return delay;
  }

  /** Resets the back-off of a key after a success. */
  forget(key: K): void {
    this.#failures.delete(key);
  }

  /** Consecutive failures of a key. */
  failuresOf(key: K): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Resolves with the next key, or with undefined once the queue is stopped. `done` must be called for every key. */
  take(): Promise<WorkItem<K> | undefined> {
    if (this.#stopped) return Promise.resolve(undefined);
    const promise = new Promise<WorkItem<K> | undefined>((resolve) => this.#takers.push(resolve));
    this.#dispatch();
    return promise;
  }

  /** Ends the processing of a key; it is queued again where it was added meanwhile. */
  done(key: K): void {
    this.#processing.delete(key);
    const priority = this.#dirty.get(key);
    if (priority !== undefined) this.#waiting[priority].add(key);
    this.#updateActivity();
    this.#dispatch();
  }

  /** Drops queued keys, delays and retries, and resolves waiting `take` calls with undefined. Keys being processed finish. */
  stop(): void {
    this.#stopped = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    for (const cancel of this.#retries.values()) cancel();
    this.#delayed.clear();
    this.#retries.clear();
    this.#dirty.clear();
    for (const priority of ORDER) this.#waiting[priority].clear();
    for (const taker of this.#takers.splice(0)) taker(undefined);
    this.#updateActivity();
  }

  #dispatch(): void {
    while (this.#takers.length > 0) {
      const key = this.#next();
      if (key === undefined) return;
      const addedAtMs = this.#addedAt.get(key);
      this.#addedAt.delete(key);
      this.#dirty.delete(key);
      this.#processing.add(key);
      if (this.#delayed.get(key)?.priority === 'low') this.cancelDelay(key);
      this.#takers.shift()?.({ key, waitedMs: addedAtMs === undefined ? 0 : this.#dependencies.machine.nowMs() - addedAtMs });
    }
  }

  #next(): K | undefined {
    for (const priority of ORDER) {
      const waiting = this.#waiting[priority];
      for (const key of waiting) {
        waiting.delete(key);
        return key;
      }
    }
    return undefined;
  }

  /** One activity for the whole queue, from the first queued key until the last is done. */
  #updateActivity(): void {
    const isBusy = this.depth > 0;
    if (isBusy && this.#endActivity === undefined) this.#endActivity = this.#dependencies.activity.begin();
    if (!isBusy && this.#endActivity !== undefined) {
      this.#endActivity();
      this.#endActivity = undefined;
    }
  }
}

function isHigher(priority: Priority, than: Priority): boolean {
  return ORDER.indexOf(priority) < ORDER.indexOf(than);
}
