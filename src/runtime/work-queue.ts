// client-go's work queue, restated: a key waits at most once, is never worked on twice at once, and comes back when it
// changed meanwhile. On top: delays in domain time, retries in machine time, and priorities.

import type { DurationMs, Instant } from '#kube/units';
import type { Activity, Clock, MachineTimer } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import { backoffMs, type BackoffRules, RECONCILE_BACKOFF } from './backoff.ts';

/** `low`: first lists and periodic looks; `normal`: something changed; `high`: safety (out of memory, roll-back). */
export type Priority = 'low' | 'normal' | 'high';

const ORDER: readonly Priority[] = ['high', 'normal', 'low'];

export interface WorkQueueDependencies {
  readonly clock: Clock;
  readonly machine: MachineTimer;
  readonly activity: Activity;
  readonly random: Random;
  readonly backoff?: BackoffRules;
}

interface Delayed {
  readonly due: Instant;
  readonly priority: Priority;
  readonly cancel: () => void;
}

export interface WorkItem<K extends string> {
  readonly key: K;
  /** Machine time spent waiting, for the latency metric. */
  readonly waitedMs: DurationMs;
}

/** Holds keys of work to do. Single-threaded: no method awaits, so none is ever seen half done. */
export class WorkQueue<K extends string = string> {
  readonly #dependencies: WorkQueueDependencies;
  readonly #waiting: Record<Priority, Set<K>> = { high: new Set(), normal: new Set(), low: new Set() };
  readonly #dirty = new Map<K, Priority>();
  readonly #processing = new Set<K>();
  readonly #delayed = new Map<K, Delayed>();
  readonly #retries = new Map<K, () => void>();
  readonly #failures = new Map<K, number>();
  readonly #addedAt = new Map<K, number>();
  readonly #takers: ((item: WorkItem<K> | undefined) => void)[] = [];
  #holding: (() => void) | undefined;
  #stopped = false;

  constructor(dependencies: WorkQueueDependencies) {
    this.#dependencies = dependencies;
  }

  /** Keys ready or in work; delayed ones are not counted. */
  get depth(): number {
    return this.#dirty.size + this.#processing.size;
  }

  /** The key needs work now. Raises its priority if it waits already. */
  add(key: K, priority: Priority = 'normal'): void {
    if (this.#stopped) return;
    const known = this.#dirty.get(key);
    if (known !== undefined) {
      if (!isHigher(priority, known)) return;
      this.#waiting[known].delete(key);
    } else {
      this.#addedAt.set(key, this.#dependencies.machine.nowMs());
    }
    this.#dirty.set(key, priority);
    if (!this.#processing.has(key)) this.#waiting[priority].add(key);
    this.#settle();
    this.#dispatch();
  }

  /**
   * The key needs work in `afterMs` of domain time. The earliest of several wishes holds, at the highest of their priorities.
   * A periodic look (`low`) that is still to come is dropped when the key is taken: that look has been had, and plans the next.
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
      const held = this.#delayed.get(key)?.priority ?? priority;
      this.#delayed.delete(key);
      this.add(key, held);
    });
    const highest = earlier !== undefined && isHigher(earlier.priority, priority) ? earlier.priority : priority;
    this.#delayed.set(key, { due, priority: highest, cancel });
  }

  /** Forgets a pending delay: the object is gone, or its next look has been settled otherwise. */
  cancelDelay(key: K): void {
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
  }

  /** The key failed: try again after its own back-off, at most `longestMs`, in machine time. Holds the virtual clock until then. */
  addRateLimited(key: K, longestMs: DurationMs = Infinity): DurationMs {
    if (this.#stopped) return 0;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const rules = this.#dependencies.backoff ?? RECONCILE_BACKOFF;
    const delay = backoffMs({ ...rules, maxMs: Math.min(rules.maxMs, longestMs) }, failures, this.#dependencies.random);
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

  /** The key did well: its next failure starts from the shortest wait. */
  forget(key: K): void {
    this.#failures.delete(key);
  }

  failuresOf(key: K): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Resolves with the next key, or with undefined once the queue is stopped. `done` must follow for every key. */
  take(): Promise<WorkItem<K> | undefined> {
    if (this.#stopped) return Promise.resolve(undefined);
    const promise = new Promise<WorkItem<K> | undefined>((resolve) => this.#takers.push(resolve));
    this.#dispatch();
    return promise;
  }

  /** The key's work is over; if it changed meanwhile it waits again. */
  done(key: K): void {
    this.#processing.delete(key);
    const priority = this.#dirty.get(key);
    if (priority !== undefined) this.#waiting[priority].add(key);
    this.#settle();
    this.#dispatch();
  }

  /** No new keys, no delays, no retries; takers are told. Keys in work finish by themselves. */
  stop(): void {
    this.#stopped = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    for (const cancel of this.#retries.values()) cancel();
    this.#delayed.clear();
    this.#retries.clear();
    this.#dirty.clear();
    for (const priority of ORDER) this.#waiting[priority].clear();
    for (const taker of this.#takers.splice(0)) taker(undefined);
    this.#settle();
  }

  #dispatch(): void {
    while (this.#takers.length > 0) {
      const key = this.#next();
      if (key === undefined) return;
      const added = this.#addedAt.get(key);
      this.#addedAt.delete(key);
      this.#dirty.delete(key);
      this.#processing.add(key);
      if (this.#delayed.get(key)?.priority === 'low') this.cancelDelay(key);
      this.#takers.shift()?.({ key, waitedMs: added === undefined ? 0 : this.#dependencies.machine.nowMs() - added });
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

  // One hold for the whole queue: begun when the first key waits, ended when the last is done.
  #settle(): void {
    const busy = this.depth > 0;
    if (busy && this.#holding === undefined) this.#holding = this.#dependencies.activity.begin();
    if (!busy && this.#holding !== undefined) {
      this.#holding();
      this.#holding = undefined;
    }
  }
}

function isHigher(priority: Priority, than: Priority): boolean {
  return ORDER.indexOf(priority) < ORDER.indexOf(than);
}
