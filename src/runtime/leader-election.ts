// Leader election by Lease. One replica acts; the others watch and serve reads. All of it is machine time: a lease must
// end when the machine says so, whatever the domain clock does.

import type { DurationMs } from '#kube/units';
import type { MachineTimer } from '../ports/clock.ts';
import type { LeaseRecord, LeaseStore, LeaseWrite } from '../ports/lease-store.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics, Gauge } from '../ports/metrics.ts';
import type { Random } from '../ports/random.ts';

/**
 * lease > renew deadline > retry. A follower looks more often than a leader renews: hand-over in under 13 s after a crash
 * (10 s lease, seen at most one look late) and 2 s after a clean stop (one look), with room for a busy API server.
 */
export const LEASE_TIMES = { leaseMs: 10_000, renewDeadlineMs: 7_000, retryMs: 1_500, lookMs: 1_000 } as const;

/** What a leader that steps down leaves as the lease's duration, as client-go's do. */
const RELEASED_SECONDS = 1;

const RELEASE_DEADLINE_MS: DurationMs = 2_000;
const RELEASE_TRIES = 3;

/** A renewal is tried so often, at least, before the deadline ends the term. */
const TRIES_IN_DEADLINE = 3;

export interface LeaderElectionDependencies {
  readonly store: LeaseStore;
  readonly identity: string;
  readonly machine: MachineTimer;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** RFC 3339 time for the record; only people read it. */
  readonly timestamp: () => string;
  readonly times?: { readonly [Time in keyof typeof LEASE_TIMES]: DurationMs };
}

interface Observed {
  /** undefined: there was no lease. */
  readonly record: LeaseRecord | undefined;
  /** When we first saw this very record: the only clock that counts, since the holder's may be wrong. */
  readonly atMs: number;
}

/** Takes part in the election until stopped. `lead` is called once per term with a signal that aborts when the term ends. */
export class LeaderElection {
  readonly #dependencies: LeaderElectionDependencies;
  readonly #times: NonNullable<LeaderElectionDependencies['times']>;
  readonly #leads: Gauge;
  #observed: Observed | undefined;
  #held: LeaseRecord | undefined;
  /** Begin of our latest term, or of the latest that we tried to begin: tells a lease of ours from one that bears our name only. */
  #acquireTime: string | null = null;
  #transitions = 0;
  #problem: string | null = null;
  /**
   * When the request was sent that gave or last renewed the lease. Not when it was answered: the others count from when
   * the server kept it, and an answer may take as long as the renew deadline.
   */
  #renewedAtMs = Number.NEGATIVE_INFINITY;

  constructor(dependencies: LeaderElectionDependencies) {
    this.#dependencies = dependencies;
    this.#times = dependencies.times ?? LEASE_TIMES;
    this.#leads = dependencies.metrics.gauge({ name: 'evenkeel_leader', help: '1 while this replica holds the lease, else 0.' });
    this.#leads.set(0);
  }

  /** Who holds the lease as far as we have seen; null when nobody does or nothing was read yet. */
  holder(): string | null {
    const holder = this.#held?.holder ?? this.#observed?.record?.holder ?? '';
    return holder === '' ? null : holder;
  }

  /** How often the lease has changed hands, as of our present or last term: later terms have greater numbers, unless the lease was deleted. */
  transitions(): number {
    return this.#transitions;
  }

  /** Why the lease cannot be read or written at this moment; null while it can. */
  problem(): string | null {
    return this.#problem;
  }

  /** Judged by the clock, not by a timer that may be late: a process that stood still (suspended, starved) leads no more. */
  isLeader(): boolean {
    return (
      this.#held?.holder === this.#dependencies.identity &&
      this.#dependencies.machine.nowMs() - this.#renewedAtMs < this.#times.renewDeadlineMs
    );
  }

