// The shell of the one gate before every effect: asks leader, kill switch, clocks and budgets, lets through or holds, and
// keeps the audit. Nothing that changes what runs is written but through it.

import {
  judgeEffect,
  nextWarmUp,
  recentReductions,
  reductionsPerMinute,
  staleSource,
  type WarmUpState,
  type EffectIntent,
  type Freshness,
  type GateInputs,
} from '../core/effects/gate.ts';
import type { SourceName, StaleSource } from '../core/model/stale-source.ts';
import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '../core/model/units.ts';
import { parseWorkloadKey } from '../core/model/workload.ts';
import type { Clock } from '../ports/clock.ts';
import type { TimelineWriter } from '../ports/timeline.ts';
import type { Logger } from '../ports/logger.ts';
import type { Counter, Metrics } from '../ports/metrics.ts';
import type { EffectWriter, JsonPatchOperation, PodResize, WorkloadRestart, WorkloadScale, WriteOutcome } from '../ports/writers.ts';
import { DryRunNews } from './dry-run-news.ts';

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

/** What is asked for, with the words that its line in the log needs to be understood alone. */
export interface Effect extends EffectIntent {
  /** `main: cpu 500m → 120m` */
  readonly change: string;
  readonly because: string;
  /** Who asked for it; left out: Evenkeel decided it. */
  readonly actor?: string;
  /** Whoever asks keeps a record of its own. */
  readonly recorded?: true;
}

/** How the log calls what came of an effect. */
const WORDS = {
  resize: { done: 'Resized a pod', dryRun: 'Would resize a pod (dry run)', failed: 'A pod was not resized' },
  evict: { done: 'Evicted a pod', dryRun: 'Would evict a pod (dry run)', failed: 'A pod was not evicted' },
  restart: { done: 'Restarted a workload', dryRun: 'Would restart a workload (dry run)', failed: 'A workload was not restarted' },
  scale: { done: 'Scaled a workload', dryRun: 'Would scale a workload (dry run)', failed: 'A workload was not scaled' },
  hpa: {
    done: 'Moved the target of an autoscaler',
    dryRun: 'Would move the target of an autoscaler (dry run)',
    failed: 'The target of an autoscaler was not moved',
  },
} as const;

const TOO_MANY_REQUESTS = 429;

