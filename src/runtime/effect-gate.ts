// The shell of the one gate before every effect: asks leader, kill switch, clocks and budgets, lets through or holds, and
// keeps the audit. Nothing that changes what runs is written but through it.

import { LANES, type Effect } from '../core/effects/effect.ts';
import {
  BLOCK_REASONS,
  isOptimizingReduction,
  judgeEffect,
  nextWarmUp,
  reductionsPerMinute,
  staleSource,
  type Freshness,
  type GateInputs,
  type BlockReason,
  type WarmUpState,
} from '../core/effects/gate.ts';
import type { SourceName, StaleSource } from '../core/model/stale-source.ts';
import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Counter, Metrics } from '../ports/metrics.ts';
import type { TimelineWriter } from '../ports/timeline.ts';
import type { EffectWriter, WriteOutcome } from '../ports/writers.ts';
import { DryRunReports } from './dry-run-reports.ts';
import { EFFECT_MESSAGES, logEffect, targetName, timelineEntry } from './effect-messages.ts';
import { LaneBudgets, type ReductionsPerMinute } from './lane-budgets.ts';

/** How long usage is observed after a start or an outage before anything is reduced. */
export const WARM_UP_MS: DurationMs = 10 * MINUTE_MS;

/** Often enough to see every outage that makes data stale: that takes two periods, a minute each. */
const LOOK_EVERY_MS: DurationMs = 30 * SECOND_MS;

export interface EffectGateDependencies {
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
  /** Of lane optimize 50 where it is left out. Lanes without a budget are bounded by the API client's rate alone. */
  readonly reductionsPerMinute?: ReductionsPerMinute;
  /** Remembers what was done to workloads; of resizes those who ask tell more themselves. */
  readonly timeline?: TimelineWriter;
}

/** What the gate would say at this moment, for decisions that explain themselves. */
export interface EffectGateState {
  readonly dryRun: boolean;
  readonly paused: { readonly reason: string; readonly until: Instant | null } | null;
  readonly stale: StaleSource | null;
  readonly warmUpUntil: Instant | null;
}

export class EffectGate {
  readonly #dependencies: EffectGateDependencies;
  readonly #outcomes: Counter;
  #warmUpSince: WarmUpState = null;
  readonly #held: Counter;
  readonly #budgets: LaneBudgets;
  /** Of policies in dry run: as bounded as those that act, and nothing of theirs. */
  readonly #dryRunBudgets: LaneBudgets;
  /** Effects that reductions of lane optimize wait for: under way to the API server, or announced. */
  #precedingWrites = 0;
  readonly #dryRuns = new DryRunReports();

  constructor(dependencies: EffectGateDependencies) {
    this.#dependencies = dependencies;
    this.#outcomes = dependencies.metrics.counter({
      name: 'evenkeel_effects_total',
      help: 'Effects asked for, by action and outcome (done, dry-run, held, conflict, gone, refused, error).',
      labels: ['action', 'outcome'],
    });
    this.#held = dependencies.metrics.counter({
      name: 'evenkeel_effects_blocked_total',
      help: 'Effects that were held back, by lane and by reason: not-leader, paused, stale-data, warm-up, budget, other-lanes.',
      labels: ['lane', 'reason'],
    });
    for (const lane of LANES) for (const reason of BLOCK_REASONS) this.#held.add(0, { lane, reason });
    const perMinute = { optimize: () => reductionsPerMinute(0, 0), ...dependencies.reductionsPerMinute };
    this.#budgets = new LaneBudgets(perMinute);
    this.#dryRunBudgets = new LaneBudgets(perMinute);
  }

  /** Notices outages that begin and end while nobody asks, so that observation begins again after them as well. Returns the cancel. */
  watch(): () => void {
    const { clock } = this.#dependencies;
    let cancel: () => void = () => undefined;
    const look = (): void => {
      this.#inputs();
      cancel = clock.schedule(clock.now() + LOOK_EVERY_MS, look);
    };
    look();
    return () => cancel();
  }

  /** Changes with time and events alone; asking changes nothing but when observation began. */
  state(): EffectGateState {
    const inputs = this.#inputs();
    return { dryRun: inputs.dryRun, paused: inputs.pause, stale: staleSource(inputs), warmUpUntil: inputs.warmUpUntil };
  }

  /**
   * Raises and roll-backs are about to be sent one after the other: no reduction passes in between. Those that wait for their node
   * are not announced, because a reduction may make room for them. Returns the end, to be called once.
   */
  announceSafetyWrites(): () => void {
    this.#precedingWrites += 1;
    return () => {
      this.#precedingWrites -= 1;
    };
  }

  /** Writes what is asked for, or answers why not. @throws where the term of the leader has ended, or the connection is broken */
  async carryOut(effect: Effect, signal: AbortSignal): Promise<WriteOutcome> {
    const { clock, effects, dryRunEffects, logger, timeline } = this.#dependencies;
    // Losing the lease aborts the signal before another replica can become leader.
    signal.throwIfAborted();
    const now = clock.now();
    const { action } = EFFECT_MESSAGES[effect.kind];
    const verdict = judgeEffect(this.#inputs(), effect);
    if (verdict.kind === 'blocked') return this.#hold(effect, verdict.reason, verdict.message);
    const isDryRun = verdict.kind === 'dry-run';
    const wait = this.#whyWait(effect, isDryRun, now);
    if (wait !== null) return this.#hold(effect, wait.reason, wait.message);
    // What changes nothing averts no harm either.
    const precedes = !isOptimizingReduction(effect) && !isDryRun;
    if (precedes) this.#precedingWrites += 1;
    try {
      const written = await (isDryRun ? dryRunEffects : effects).write(effect, signal);
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
      if (precedes) this.#precedingWrites -= 1;
    }
  }

  /** Other effects that go first, or a budget that is used up; null: neither, and one of the budget is taken. */
  #whyWait(effect: Effect, isDryRun: boolean, now: Instant): { readonly reason: BlockReason; readonly message: string } | null {
    if (isOptimizingReduction(effect) && this.#precedingWrites > 0) {
      return {
        reason: 'other-lanes',
        message: 'increases, roll-backs and effects of other lanes are sent before reductions of lane optimize',
      };
    }
    const budgets = isDryRun ? this.#dryRunBudgets : this.#budgets;
    const usedUp = effect.direction === 'reduce' ? budgets.take(effect.lane, now) : null;
    return usedUp === null ? null : { reason: 'budget', message: usedUp };
  }

  #hold({ kind, lane }: Effect, reason: BlockReason, message: string): WriteOutcome {
    this.#outcomes.add(1, { action: EFFECT_MESSAGES[kind].action, outcome: 'blocked' });
    this.#held.add(1, { lane, reason });
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
