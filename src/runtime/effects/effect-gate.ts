// The gate in front of every effect: checks leadership, pause, freshness of the data, warm-up and budgets, then writes or blocks
// the effect and records it. Every change to running workloads passes through it; statuses, annotations and sizes at creation do not.

import { LANES, type Effect } from '../../core/effects/effect.ts';
import {
  BLOCK_REASONS,
  isOptimizingReduction,
  judgeEffect,
  nextWarmUp,
  reductionsPerMinute,
  findStaleSource,
  type Freshness,
  type GateInputs,
  type BlockReason,
  type WarmUpState,
} from '../../core/effects/gate.ts';
import type { SourceName, StaleSource } from '../../core/model/stale-source.ts';
import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Counter, Metrics } from '../../ports/metrics.ts';
import type { TimelineWriter } from '../../ports/store/timeline.ts';
import type { EffectWriter, WriteOutcome } from '../../ports/cluster/writers.ts';
import { DryRunReports } from './dry-run-reports.ts';
import { EFFECT_MESSAGES, logEffect, targetName, timelineEntry } from './effect-messages.ts';
import { LaneBudgets, type ReductionsPerMinute } from './lane-budgets.ts';

/** Usage is observed this long after a start or an outage before reductions are allowed. */
export const WARM_UP_MS: DurationMs = 10 * MINUTE_MS;

/** Short enough to see every outage that makes data stale, which takes two periods of a minute. */
const CHECK_INTERVAL_MS: DurationMs = 30 * SECOND_MS;

export interface EffectGateDependencies {
  readonly effects: EffectWriter;
  /** Writes with the API server's dry run, which validates and changes nothing. */
  readonly dryRunEffects: EffectWriter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly dryRun: boolean;
  readonly isLeader: () => boolean;
  /** The pause, as the informers show it; null where there is none. */
  readonly activePause: (now: Instant) => { readonly reason: string; readonly until: Instant | null } | null;
  /** Sources of data; one that was not confirmed within two of its periods is stale. */
  readonly sources: readonly {
    readonly name: SourceName;
    readonly periodMs: DurationMs;
    readonly confirmedAt: () => Instant;
    /** What is wrong with the source; null where it reports no problem. */
    readonly problem?: () => string | null;
  }[];
  readonly warmUpMs?: DurationMs;
  /** The default for lane optimize is 50. Lanes without a budget are bounded by the API client's rate alone. */
  readonly reductionsPerMinute?: ReductionsPerMinute;
  /** Records effects, except those with `recordedByCaller`, which the caller records in more detail. */
  readonly timeline?: TimelineWriter;
}

/** What would block an effect now, for decisions that explain themselves. */
export interface EffectGateState {
  readonly dryRun: boolean;
  readonly paused: { readonly reason: string; readonly until: Instant | null } | null;
  readonly stale: StaleSource | null;
  readonly warmUpUntil: Instant | null;
}

/** Carries out effects that pass its checks. */
export class EffectGate {
  readonly #dependencies: EffectGateDependencies;
  readonly #outcomes: Counter;
  #warmUpSince: WarmUpState = null;
  readonly #blocked: Counter;
  readonly #budgets: LaneBudgets;
  /** Budgets of policies in dry run, equal to and separate from those of other policies. */
  readonly #dryRunBudgets: LaneBudgets;
  /** Number of effects that reductions of lane optimize wait for: being sent, or announced. */
  #precedingWrites = 0;
  readonly #dryRuns = new DryRunReports();