/** How the timeline calls it; null: nothing came of it. */
const OUTCOMES = {
  done: 'applied',
  'dry-run': 'dry-run',
  refused: 'rejected',
  conflict: null,
  gone: null,
  held: null,
} as const;

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

  resizePod(intent: Effect, resize: PodResize, signal: AbortSignal): Promise<WriteOutcome> {
    return this.#through('resize', intent, `${resize.namespace}/${resize.pod}`, (writer) => writer.resizePod(resize, signal), signal);
  }

  evictPod(
    intent: Effect,
    pod: { readonly namespace: string; readonly pod: string; readonly uid: string },
    signal: AbortSignal,
  ): Promise<WriteOutcome> {
    return this.#through('evict', intent, `${pod.namespace}/${pod.pod}`, (writer) => writer.evictPod(pod, signal), signal);
  }

  scaleWorkload(intent: Effect, scale: WorkloadScale, signal: AbortSignal): Promise<WriteOutcome> {
    return this.#through('scale', intent, intent.owner, (writer) => writer.scaleWorkload(scale, signal), signal);
  }

  restartWorkload(intent: Effect, restart: WorkloadRestart, signal: AbortSignal): Promise<WriteOutcome> {
    return this.#through('restart', intent, intent.owner, (writer) => writer.restartWorkload(restart, signal), signal);
  }

  patchHpa(
    intent: Effect,
    hpa: { readonly namespace: string; readonly name: string; readonly resourceVersion: string },
    patch: readonly JsonPatchOperation[],
    signal: AbortSignal,
  ): Promise<WriteOutcome> {
    return this.#through('hpa', intent, `${hpa.namespace}/${hpa.name}`, (writer) => writer.patchHpa(hpa, patch, signal), signal);
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

  async #through(
    action: keyof typeof WORDS,
    intent: Effect,
    object: string,
    write: (writer: EffectWriter) => Promise<WriteOutcome>,
    signal: AbortSignal,
  ): Promise<WriteOutcome> {
    const { clock, effects, dryRunEffects } = this.#parts;
    // Losing the lease aborts the signal before another replica can become leader.
    signal.throwIfAborted();
    const now = clock.now();
    const verdict = judgeEffect(this.#inputs(), intent);
    if (verdict.kind === 'held') return this.#held(action, verdict.reason, verdict.message);
    const wait = intent.lowers ? this.#takeReduction(now) : null;
    if (wait !== null) return this.#held(action, 'budget', wait);
    if (!intent.lowers) this.#safetyWrites += 1;
    try {
      const written = await write(verdict.kind === 'dry-run' ? dryRunEffects : effects);
      const isOld = written.kind === 'dry-run' && !this.#dryRuns.isNew(action, object, intent.change, now);
      const outcome: WriteOutcome = isOld ? { kind: 'dry-run', again: true } : written;
      this.#audit(action, intent, object, outcome);
      if (action !== 'resize' && intent.recorded !== true) this.#remember(action, intent, object, outcome, now);
      return outcome;
    } catch (error) {
      this.#outcomes.add(1, { action, outcome: 'error' });
      throw error;
    } finally {
      if (!intent.lowers) this.#safetyWrites -= 1;
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

  #remember(act: Exclude<keyof typeof WORDS, 'resize'>, effect: Effect, object: string, outcome: WriteOutcome, askedAt: Instant): void {
    const told = OUTCOMES[outcome.kind];
    // A disruption budget is asked again and again: only what comes of it in the end is worth remembering.
    if (told === null || isRepeated(outcome) || (outcome.kind === 'refused' && outcome.status === TOO_MANY_REQUESTS)) return;
    const { clock, timeline } = this.#parts;
    const { owner, change, because, actor = 'evenkeel' } = effect;
    const { namespace, kind, name } = parseWorkloadKey(owner);
    const message = 'message' in outcome ? outcome.message : change;
    timeline?.appendEntry({
      id: `${act}/${object}/${owner}/${askedAt}`,
      at: askedAt,
      kind: act === 'hpa' ? 'hpa' : 'resize',
      object: { kind, name },
      namespace,
      pod: act === 'evict' ? object.slice(object.indexOf('/') + 1) : null,
      container: null,
      from: null,
      to: change,
      reason: because,
      actor,
      outcome: told,
      message,
      durationMs: clock.now() - askedAt,
      costDeltaPerHourUsd: null,
    });
  }

  #held(action: string, reason: string, message: string): WriteOutcome {
    this.#outcomes.add(1, { action, outcome: 'held' });
    return { kind: 'held', reason, message };
  }

  #audit(action: keyof typeof WORDS, { owner, change, because }: Effect, object: string, outcome: WriteOutcome): void {
    this.#outcomes.add(1, { action, outcome: outcome.kind });
    const { logger } = this.#parts;
    const words = WORDS[action];
    const fields = { object, owner, change, because };
    switch (outcome.kind) {
      case 'done': {
        logger.info(words.done, fields);
        return;
      }
      case 'dry-run': {
        if (isRepeated(outcome)) logger.debug(words.dryRun, fields);
        else logger.info(words.dryRun, fields);
        return;
      }
      case 'refused': {
        logger.warn(words.failed, { ...fields, outcome: outcome.kind, status: outcome.status, why: outcome.message });
        return;
      }
      case 'conflict':
      case 'gone':
      case 'held': {
        logger.info(words.failed, { ...fields, outcome: outcome.kind, why: outcome.message });
        return;
      }
    }
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

function isRepeated(outcome: WriteOutcome): boolean {
  return outcome.kind === 'dry-run' && outcome.again === true;
}
