// Usage and decisions of a follower: it polls the records that the leader shares, instead of kubelets, and answers reads as the leader
// does.

import { SECOND_MS, type DurationMs } from '#kube/units';
import type { Clock, MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Gauge, Metrics } from '../../ports/metrics.ts';
import type { SharedRecord, SharedState } from '../../ports/cluster/shared-state.ts';
import type {
  EvidenceReading,
  EvidenceSink,
  SummaryReading,
  UsageReading,
  UsageSink,
  UsageSourceStatus,
} from '../../ports/usage/usage-source.ts';
import type { DecidedWorkload, DecisionCache } from '../../state/decision-cache.ts';

/** Reads per interval of the kubelets: followers lag by at most 15 s of a minute, well before a sample becomes stale. */
const READS_PER_INTERVAL = 4;
const MIN_INTERVAL_MS: DurationMs = 1 * SECOND_MS;
const MAX_INTERVAL_MS: DurationMs = 15 * SECOND_MS;
const RETRY_MS: DurationMs = 3 * SECOND_MS;
/** Timeout of the last read before a term: a new leader must not wait for a store that hangs. */
const LAST_READ_TIMEOUT_MS: DurationMs = 1 * SECOND_MS;

export interface LeaderFeedDependencies {
  readonly shared: SharedState;
  readonly usage: UsageSink & EvidenceSink;
  readonly decisions: Pick<DecisionCache, 'takeOver'>;
  /** How often the leader reads each kubelet. */
  readonly intervalMs: DurationMs;
  readonly clock: Clock;
  readonly machine: MachineTimer;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Registers the metric that a replica exports where it can follow a leader. */
export function registerFollowerGauge(metrics: Metrics): Gauge {
  return metrics.gauge({
    name: 'evenkeel_follower',
    help: '1 while this replica reads usage and decisions of the leader from the shared store, else 0.',
  });
}

/** Reads the records that the leader shares, and applies them to this replica's usage model and decision cache. */
export class LeaderFeed {
  readonly #dependencies: LeaderFeedDependencies;
  readonly #following: Gauge;
  #cursor = 0;
  #stopped = true;
  /** Number of the present period of following: a response from an earlier one is ignored. */
  #period = 0;
  #reading: Promise<void> = Promise.resolve();
  #cancel: () => void = () => undefined;
  #problem: string | null = null;
  #source: UsageSourceStatus | null = null;

  constructor(dependencies: LeaderFeedDependencies) {
    this.#dependencies = dependencies;
    this.#following = registerFollowerGauge(dependencies.metrics);
    this.#following.set(0);
  }

  /** Starts to follow. Resolves after the first read, even where it failed. */
  start(): Promise<void> {
    this.#stopped = false;
    this.#period += 1;
    this.#following.set(1);
    return this.#read();
  }

  /** Reads the last changes and stops to follow. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#following.set(0);
    this.#cancel();
    let cancel: () => void = () => undefined;
    const timeout = new Promise<void>((resolve) => (cancel = this.#dependencies.machine.setTimer(LAST_READ_TIMEOUT_MS, resolve)));
    await Promise.race([this.#reading.then(() => this.#readChanges(this.#period)), timeout]);
    cancel();
    // Decisions of the previous leader must not replace those of this one.
    this.#period += 1;
    this.#problem = null;
    this.#source = null;
  }

  isFollowing(): boolean {
    return !this.#stopped;
  }

  /** Why usage is unknown; null while it is known, or while this replica leads. */
  problem(): string | null {
    return this.#stopped ? null : this.#problem;
  }

  /** The leader's usage source; null where it has not been shared, or while this replica leads. */
  source(): UsageSourceStatus | null {
    return this.#stopped ? null : this.#source;
  }

  #read(): Promise<void> {
    const period = this.#period;
    this.#reading = this.#readChanges(period).then(() => {
      const { clock, intervalMs } = this.#dependencies;
      const pollMs = Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, intervalMs / READS_PER_INTERVAL));
      const afterMs = this.#problem === null ? pollMs : RETRY_MS;
      if (!this.#stopped && period === this.#period) this.#cancel = clock.schedule(clock.now() + afterMs, () => void this.#read());
    });
    return this.#reading;
  }

  async #readChanges(period: number): Promise<void> {
    const { shared, logger } = this.#dependencies;
    try {
      for (let more = true; more;) {
        const changes = await shared.changes(this.#cursor);
        if (period !== this.#period) return;
        for (const record of changes.records) this.#apply(record);
        ({ cursor: this.#cursor, more } = changes);
      }
      if (this.#problem !== null) logger.info('Shared store is reachable again');
      this.#problem = null;
    } catch (err) {
      if (period !== this.#period) return;
      if (this.#problem === null) logger.warn('Shared store cannot be reached; usage is null until it answers', { err });
      this.#problem = 'The shared store cannot be reached, and this replica is not the leader: usage is null.';
    }
  }

  /** Ignores a record of another version's format; a later one may be decodable. */
  #apply(record: SharedRecord): void {
    try {
      this.#decodeAndApply(record);
    } catch (err) {
      this.#dependencies.logger.debug('Ignoring shared record that cannot be decoded', { topic: record.topic, key: record.key, err });
    }
  }

  #decodeAndApply({ topic, key, at, body }: SharedRecord): void {
    const { usage, decisions } = this.#dependencies;
    switch (topic) {
      case 'usage': {
        const { containers, nodeUsage } = body as Partial<UsageReading>;
        if (Array.isArray(containers)) usage.onUsage({ node: key, containers, nodeUsage: nodeUsage ?? null, readAt: at });
        return;
      }
      case 'summary': {
        const { volumes, network, pressure = null } = body as Partial<SummaryReading>;
        if (Array.isArray(volumes) && Array.isArray(network)) usage.onSummary({ node: key, volumes, network, pressure });
        return;
      }
      case 'evidence': {
        const { source, containers } = body as Partial<EvidenceReading>;
        if (typeof source === 'string' && Array.isArray(containers)) usage.onEvidence({ node: key, source, at, containers });
        return;
      }
      case 'source': {
        this.#source = sourceStatusOf(body);
        return;
      }
      case 'decision': {
        const decided = body as Partial<DecidedWorkload> | null;
        if (decided === null) decisions.takeOver(key, null);
        else if (decided.status !== undefined && Array.isArray(decided.advice)) decisions.takeOver(key, decided as DecidedWorkload);
        return;
      }
    }
  }
}

/** @throws where the record has another version's format */
function sourceStatusOf(body: unknown): UsageSourceStatus {
  const { name, problem = null, kubeletProblem = null, throttlingProblem = null } = body as Partial<UsageSourceStatus>;
  if (typeof name !== 'string') throw new TypeError('the usage source has no name');
  return { name, problem, kubeletProblem, throttlingProblem };
}
