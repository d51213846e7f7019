// What a replica that does not lead knows of usage and decisions: what the leader shares, read again and again. It polls no
// kubelet, and answers reads with the same figures as the leader.

import { SECOND_MS, type DurationMs } from '#kube/units';
import type { Clock, MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Gauge, Metrics } from '../../ports/metrics.ts';
import type { SharedRecord, SharedState } from '../../ports/shared-state.ts';
import type {
  EvidenceReading,
  EvidenceSink,
  SummaryReading,
  UsageReading,
  UsageSink,
  UsageSourceStatus,
} from '../../ports/usage-source.ts';
import type { DecidedWorkload, DecisionCache } from '../../state/decision-cache.ts';

/** Replicas tell the same within this share of the kubelets' interval: 15 s of a minute, well before a sample grows old. */
const READS_IN_INTERVAL = 4;
const MIN_INTERVAL_MS: DurationMs = 1 * SECOND_MS;
const MAX_INTERVAL_MS: DurationMs = 15 * SECOND_MS;
const READ_AGAIN_MS: DurationMs = 3 * SECOND_MS;
/** The last reading before a term: whoever takes the lead must not wait for a store that hangs. */
const LAST_READING_MS: DurationMs = 1 * SECOND_MS;

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

export class LeaderFeed {
  readonly #dependencies: LeaderFeedDependencies;
  readonly #following: Gauge;
  #cursor = 0;
  #stopped = true;
  /** Counts the times of following: an answer that comes when its time is over is not taken in. */
  #time = 0;
  #reading: Promise<void> = Promise.resolve();
  #cancel: () => void = () => undefined;
  #problem: string | null = null;
  #source: UsageSourceStatus | null = null;

  constructor(dependencies: LeaderFeedDependencies) {
    this.#dependencies = dependencies;
    this.#following = dependencies.metrics.gauge({
      name: 'evenkeel_follower',
      help: '1 while this replica takes usage and decisions from the leader by way of the shared store, else 0.',
    });
    this.#following.set(0);
  }

  /** Begins to follow. Resolves after the first reading, whatever came of it. */
  start(): Promise<void> {
    this.#stopped = false;
    this.#time += 1;
    this.#following.set(1);
    return this.#read();
  }

  /** Takes in what was shared up to now, and follows no more. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#following.set(0);
    this.#cancel();
    let cancel: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (cancel = this.#dependencies.machine.setTimer(LAST_READING_MS, resolve)));
    await Promise.race([this.#reading.then(() => this.#takeChanges(this.#time)), late]);
    cancel();
    // Decisions of the last leader must not come over those of this one.
    this.#time += 1;
    this.#problem = null;
    this.#source = null;
  }

  isFollowing(): boolean {
    return !this.#stopped;
  }

  /** Why nothing is known of usage at this moment, in words; null while it is, or while this replica reads for itself. */
  problem(): string | null {
    return this.#stopped ? null : this.#problem;
  }

  /** What the leader reads usage from; null where it has not shared that, or while this replica reads for itself. */
  source(): UsageSourceStatus | null {
    return this.#stopped ? null : this.#source;
  }

  #read(): Promise<void> {
    const time = this.#time;
    this.#reading = this.#takeChanges(time).then(() => {
      const { clock, intervalMs } = this.#dependencies;
      const everyMs = Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, intervalMs / READS_IN_INTERVAL));
      const afterMs = this.#problem === null ? everyMs : READ_AGAIN_MS;
      if (!this.#stopped && time === this.#time) this.#cancel = clock.schedule(clock.now() + afterMs, () => void this.#read());
    });
    return this.#reading;
  }

  async #takeChanges(time: number): Promise<void> {
    const { shared, logger } = this.#dependencies;
    try {
      for (let more = true; more;) {
        const changes = await shared.changes(this.#cursor);
        if (time !== this.#time) return;
        for (const record of changes.records) this.#take(record);
        ({ cursor: this.#cursor, more } = changes);
      }
      if (this.#problem !== null) logger.info('The shared store answers again');
      this.#problem = null;
    } catch (err) {
      if (time !== this.#time) return;
      if (this.#problem === null) logger.warn('The shared store is out of reach: no figures of usage until it answers', { err });
      this.#problem = 'The shared store is out of reach, and this replica does not lead: figures of usage are null.';
    }
  }

  /** One that another version wrote in a shape of its own is left out; the next may be understood. */
  #take(record: SharedRecord): void {
    try {
      this.#understand(record);
    } catch (err) {
      this.#dependencies.logger.debug('A shared record was not understood and is left out', { topic: record.topic, key: record.key, err });
    }
  }

  #understand({ topic, key, at, body }: SharedRecord): void {
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

/** Throws where it is of another version, in a shape of its own. */
function sourceStatusOf(body: unknown): UsageSourceStatus {
  const { name, problem = null, kubeletProblem = null, throttlingProblem = null } = body as Partial<UsageSourceStatus>;
  if (typeof name !== 'string') throw new TypeError('the source of usage has no name');
  return { name, problem, kubeletProblem, throttlingProblem };
}
