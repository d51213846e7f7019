// The shell of the one gate before every effect: asks leader, kill switch, clocks and budgets, lets through or holds, and
// keeps the audit. Nothing that changes what runs is written but through it.

import type { Effect } from '../core/effects/effect.ts';
import {
  isOptimizingReduction,
  judgeEffect,
  nextWarmUp,
  recentReductions,
  reductionsPerMinute,
  staleSource,
  type Freshness,
  type GateInputs,
  type WarmUpState,
} from '../core/effects/gate.ts';
import type { SourceName, StaleSource } from '../core/model/stale-source.ts';
import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '../core/model/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Counter, Metrics } from '../ports/metrics.ts';
import type { TimelineWriter } from '../ports/timeline.ts';
import type { EffectWriter, WriteOutcome } from '../ports/writers.ts';
import { DryRunNews } from './dry-run-news.ts';
import { EFFECT_MESSAGES, logEffect, targetName, timelineEntry } from './effect-messages.ts';

/** How long usage is observed after a start or an outage before anything is reduced. */
export const WARM_UP_MS: DurationMs = 10 * MINUTE_MS;

/** Often enough to see every outage that makes data stale: that takes two periods, a minute each. */
const LOOK_EVERY_MS: DurationMs = 30 * SECOND_MS;

export interface EffectGateParts {
  readonly effects: EffectWriter;
  /** The same with the server's dry run: validates and changes nothing. */
  readonly dryRunEffects: EffectWriter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly dryRun: boolean;
  readonly isLeader: () => boolean;
  /** The kill switch, read from what the informers know at this moment. */
  readonly activePause: (now: Instant) => { readonly reason: string; readonly until: Instant | null } | null;
  /** Informers and usage: none of them may be older than two of its periods. */
  readonly sources: readonly {
    readonly name: SourceName;
    readonly periodMs: DurationMs;
    readonly confirmedAt: () => Instant;
    /** What is wrong with it, in words; null: nothing that it knows of. */
    readonly problem?: () => string | null;
  }[];
  readonly warmUpMs?: DurationMs;
  /** How many reductions a minute the cluster takes; what safety needs is bounded by the API client's rate alone. */
  readonly reductionsPerMinute?: () => number;
  /** Remembers what was done to workloads; of resizes those who ask tell more themselves. */
  readonly timeline?: TimelineWriter;
}

/** What the gate would say at this moment, for decisions that explain themselves. */
export interface GateStanding {
  readonly dryRun: boolean;
  readonly paused: { readonly reason: string; readonly until: Instant | null } | null;
  readonly stale: StaleSource | null;
  readonly warmUpUntil: Instant | null;
}

export class EffectGate {
  readonly #parts: EffectGateParts;
  readonly #outcomes: Counter;
  #warmUpSince: WarmUpState = null;
  #reducedAt: readonly Instant[] = [];
  /** Under way to the API server, or announced. */
  #safetyWrites = 0;
  readonly #dryRuns = new DryRunNews();

  constructor(parts: EffectGateParts) {
    this.#parts = parts;
    this.#outcomes = parts.metrics.counter({
      name: 'evenkeel_effects_total',
      help: 'Effects asked for, by action and outcome (done, dry-run, held, conflict, gone, refused, error).',
      labels: ['action', 'outcome'],
    });
  }

  /** Notices outages that begin and end while nobody asks, so that observation begins again after them as well. Returns the cancel. */
  watch(): () => void {
    const { clock } = this.#parts;
    let cancel: () => void = () => undefined;
    const look = (): void => {
      this.#inputs();
      cancel = clock.schedule(clock.now() + LOOK_EVERY_MS, look);
    };
    look();
    return () => cancel();
  }

  /** Changes with time and events alone; asking changes nothing but when observation began. */
  standing(): GateStanding {
    const inputs = this.#inputs();
    return { dryRun: inputs.dryRun, paused: inputs.pause, stale: staleSource(inputs), warmUpUntil: inputs.warmUpUntil };
  }

  /**
   * Raises and roll-backs are about to be sent one after the other: no reduction passes in between. Those that wait for their node
   * are not announced, because a reduction may make room for them. Returns the end, to be called once.
   */
  announceSafetyWrites(): () => void {
    this.#safetyWrites += 1;
    return () => {
      this.#safetyWrites -= 1;
    };
  }

  /** Writes what is asked for, or answers why not. @throws where the term of the leader has ended, or the connection is broken */
  async carryOut(effect: Effect, signal: AbortSignal): Promise<WriteOutcome> {
    const { clock, effects, dryRunEffects, logger, timeline } = this.#parts;
    // Losing the lease aborts the signal before another replica can become leader.
    signal.throwIfAborted();
    const now = clock.now();
    const { action } = EFFECT_MESSAGES[effect.kind];
    const verdict = judgeEffect(this.#inputs(), effect);
    if (verdict.kind === 'held') return this.#held(action, verdict.reason, verdict.message);
    const isReduction = isOptimizingReduction(effect);
    const wait = isReduction ? this.#takeReduction(now) : null;
    if (wait !== null) return this.#held(action, 'budget', wait);
    if (!isReduction) this.#safetyWrites += 1;
    try {
      const written = await (verdict.kind === 'dry-run' ? dryRunEffects : effects).write(effect, signal);
      const isOld = written.kind === 'dry-run' && !this.#dryRuns.isNew(action, targetName(effect), effect.change, now);
      const outcome: WriteOutcome = isOld ? { kind: 'dry-run', again: true } : written;
      this.#outcomes.add(1, { action, outcome: outcome.kind });
      logEffect(logger, effect, outcome);
      const entry = effect.recordedByCaller === true ? null : timelineEntry(effect, outcome, now, clock.now() - now);
      if (entry !== null) timeline?.appendEntry(entry);
      return outcome;
    } catch (error) {
      this.#outcomes.add(1, { action, outcome: 'error' });
      throw error;
    } finally {
      if (!isReduction) this.#safetyWrites -= 1;
    }
  }

  /** Takes one of the cluster's reductions of this minute; null: it was taken, else why it has to wait. */
  #takeReduction(now: Instant): string | null {
    if (this.#safetyWrites > 0) return 'what safety needs is sent before any reduction';
    const budget = this.#parts.reductionsPerMinute?.() ?? reductionsPerMinute(0, 0);
    this.#reducedAt = recentReductions(this.#reducedAt, now);
    if (this.#reducedAt.length >= budget) return `no more than ${budget} reductions a minute in the cluster`;
    this.#reducedAt = [...this.#reducedAt, now];
    return null;
  }

  #held(action: string, reason: string, message: string): WriteOutcome {
    this.#outcomes.add(1, { action, outcome: 'held' });
    return { kind: 'held', reason, message };
  }

  #inputs(): GateInputs {
    const { clock, dryRun, isLeader, activePause, warmUpMs = WARM_UP_MS } = this.#parts;
    const now = clock.now();
    const sources: Freshness[] = this.#parts.sources.map(({ name, periodMs, confirmedAt, problem }) => ({
      name,
      periodMs,
      confirmedAt: confirmedAt(),
      problem: problem?.() ?? null,
    }));
    this.#warmUpSince = nextWarmUp(this.#warmUpSince, { now, sources });
    const warmUpUntil = this.#warmUpSince === null ? now + warmUpMs : this.#warmUpSince + warmUpMs;
    return { now, leader: isLeader(), dryRun, pause: activePause(now), sources, warmUpUntil: warmUpUntil > now ? warmUpUntil : null };
  }
}