  constructor(dependencies: EffectGateDependencies) {
    this.#dependencies = dependencies;
    this.#outcomes = dependencies.metrics.counter({
      name: 'evenkeel_effects_total',
      help: 'Requested effects, by action and outcome (done, dry-run, blocked, conflict, gone, refused, error).',
      labels: ['action', 'outcome'],
    });
    this.#blocked = dependencies.metrics.counter({
      name: 'evenkeel_effects_blocked_total',
      help: 'Blocked effects, by lane and by reason: not-leader, paused, stale-data, warm-up, budget, other-lanes.',
      labels: ['lane', 'reason'],
    });
    for (const lane of LANES) for (const reason of BLOCK_REASONS) this.#blocked.add(0, { lane, reason });
    const perMinute = { optimize: () => reductionsPerMinute(0, 0), ...dependencies.reductionsPerMinute };
    this.#budgets = new LaneBudgets(perMinute);
    this.#dryRunBudgets = new LaneBudgets(perMinute);
  }

  /**
   * Detects outages that start and end between two effects, so that the warm-up starts again after them as well.
   * @returns a function that stops
   */
  watch(): () => void {
    const { clock } = this.#dependencies;
    let cancel: () => void = () => undefined;
    const check = (): void => {
      this.#inputs();
      cancel = clock.schedule(clock.now() + CHECK_INTERVAL_MS, check);
    };
    check();
    return () => cancel();
  }

  /** What would block an effect now. */
  state(): EffectGateState {
    const inputs = this.#inputs();
    return { dryRun: inputs.dryRun, paused: inputs.pause, stale: findStaleSource(inputs), warmUpUntil: inputs.warmUpUntil };
  }

  /**
   * Announces raises and roll-backs that are sent one after the other, so that no reduction is sent in between. Raises that wait for their
   * node are not announced, because a reduction may free the capacity for them.
   * @returns a function that ends the announcement, to be called once
   */
  announceSafetyWrites(): () => void {
    this.#precedingWrites += 1;
    return () => {
      this.#precedingWrites -= 1;
    };
  }

  /**
   * Writes an effect.
   * @returns the outcome; `blocked` with the reason where a check failed
   * @throws when the leader's term has ended or the API server cannot be reached
   */
  async carryOut(effect: Effect, signal: AbortSignal): Promise<WriteOutcome> {
    const { clock, effects, dryRunEffects, logger, timeline } = this.#dependencies;
    // Losing the lease aborts the signal before another replica can become leader.
    signal.throwIfAborted();
    const now = clock.now();
    const { action } = EFFECT_MESSAGES[effect.kind];
    const verdict = judgeEffect(this.#inputs(), effect);
    if (verdict.kind === 'blocked') return this.#block(effect, verdict.reason, verdict.message);
    const isDryRun = verdict.kind === 'dry-run';
    const blocker = this.#findBlocker(effect, isDryRun, now);
    if (blocker !== null) return this.#block(effect, blocker.reason, blocker.message);
    // Reductions do not wait for dry runs, which change nothing.
    const precedes = !isOptimizingReduction(effect) && !isDryRun;
    if (precedes) this.#precedingWrites += 1;
    try {
      const written = await (isDryRun ? dryRunEffects : effects).write(effect, signal);
      const isRepeated = written.kind === 'dry-run' && !this.#dryRuns.isNew(action, targetName(effect), effect.change, now);
      const outcome: WriteOutcome = isRepeated ? { kind: 'dry-run', repeated: true } : written;
      this.#outcomes.add(1, { action, outcome: outcome.kind });
      logEffect(logger, effect, outcome);
      const entry = effect.recordedByCaller === true ? null : timelineEntry(effect, outcome, now, clock.now() - now);
      if (entry !== null) timeline?.appendEntry(entry);
      return outcome;
    } catch (error) {
      this.#outcomes.add(1, { action, outcome: 'error' });
      throw error;
    } finally {
      if (precedes) this.#precedingWrites -= 1;
    }
  }

  /** Effects that are sent first, or an exhausted budget; null where neither blocks, after one write was taken from the budget. */
  #findBlocker(effect: Effect, isDryRun: boolean, now: Instant): { readonly reason: BlockReason; readonly message: string } | null {
    if (isOptimizingReduction(effect) && this.#precedingWrites > 0) {
      return {
        reason: 'other-lanes',
        message: 'increases, roll-backs and effects of other lanes are sent before reductions of lane optimize',
      };
    }
    const budgets = isDryRun ? this.#dryRunBudgets : this.#budgets;
    const exhausted = effect.direction === 'reduce' ? budgets.take(effect.lane, now) : null;
    return exhausted === null ? null : { reason: 'budget', message: exhausted };
  }

  #block({ kind, lane }: Effect, reason: BlockReason, message: string): WriteOutcome {
    this.#outcomes.add(1, { action: EFFECT_MESSAGES[kind].action, outcome: 'blocked' });
    this.#blocked.add(1, { lane, reason });
    return { kind: 'blocked', reason, message };
  }

  #inputs(): GateInputs {
    const { clock, dryRun, isLeader, activePause, warmUpMs = WARM_UP_MS } = this.#dependencies;
    const now = clock.now();
    const sources: Freshness[] = this.#dependencies.sources.map(({ name, periodMs, confirmedAt, problem }) => ({
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
