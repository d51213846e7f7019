// Leader election by Lease. The leader acts; followers watch and serve reads. All times are machine time: a lease must expire by the
// machine's clock, whatever the domain clock does.

import type { DurationMs } from '#kube/units';
import type { MachineTimer } from '../ports/clock.ts';
import type { Election, LeadershipDeadline } from '../ports/cluster/election.ts';
import type { LeaseRecord, LeaseStore, LeaseWrite } from '../ports/cluster/lease-store.ts';
import type { Logger } from '../ports/logger.ts';
import type { Gauge, Metrics, MetricSpec } from '../ports/metrics.ts';
import type { Random } from '../ports/random.ts';

/**
 * lease > renew deadline > retry. A follower polls more often than a leader renews: another replica leads within 13 s after a crash (a
 * lease of 10 s, observed at most one poll late) and 2 s after a clean stop (one poll), with time for a slow API server.
 */
export const LEASE_TIMES = { leaseMs: 10_000, renewDeadlineMs: 7_000, retryMs: 1_500, pollMs: 1_000 } as const;

export const LEADER_GAUGE: MetricSpec = { name: 'evenkeel_leader', help: '1 while this replica holds the lease, else 0.' };

/** Lease duration that a leader writes when it releases the lease, as client-go does. */
const RELEASED_SECONDS = 1;

const RELEASE_DEADLINE_MS: DurationMs = 2_000;
const MAX_RELEASE_ATTEMPTS = 3;

/** Attempts to renew, at least, before the renew deadline ends the term. */
const ATTEMPTS_PER_DEADLINE = 3;

export interface LeaderElectionDependencies {
  readonly store: LeaseStore;
  readonly identity: string;
  readonly machine: MachineTimer;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** RFC 3339 time for the record, for users alone: the election does not compare it. */
  readonly timestamp: () => string;
  readonly times?: { readonly [Time in keyof typeof LEASE_TIMES]: DurationMs };
  /** Where another thread reads how long this process leads. Default: a value in this object. */
  readonly deadline?: LeadershipDeadline;
}

interface ObservedLease {
  /** undefined where no Lease existed. */
  readonly record: LeaseRecord | undefined;
  /** Machine time of the first observation of this record. The holder's own clock may be wrong, so its timestamps do not count. */
  readonly atMs: number;
}

/** Takes part in the election until stopped. */
export class LeaderElection implements Election {
  readonly #dependencies: LeaderElectionDependencies;
  readonly #times: NonNullable<LeaderElectionDependencies['times']>;
  readonly #leaderGauge: Gauge;
  readonly #deadline: LeadershipDeadline;
  #observed: ObservedLease | undefined;
  #held: LeaseRecord | undefined;
  /** acquireTime of the latest term that this process started or tried to start: a Lease with its identity and another time is not its own. */
  #acquireTime: string | null = null;
  #transitions = 0;
  #problem: string | null = null;
  /**
   * When the request was sent that acquired or last renewed the lease. The time of the response does not count: other replicas count from
   * when the server stored it, and a response may take as long as the renew deadline.
   */
  #renewedAtMs = Number.NEGATIVE_INFINITY;

  constructor(dependencies: LeaderElectionDependencies) {
    this.#dependencies = dependencies;
    this.#times = dependencies.times ?? LEASE_TIMES;
    this.#deadline = dependencies.deadline ?? new LocalDeadline();
    this.#leaderGauge = dependencies.metrics.gauge(LEADER_GAUGE);
    this.#leaderGauge.set(0);
  }

  holder(): string | null {
    const holder = this.#held?.holder ?? this.#observed?.record?.holder ?? '';
    return holder === '' ? null : holder;
  }

  transitions(): number {
    return this.#transitions;
  }

  problem(): string | null {
    return this.#problem;
  }

  isLeader(): boolean {
    return this.#dependencies.machine.nowMs() < this.#deadline.get();
  }

