// Leader election by Lease. One replica acts; the others watch and serve reads. All of it is machine time: a lease must
// end when the machine says so, whatever the domain clock does.

import type { DurationMs } from '../core/model/units.ts';
import type { MachineTimer } from '../ports/clock.ts';
import type { LeaseRecord, LeaseStore, LeaseWrite } from '../ports/lease-store.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics, Gauge } from '../ports/metrics.ts';
import type { Random } from '../ports/random.ts';

/** lease > renew deadline > retry: hand-over in under 13 s after a crash (10 s lease + a retry + slack), 2 s after a clean stop. */
export const LEASE_TIMES = { leaseMs: 10_000, renewDeadlineMs: 7_000, retryMs: 1_500 } as const;

export interface LeaderElectionParts {
  readonly store: LeaseStore;
  readonly identity: string;
  readonly machine: MachineTimer;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** RFC 3339 time for the record; only people read it. */
  readonly timestamp: () => string;
  readonly times?: { readonly leaseMs: DurationMs; readonly renewDeadlineMs: DurationMs; readonly retryMs: DurationMs };
}

interface Observed {
  readonly record: LeaseRecord;
  /** When we first saw this very record: the only clock that counts, since the holder's may be wrong. */
  readonly atMs: number;
}

/** Takes part in the election until stopped. `lead` is called once per term with a signal that aborts when the term ends. */
export class LeaderElection {
  readonly #parts: LeaderElectionParts;
  readonly #times: NonNullable<LeaderElectionParts['times']>;
  readonly #leads: Gauge;
  #observed: Observed | undefined;
  #held: LeaseRecord | undefined;
  /**
   * When the request was sent that gave or last renewed the lease. Not when it was answered: the others count from when
   * the server kept it, and an answer may take as long as the renew deadline.
   */
  #renewedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: LeaderElectionParts) {
    this.#parts = parts;
    this.#times = parts.times ?? LEASE_TIMES;
    this.#leads = parts.metrics.gauge({ name: 'evenkeel_leader', help: '1 while this replica holds the lease, else 0.' });
    this.#leads.set(0);
  }

  /** Who holds the lease as far as we have seen; null when nobody does or nothing was read yet. */
  holder(): string | null {
    const holder = this.#held?.holder ?? this.#observed?.record.holder ?? '';
    return holder === '' ? null : holder;
  }

  /** Judged by the clock, not by a timer that may be late: a process that stood still (suspended, starved) leads no more. */
  isLeader(): boolean {
    return this.#held !== undefined && this.#parts.machine.nowMs() - this.#renewedAtMs < this.#times.renewDeadlineMs;
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
    const { logger, identity } = this.#parts;
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
        if (this.#held !== undefined) return;
      } catch (err) {
        if (!aborted(signal)) this.#parts.logger.warn('Leader election could not reach the lease; will retry', { err });
      }
      // Jitter shortens alone: a released lease is taken within one retry, whatever the dice say.
      await this.#pause(this.#times.retryMs * (1 - 0.2 * this.#parts.random.next()), signal);
    }
  }

  async #tryAcquire(signal: AbortSignal): Promise<LeaseRecord | undefined> {
    const { store, identity, machine } = this.#parts;
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(this.#times.renewDeadlineMs)]);
    const record = await store.read(bounded);
    this.#renewedAtMs = machine.nowMs();
    if (record === undefined) return store.create(this.#lease(undefined), bounded);
    if (this.#observed === undefined || !sameRecord(this.#observed.record, record)) {
      this.#observed = { record, atMs: machine.nowMs() };
    }
    const heldMs = Math.max(record.leaseDurationSeconds * 1000, this.#times.leaseMs);
    const free = record.holder === '' || record.holder === identity || machine.nowMs() - this.#observed.atMs > heldMs;
    return free ? store.update(record.resourceVersion, this.#lease(record), bounded) : undefined;
  }

  // Ends the term when the lease could not be renewed for the renew deadline, or was taken.
  async #keepRenewing(term: AbortController): Promise<void> {
    const { machine, store, logger } = this.#parts;
    while (!term.signal.aborted) {
      await this.#pause(this.#times.retryMs, term.signal);
      if (aborted(term.signal) || this.#held === undefined) return;
      const askedAtMs = machine.nowMs();
      const left = this.#times.renewDeadlineMs - (askedAtMs - this.#renewedAtMs);
      try {
        // Bounded by what is left of the deadline: a request that hangs must not outlive the lease.
        const bounded = AbortSignal.any([term.signal, AbortSignal.timeout(Math.max(1, Math.floor(left)))]);
        const renewed = await store.update(this.#held.resourceVersion, this.#lease(this.#held), bounded);
        if (renewed === undefined) {
          const now = await store.read(bounded);
          if (now?.holder !== this.#parts.identity) {
            logger.warn('The lease was taken by another replica', { holder: now?.holder });
            this.#held = undefined;
            term.abort();
            return;
          }
          // Somebody else wrote to it (a label): ours still, and renewed on its new version the next time.
          this.#held = now;
        } else {
          this.#held = renewed;
          this.#renewedAtMs = askedAtMs;
        }
      } catch (err) {
        if (aborted(term.signal)) return;
        logger.warn('Renewing the lease failed', { err });
      }
      if (machine.nowMs() - this.#renewedAtMs >= this.#times.renewDeadlineMs) {
        logger.error('The lease could not be renewed in time: no longer acting', { renewDeadlineMs: this.#times.renewDeadlineMs });
        this.#held = undefined;
        term.abort();
      }
    }
  }

  async #release(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return;
    try {
      const lease = { ...this.#lease(held), holder: '', leaseDurationSeconds: 1 };
      await this.#parts.store.update(held.resourceVersion, lease, AbortSignal.timeout(2_000));
    } catch (err) {
      this.#parts.logger.warn('Releasing the lease failed; it will run out by itself', { err });
    }
  }

  #lease(previous: LeaseRecord | undefined): LeaseWrite {
    const { identity, timestamp } = this.#parts;
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
      const cancel = this.#parts.machine.setTimer(ms, wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}

// A call, because the compiler believes that a signal does not change across an await.
function aborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function sameRecord(a: LeaseRecord, b: LeaseRecord): boolean {
  return a.holder === b.holder && a.renewTime === b.renewTime && a.transitions === b.transitions && a.resourceVersion === b.resourceVersion;
}