  /**
   * Runs until `signal` aborts. While leading, `lead(term)` runs; the lease is released only after it has returned, so
   * that no other replica starts while effects of this one are under way.
   */
  async run(lead: (term: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#acquire(signal);
      if (this.#held === undefined) return;
      await this.#serveTerm(lead, signal);
      // Work that fails at once must not take the lease again at once, thousands of times a second.
      await this.#pause(this.#times.retryMs, signal);
    }
  }

  async #serveTerm(lead: (term: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { logger, identity } = this.#dependencies;
    const term = new AbortController();
    const end = (): void => term.abort();
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    logger.info('Became leader', { identity });
    this.#leads.set(1);
    const working = lead(term.signal).catch((err: unknown) => {
      if (!term.signal.aborted) logger.error('Leading ended with an error', { err });
      term.abort();
    });
    const renewing = this.#keepRenewing(term);
    await working;
    term.abort();
    await renewing;
    signal.removeEventListener('abort', end);
    this.#leads.set(0);
    await this.#release();
    logger.info('No longer leader', { identity });
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        this.#held = await this.#tryAcquire(signal);
        this.#well();
        if (this.#held !== undefined) {
          this.#transitions = this.#held.transitions;
          return;
        }
      } catch (err) {
        if (!aborted(signal)) this.#trouble('Leader election could not reach the lease; retrying', err);
      }
      // Jitter shortens alone: a released lease is taken within one look, whatever the dice say.
      const look = this.#times.lookMs * (1 - 0.2 * this.#dependencies.random.next());
      await this.#pause(Math.max(1, Math.min(look, this.#untilLapsedMs() + 1)), signal);
    }
  }

  #tryAcquire(signal: AbortSignal): Promise<LeaseRecord | undefined> {
    const { store, machine } = this.#dependencies;
    return this.#within(this.#times.renewDeadlineMs, signal, async (bounded) => {
      const record = await store.read(bounded);
      this.#renewedAtMs = machine.nowMs();
      const first = this.#observed === undefined;
      if (this.#observed === undefined || !sameRecord(this.#observed.record, record)) {
        this.#observed = { record, atMs: machine.nowMs() };
      }
      if (!this.#isFree(record, first)) return undefined;
      const lease = this.#lease(record);
      this.#acquireTime = lease.acquireTime;
      return record === undefined ? store.create(lease, bounded) : store.update(record.resourceVersion, lease, bounded);
    });
  }

  /**
   * Released as a leader releases it, ours already (the answer was lost), never there, or untouched for as long as it
   * holds. What was emptied, deleted or given to us by hand is not free before that: the leader may not know yet.
   */
  #isFree(record: LeaseRecord | undefined, first: boolean): boolean {
    if (record === undefined) return first || this.#untilLapsedMs() <= 0;
    const { holder, leaseDurationSeconds, acquireTime } = record;
    if (holder === '' && leaseDurationSeconds <= RELEASED_SECONDS) return true;
    const ours = holder === this.#dependencies.identity && this.#acquireTime !== null && sameInstant(acquireTime, this.#acquireTime);
    return ours || this.#untilLapsedMs() <= 0;
  }

  /** By our own clock, from when we first saw the lease as it is. */
  #untilLapsedMs(): DurationMs {
    if (this.#observed === undefined) return Number.POSITIVE_INFINITY;
    const { record, atMs } = this.#observed;
    const heldMs = Math.max((record?.leaseDurationSeconds ?? 0) * 1000, this.#times.leaseMs);
    return atMs + heldMs - this.#dependencies.machine.nowMs();
  }

  // Ends the term when the lease could not be renewed for the renew deadline, or was taken.
  async #keepRenewing(term: AbortController): Promise<void> {
    const { machine, logger, identity } = this.#dependencies;
    const { renewDeadlineMs, retryMs } = this.#times;
    while (!term.signal.aborted) {
      await this.#pause(retryMs, term.signal);
      if (aborted(term.signal) || this.#held === undefined) return;
      try {
        await this.#renew(this.#held, term.signal);
        this.#well();
      } catch (err) {
        if (aborted(term.signal)) return;
        this.#trouble('Renewing the lease failed; retrying', err);
      }
      if (this.#held.holder !== identity) {
        logger.warn('The lease was taken by another replica', { holder: this.#held.holder });
        this.#endTerm(term);
      } else if (machine.nowMs() - this.#renewedAtMs >= renewDeadlineMs) {
        logger.error('The lease could not be renewed in time: no longer acting', { renewDeadlineMs });
        this.#endTerm(term);
      }
    }
  }

  async #renew(held: LeaseRecord, signal: AbortSignal): Promise<void> {
    const { machine, store } = this.#dependencies;
    const { renewDeadlineMs } = this.#times;
    const askedAtMs = machine.nowMs();
    const leftMs = renewDeadlineMs - (askedAtMs - this.#renewedAtMs);
    // What hangs must not outlive the lease, and one dead connection must leave time to try another.
    await this.#within(Math.min(leftMs, renewDeadlineMs / TRIES_IN_DEADLINE), signal, async (bounded) => {
      const renewed = await store.update(held.resourceVersion, this.#lease(held), bounded);
      if (renewed === undefined) {
        // Taken, or deleted; or somebody else wrote to it (a label), or a renewal was kept whose answer was lost: ours
        // still then, and renewed on its new version the next time.
        this.#held = (await store.read(bounded)) ?? { ...held, holder: '' };
      } else {
        this.#held = renewed;
        this.#renewedAtMs = askedAtMs;
      }
    });
  }

  // Nothing to give back: what is left of the lease is not ours to write.
  #endTerm(term: AbortController): void {
    this.#held = undefined;
    term.abort();
  }

  // Said when it begins, changes or ends: a retry every second and a half must not fill the log.
  #trouble(message: string, err: unknown): void {
    const problem = err instanceof Error ? err.message : String(err);
    if (problem !== this.#problem) this.#dependencies.logger.warn(message, { err });
    this.#problem = problem;
  }

  #well(): void {
    if (this.#problem !== null) this.#dependencies.logger.info('The lease can be read and written again', { before: this.#problem });
    this.#problem = null;
  }

  async #within<T>(ms: DurationMs, signal: AbortSignal, ask: (bounded: AbortSignal) => Promise<T>): Promise<T> {
    const late = new AbortController();
    const cancel = this.#dependencies.machine.setTimer(Math.max(1, ms), () => late.abort(new Error('no answer in time')));
    try {
      return await ask(AbortSignal.any([signal, late.signal]));
    } finally {
      cancel();
    }
  }

  async #release(): Promise<void> {
    const { store, logger, identity } = this.#dependencies;
    let held = this.#held;
    this.#held = undefined;
    const signal = AbortSignal.timeout(RELEASE_DEADLINE_MS);
    try {
      for (let tries = 0; held?.holder === identity && tries < RELEASE_TRIES; tries += 1) {
        const lease = { ...this.#lease(held), holder: '', leaseDurationSeconds: RELEASED_SECONDS };
        if ((await store.update(held.resourceVersion, lease, signal)) !== undefined) return;
        // A renewal was under way when the term ended: the server kept it, and nobody read its answer.
        held = await store.read(signal);
      }
    } catch (err) {
      logger.warn('Releasing the lease failed; it will run out by itself', { err });
    }
  }

  #lease(previous: LeaseRecord | undefined): LeaseWrite {
    const { identity, timestamp } = this.#dependencies;
    const again = previous?.holder === identity;
    const now = timestamp();
    return {
      holder: identity,
      leaseDurationSeconds: Math.ceil(this.#times.leaseMs / 1000),
      acquireTime: again ? previous.acquireTime : now,
      renewTime: now,
      transitions: previous === undefined ? 0 : previous.transitions + (again ? 0 : 1),
    };
  }

  #pause(ms: DurationMs, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const wake = (): void => {
        cancel();
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const cancel = this.#dependencies.machine.setTimer(ms, wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}

// A call, because the compiler believes that a signal does not change across an await.
function aborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function sameRecord(a: LeaseRecord | undefined, b: LeaseRecord | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.holder === b.holder && a.renewTime === b.renewTime && a.transitions === b.transitions && a.resourceVersion === b.resourceVersion;
}

// The server keeps microseconds and may spell them in its own way.
function sameInstant(a: string, b: string): boolean {
  return Date.parse(a) === Date.parse(b);
}