  async run(lead: (term: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#acquire(signal);
      if (this.#held === undefined) return;
      await this.#serveTerm(lead, signal);
      // Without this delay, work that fails at once would acquire the lease thousands of times a second.
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
    this.#leaderGauge.set(1);
    const working = lead(term.signal).catch((err: unknown) => {
      if (!term.signal.aborted) logger.error('Leader term failed', { err });
      term.abort();
    });
    const renewing = this.#keepRenewing(term);
    await working;
    term.abort();
    await renewing;
    signal.removeEventListener('abort', end);
    this.#leaderGauge.set(0);
    await this.#release();
    logger.info('No longer leader', { identity });
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        this.#hold(await this.#tryAcquire(signal));
        this.#clearProblem();
        if (this.#held !== undefined) {
          this.#transitions = this.#held.transitions;
          return;
        }
      } catch (err) {
        if (!isAborted(signal)) this.#recordProblem('Acquiring lease failed; retrying', err);
      }
      // Jitter only shortens the delay, so that a released lease is acquired within one poll.
      const pollMs = this.#times.pollMs * (1 - 0.2 * this.#dependencies.random.next());
      await this.#pause(Math.max(1, Math.min(pollMs, this.#remainingLeaseMs() + 1)), signal);
    }
  }

  #tryAcquire(signal: AbortSignal): Promise<LeaseRecord | undefined> {
    const { store, machine } = this.#dependencies;
    return this.#within(this.#times.renewDeadlineMs, signal, async (bounded) => {
      const record = await store.read(bounded);
      this.#renewedAtMs = machine.nowMs();
      const isFirst = this.#observed === undefined;
      if (this.#observed === undefined || !isSameRecord(this.#observed.record, record)) {
        this.#observed = { record, atMs: machine.nowMs() };
      }
      if (!this.#isFree(record, isFirst)) return undefined;
      const lease = this.#newLease(record);
      this.#acquireTime = lease.acquireTime;
      return record === undefined ? store.create(lease, bounded) : store.update(record.resourceVersion, lease, bounded);
    });
  }

  /**
   * Free is a lease that was released by its leader, that this process has acquired without seeing the response, that never existed, or
   * that has expired. A lease that a user has emptied, deleted or given to this replica is free only once it expires: its leader may still
   * act.
   */
  #isFree(record: LeaseRecord | undefined, isFirst: boolean): boolean {
    if (record === undefined) return isFirst || this.#remainingLeaseMs() <= 0;
    const { holder, leaseDurationSeconds, acquireTime } = record;
    if (holder === '' && leaseDurationSeconds <= RELEASED_SECONDS) return true;
    const isOwn = holder === this.#dependencies.identity && this.#acquireTime !== null && isSameInstant(acquireTime, this.#acquireTime);
    return isOwn || this.#remainingLeaseMs() <= 0;
  }

  /** By this machine's clock, from the first observation of the present record. */
  #remainingLeaseMs(): DurationMs {
    if (this.#observed === undefined) return Number.POSITIVE_INFINITY;
    const { record, atMs } = this.#observed;
    const durationMs = Math.max((record?.leaseDurationSeconds ?? 0) * 1000, this.#times.leaseMs);
    return atMs + durationMs - this.#dependencies.machine.nowMs();
  }

  /** Ends the term when the lease could not be renewed within the renew deadline, or was taken. */
  async #keepRenewing(term: AbortController): Promise<void> {
    const { machine, logger, identity } = this.#dependencies;
    const { renewDeadlineMs, retryMs } = this.#times;
    while (!term.signal.aborted) {
      await this.#pause(retryMs, term.signal);
      if (isAborted(term.signal) || this.#held === undefined) return;
      try {
        await this.#renew(this.#held, term.signal);
        this.#clearProblem();
      } catch (err) {
        if (isAborted(term.signal)) return;
        this.#recordProblem('Renewing lease failed; retrying', err);
      }
      if (this.#held.holder !== identity) {
        logger.warn('Lease was taken by another replica', { holder: this.#held.holder });
        this.#endTerm(term);
      } else if (machine.nowMs() - this.#renewedAtMs >= renewDeadlineMs) {
        logger.error('Lease was not renewed within the renew deadline; ending the term', { renewDeadlineMs });
        this.#endTerm(term);
      }
    }
  }

  async #renew(held: LeaseRecord, signal: AbortSignal): Promise<void> {
    const { machine, store } = this.#dependencies;
    const { renewDeadlineMs } = this.#times;
    const sentAtMs = machine.nowMs();
    const remainingMs = renewDeadlineMs - (sentAtMs - this.#renewedAtMs);
    // A request that hangs must end before the lease expires, and early enough to try another connection.
    await this.#within(Math.min(remainingMs, renewDeadlineMs / ATTEMPTS_PER_DEADLINE), signal, async (bounded) => {
      const renewed = await store.update(held.resourceVersion, this.#newLease(held), bounded);
      if (renewed === undefined) {
        // A conflict: the lease was taken or deleted, or it has another resourceVersion because a label was written or an earlier renewal
        // was stored without a response. In the latter cases the next renewal uses the new version.
        this.#hold((await store.read(bounded)) ?? { ...held, holder: '' });
      } else {
        this.#renewedAtMs = sentAtMs;
        this.#hold(renewed);
      }
    });
  }

  /** The deadline follows from the last renewal, and is in the past at once where this replica is not the holder. */
  #hold(held: LeaseRecord | undefined): void {
    this.#held = held;
    this.#deadline.set(held?.holder === this.#dependencies.identity ? this.#renewedAtMs + this.#times.renewDeadlineMs : 0);
  }

  /** Ends the term without a release: the lease is held by another replica or about to expire. */
  #endTerm(term: AbortController): void {
    this.#hold(undefined);
    term.abort();
  }

  /** Logs a problem only when it appears or changes: retries every 1.5 s would fill the log. */
  #recordProblem(message: string, err: unknown): void {
    const problem = err instanceof Error ? err.message : String(err);
    if (problem !== this.#problem) this.#dependencies.logger.warn(message, { err });
    this.#problem = problem;
  }

  #clearProblem(): void {
    if (this.#problem !== null) this.#dependencies.logger.info('Lease can be read and written again', { before: this.#problem });
    this.#problem = null;
  }

  async #within<T>(ms: DurationMs, signal: AbortSignal, send: (bounded: AbortSignal) => Promise<T>): Promise<T> {
    const timeout = new AbortController();
    const cancel = this.#dependencies.machine.setTimer(Math.max(1, ms), () => timeout.abort(new Error('no response in time')));
    try {
      return await send(AbortSignal.any([signal, timeout.signal]));
    } finally {
      cancel();
    }
  }

  async #release(): Promise<void> {
    const { store, logger, identity } = this.#dependencies;
    let held = this.#held;
    this.#hold(undefined);
    const signal = AbortSignal.timeout(RELEASE_DEADLINE_MS);
    try {
      for (let tries = 0; held?.holder === identity && tries < MAX_RELEASE_ATTEMPTS; tries += 1) {
        const lease = { ...this.#newLease(held), holder: '', leaseDurationSeconds: RELEASED_SECONDS };
        if ((await store.update(held.resourceVersion, lease, signal)) !== undefined) return;
        // A renewal was being sent when the term ended: the server stored it, and its response was not read.
        held = await store.read(signal);
      }
    } catch (err) {
      logger.warn('Releasing lease failed; it will expire', { err });
    }
  }

  #newLease(previous: LeaseRecord | undefined): LeaseWrite {
    const { identity, timestamp } = this.#dependencies;
    const isRenewal = previous?.holder === identity;
    const now = timestamp();
    return {
      holder: identity,
      leaseDurationSeconds: Math.ceil(this.#times.leaseMs / 1000),
      acquireTime: isRenewal ? previous.acquireTime : now,
      renewTime: now,
      transitions: previous === undefined ? 0 : previous.transitions + (isRenewal ? 0 : 1),
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

class LocalDeadline implements LeadershipDeadline {
  #untilMs = 0;

  get(): number {
    return this.#untilMs;
  }

  set(untilMs: number): void {
    this.#untilMs = untilMs;
  }
}

/** A function, because TypeScript narrows `signal.aborted` across an await. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function isSameRecord(a: LeaseRecord | undefined, b: LeaseRecord | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.holder === b.holder && a.renewTime === b.renewTime && a.transitions === b.transitions && a.resourceVersion === b.resourceVersion;
}

/** The API server stores microseconds and may format them differently. */
function isSameInstant(a: string, b: string): boolean {
  return Date.parse(a) === Date.parse(b);
}
