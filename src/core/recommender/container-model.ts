// What is known of one container of one workload, all of its replicas together: samples in, advice out. Survives
// roll-outs (it is keyed by the workload, not the pod) and restarts (checkpoint).

import type { ContainerRuntime } from '#kube/records/container-runtime';
import { MAX_LATE_MS, type UsageSample } from '#kube/records/usage';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#kube/units';
import type { Bytes, DurationMs, Instant, Ratio } from '#kube/units';
import type { ContainerAdvice, MemoryEvidence, RecommenderRules, ResourceAdvice, ResourceRules } from './advice.ts';
import { ByteReader, ByteWriter } from './byte-codec.ts';
import { confidenceOf, confidenceText, isFresh } from './confidence.ts';
import type { ConfidenceInputs } from './confidence.ts';
import type { CoverageShare } from './coverage-share.ts';
import { DayCounts } from './day-counts.ts';
import { CpuHighs } from './cpu-highs.ts';
import { CpuModel } from './cpu-model.ts';
import { adviseCpu } from './cpu-advice.ts';
import { adviseMemory, adviseFromKills } from './memory-advice.ts';
import { EvidenceHours } from './evidence-hours.ts';
import { MemoryGrowth } from './memory-growth.ts';
import { MemoryModel } from './memory-model.ts';
import { MemoryPeaks } from './memory-peaks.ts';
import { greater } from './predictors.ts';
import { causeOfKill, OomLog, requestAfterKills } from './oom-log.ts';
import { COVER_GOALS, MIN_HISTORY_MS } from './recommender-rules.ts';
import { RolloutLog, type HourlyPeaks } from './rollout-log.ts';
import { SlotCollector } from './slot-collector.ts';
import { hourOf, SLOT_MS, slotOf } from './slots.ts';
import type { SlotPoint } from './slot-collector.ts';

/** Version of the checkpoint's encoding; all others are refused. */
export const CHECKPOINT_VERSION = 7;
/** Samples of a slot may come this long after its end. */
const GRACE_MS: DurationMs = 30 * SECOND_MS;
/** A replica whose usage was left out, and that is not seen again, counts for an hour. */
const LEFT_OUT_SLOTS = HOUR_MS / SLOT_MS;
/** Half-life of the throttled share: a day. */
const THROTTLE_DECAY_PER_SLOT = Math.pow(0.5, 1 / 288);

export class ContainerModel {
  readonly #cpu = new CpuModel();
  readonly #memory = new MemoryModel();
  readonly #collector = new SlotCollector();
  readonly #peaks = new MemoryPeaks();
  readonly #ooms = new OomLog();
  readonly #days = new DayCounts();
  readonly #growth = new MemoryGrowth();
  #evidence = new EvidenceHours();
  #cpuHighs = new CpuHighs();
  readonly #rollouts = new RolloutLog();
  readonly #hourlyPeaks: HourlyPeaks = { cpu: (hour) => this.#cpu.peakAt(hour), memory: (hour) => this.#memory.ring.peakAt(hour) };
  #firstSampleAt: Instant = NaN;
  #lastSampleAt: Instant = NaN;
  /** End of the last closed slot in which each was measured. A checkpoint does not hold them: until then its last sample counts. */
  #cpuMeasuredAt: Instant = NaN;
  #memoryMeasuredAt: Instant = NaN;
  #samples = 0;
  #dropped = 0;
  /** Replicas whose newest sample was too old to be taken, and the slot that was under way then. */
  readonly #leftOut = new Map<string, number>();
  #throttledSum = 0;
  #throttledWeight = 0;

  /**
   * Takes one sample of one replica; false where it was thrown away (counted).
   * @param isLive false: of a recorded past, whose throttling and pressure are no evidence
   */
  observe(pod: string, sample: UsageSample, isLive = true): boolean {
    // By the end of its slot a sample's slot is known to be the newest: what came before it is over.
    if (this.#plausibleTime(sample.at) && slotOf(sample.at) > this.#collector.slot) this.#close(slotOf(sample.at));
    // A node whose clock is behind must not hide its replica: the others would be sized without it.
    const isNow = isLive && sample.at >= this.#lastSampleAt - MAX_LATE_MS;
    if (!this.#collector.take(pod, sample, isLive, isNow)) {
      this.#dropped += 1;
      if (isLive && this.#plausibleTime(sample.at) && sample.at <= this.#lastSampleAt) this.#leftOut.set(pod, this.#collector.slot);
      return false;
    }
    this.#leftOut.delete(pod);
    this.#samples += 1;
    if (Number.isNaN(this.#firstSampleAt)) this.#firstSampleAt = sample.at;
    if (!(sample.at <= this.#lastSampleAt)) this.#lastSampleAt = sample.at;
    return true;
  }

  /**
   * Takes an OOM kill. One that is reported late counts at its own time.
   * @param limitBytes the limit in force at the death; null: there was none
   * @param workingSetBytes the last one before the death; null: not measured. Left out: the limit was hit
   */
  observeOom(at: Instant, limitBytes: Bytes | null, workingSetBytes: Bytes | null = limitBytes): void {
    if (!Number.isFinite(at)) return;
    const cause = causeOfKill(limitBytes, workingSetBytes);
    this.#ooms.add({ at, limitBytes: limitBytes ?? 0, cause, workingSetBytes: workingSetBytes ?? 0 });
  }

  /** A new version or configuration began to run: trust is halved until it turns out to use as much, at most for a day. */
  noteChange(at: Instant): void {
    if (at <= this.#rollouts.at) return;
    this.#rollouts.begin(at, this.#hourlyPeaks);
    this.#growth.reset();
  }

  /** Takes over what another model of the same container knows beside usage: kills, evidence, and the last change. */
  takeNotes(from: ContainerModel): void {
    this.#evidence = from.#evidence;
    this.#cpuHighs = from.#cpuHighs;
    for (const kill of from.#ooms.kills) this.#ooms.add(kill);
    if (Number.isNaN(from.#rollouts.at) || from.#rollouts.at <= this.#rollouts.at) return;
    this.#rollouts.takeOver(from.#rollouts.state);
    this.#growth.reset();
  }

  /** Samples are known from here on; NaN before the first. */
  get firstSampleAt(): Instant {
    return this.#firstSampleAt;
  }

  /** Samples are known up to here; NaN before the first. */
  get lastSampleAt(): Instant {
    return this.#lastSampleAt;
  }

  /** Samples taken in since the first. */
  get samples(): number {
    return this.#samples;
  }

  /** Advice at a moment, from what was observed before it; null before anything was. Repeatable: asking changes nothing. */
  advise(container: string, now: Instant, rules: RecommenderRules): ContainerAdvice | null {
    if (Number.isNaN(this.#firstSampleAt)) return this.#ooms.isEmpty ? null : this.#adviseUnmeasured(container, now, rules);
    this.#advanceTo(now);
    const historyMs = Math.max(0, this.#lastSampleAt - this.#firstSampleAt);
    const windowDays = rules.historyWindowMs / DAY_MS;
    const coverage = this.#days.coverage(slotOf(this.#firstSampleAt), slotOf(this.#lastSampleAt) + 1, Math.floor(windowDays));
    const common = {
      coverage,
      historyMs: Math.min(historyMs, rules.historyWindowMs),
      rollout: this.#rollouts.stateAt(now),
    };
    const cpuCoverage = this.#cpu.valueFor(rules.cpu.goal, rules.pace)?.coverage.value ?? { share: 0, hours: 0 };
    const cpuTrust = {
      ...common,
      ...calibrationOf(cpuCoverage, rules.cpu, 'cpu'),
      ageMs: now - this.#measuredAt(this.#collector.openCpuHigh, this.#cpuMeasuredAt),
    };
    const memoryTrust = {
      ...common,
      ...calibrationOf(this.#memory.coverage(rules.memory.goal), rules.memory, 'memory'),
      ageMs: now - this.#measuredAt(this.#collector.openMemory, this.#memoryMeasuredAt),
    };
    const oom = this.#ooms.advise(now, rules.oom, (since) => this.#memory.peak(Math.ceil((now - since) / HOUR_MS)));
    const oomNeed = requestAfterKills(oom);
    const cpu = adviseCpu(this.#cpu, { rules, historyMs, confidence: confidenceOf(cpuTrust), isMeasured: isFresh(cpuTrust.ageMs) });
    const asked = { rules: rules.memory, oomNeed, runtime: rules.runtime, openPeak: this.#collector.openMemory };
    const memory = this.#memory.isKnown
      ? adviseMemory(this.#memory, {
          ...asked,
          historyMs,
          historyWindowMs: rules.historyWindowMs,
          confidence: confidenceOf(memoryTrust),
          isMeasured: isFresh(memoryTrust.ageMs),
        })
      : adviseFromKills(asked);
    const weaker = memory !== null && (cpu === null || memory.confidence < cpu.confidence) ? memoryTrust : cpuTrust;
    return {
      container,
      cpu,
      memory,
      usage: this.#usage(cpu, memory),
      memoryEvidence: this.#memory.isKnown ? this.#memoryEvidence(historyMs, oom.killedPodNeed, rules.runtime) : null,
      oomKills: this.#ooms.countSince(now - rules.historyWindowMs),
      lastOomAt: this.#ooms.lastAt,
      ...(this.#ooms.isEmpty ? {} : { oom }),
      leakSuspected: this.#growth.isLeaking,
      throttledRatio: this.#throttledRatio,
      cpuPressureRatio: this.#evidence.lastDayMean('cpuPressureRatio'),
      cpuHigh: this.#cpuHighs.with(this.#collector.openCpuHigh),
      ...(rules.evidenceSince === undefined ? {} : { evidence: this.#evidence.since(rules.evidenceSince) }),
      samples: this.#samples,
      droppedSamples: this.#dropped,
      isUsageLeftOut: this.#leftOut.size > 0,
      firstSampleAt: this.#firstSampleAt,
      lastSampleAt: this.#lastSampleAt,
      coverage,
      enoughHistory: historyMs >= MIN_HISTORY_MS && (cpu !== null || !this.#cpu.isKnown),
      confidence: cpu === null && memory === null ? 0 : confidenceOf(weaker),
      confidenceText: confidenceText(weaker),
    };
  }

  get #throttledRatio(): number | null {
    return this.#throttledWeight > 0 ? this.#throttledSum / this.#throttledWeight : null;
  }

  /** Killed before anything was measured: the kills are all that is known. */
  #adviseUnmeasured(container: string, now: Instant, rules: RecommenderRules): ContainerAdvice {
    const nothing = { cpuMillicores: 0, memoryBytes: 0 };
    const oom = this.#ooms.advise(now, rules.oom, () => NaN);
    const oomNeed = requestAfterKills(oom);
    return {
      container,
      cpu: null,
      memory: adviseFromKills({ rules: rules.memory, oomNeed, openPeak: NaN }),
      usage: { p50: nothing, p95: nothing, p99: nothing, max: nothing },
      memoryEvidence: null,
      oomKills: this.#ooms.countSince(now - rules.historyWindowMs),
      lastOomAt: this.#ooms.lastAt,
      oom,
      leakSuspected: false,
      throttledRatio: null,
      cpuPressureRatio: null,
      cpuHigh: null,
      samples: 0,
      droppedSamples: this.#dropped,
      firstSampleAt: now,
      lastSampleAt: now,
      coverage: 0,
      enoughHistory: false,
      confidence: 0,
      confidenceText: 'nothing was measured yet',
    };
  }

  /** Everything that advice is made from, the 5 minutes under way excepted. */
  checkpoint(): Uint8Array {
    const out = new ByteWriter();
    out.u8(CHECKPOINT_VERSION);
    for (const value of [this.#firstSampleAt, this.#lastSampleAt, this.#samples, this.#dropped]) out.f64(value);
    out.f64(this.#throttledSum);
    out.f64(this.#throttledWeight);
    out.f64(this.#collector.slot);
    this.#days.save(out);
    this.#peaks.save(out);
    this.#ooms.save(out);
    this.#cpu.save(out);
    this.#memory.save(out);
    this.#growth.save(out);
    this.#rollouts.save(out);
    this.#evidence.save(out);
    this.#cpuHighs.save(out);
    this.#collector.busiest.save(out);
    return out.bytes();
  }

  /** A model as it was at its checkpoint; null where the bytes are of another version, or cut. */
  static restore(bytes: Uint8Array): ContainerModel | null {
    if (bytes[0] !== CHECKPOINT_VERSION) return null;
    const model = new ContainerModel();
    try {
      model.#load(new ByteReader(bytes.subarray(1)));
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
    return model;
  }

  #load(from: ByteReader): void {
    this.#firstSampleAt = from.f64();
    this.#lastSampleAt = this.#cpuMeasuredAt = this.#memoryMeasuredAt = from.f64();
    this.#samples = from.f64();
    this.#dropped = from.f64();
    this.#throttledSum = from.f64();
    this.#throttledWeight = from.f64();
    this.#collector.close(from.f64());
    this.#days.load(from);
    this.#peaks.load(from);
    this.#ooms.load(from);
    this.#cpu.load(from);
    this.#memory.load(from);
    this.#growth.load(from);
    this.#rollouts.load(from);
    this.#evidence.load(from);
    this.#cpuHighs.load(from);
    this.#collector.busiest.load(from);
  }

  #plausibleTime(at: Instant): boolean {
    return Number.isFinite(at) && at > 0;
  }

  #advanceTo(now: Instant): void {
    const slot = Math.floor((now - GRACE_MS) / SLOT_MS);
    if (slot > this.#collector.slot) this.#close(slot);
  }

  #close(next: number): void {
    const point = this.#collector.close(next);
    for (const [pod, slot] of this.#leftOut) if (next > slot + LEFT_OUT_SLOTS) this.#leftOut.delete(pod);
    if (point !== null) this.#learn(point);
    if (this.#cpu.isKnown) this.#cpu.advanceTo(next);
    if (this.#memory.isKnown) this.#memory.advanceTo(next);
    this.#evidence.advanceTo(next);
    this.#rollouts.settle(hourOf(next), this.#hourlyPeaks);
  }

  #learn({ slot, cpu, cpuHigh, isMeasured, memory, throttled, evidence, replicas }: SlotPoint): void {
    this.#evidence.addPoint(slot, evidence);
    this.#cpuHighs.add(slot, cpuHigh, isMeasured);
    this.#days.add(slot);
    const endsAt = (slot + 1) * SLOT_MS;
    if (!Number.isNaN(cpu)) {
      this.#cpu.addPoint(slot, cpu);
      this.#cpuMeasuredAt = endsAt;
    }
    if (!Number.isNaN(memory)) {
      this.#memoryMeasuredAt = endsAt;
      this.#memory.addPoint(slot, memory);
      this.#peaks.addPoint(slot, memory);
      this.#growth.add(endsAt, slot, replicas);
    }
    if (Number.isNaN(throttled)) return;
    this.#throttledSum = this.#throttledSum * THROTTLE_DECAY_PER_SLOT + throttled;
    this.#throttledWeight = this.#throttledWeight * THROTTLE_DECAY_PER_SLOT + 1;
  }

  /** When a resource was last measured. @param open its value in the slot under way, NaN: not measured in it */
  #measuredAt(open: number, closed: Instant): Instant {
    return Number.isNaN(open) ? closed : this.#lastSampleAt;
  }

  #usage(cpu: ResourceAdvice | null, memory: ResourceAdvice | null): ContainerAdvice['usage'] {
    const at = (percentile: Ratio) => ({
      cpuMillicores: wholeOrZero(Math.min(this.#cpu.percentile(percentile), cpu?.peak ?? Infinity)),
      memoryBytes: wholeOrZero(Math.min(this.#memory.percentile(percentile), memory?.peak ?? Infinity)),
    });
    const max = { cpuMillicores: cpu?.peak ?? 0, memoryBytes: memory?.peak ?? 0 };
    return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max };
  }

  #memoryEvidence(historyMs: DurationMs, oomNeed: Bytes, runtime: ContainerRuntime | null): MemoryEvidence {
    const memory = this.#memory;
    const open = this.#collector.openMemory;
    const everIsOpen = open > this.#peaks.ever;
    const peakEver = Math.round(everIsOpen ? open : this.#peaks.ever);
    // The hours are kept in codes, 0.04 % wide: a window's peak must not read higher than the highest ever.
    const withOpen = (peak: number): Bytes | null => {
      const most = greater(peak, open);
      return Number.isNaN(most) ? null : Math.min(peakEver, Math.round(most));
    };
    const before = memory.ring.maxPeak(memory.hour - 1, 1);
    const peakHour = memory.peak(1);
    return {
      historyMs,
      peakEver,
      peakEverAt: everIsOpen ? this.#lastSampleAt : this.#peaks.everAt,
      peak24h: withOpen(memory.peak(24)),
      peakHour: withOpen(peakHour),
      latest: Math.round(Number.isNaN(open) ? memory.latest : open),
      worstRecordRatio: this.#peaks.worstRecordRatio,
      typical: Math.round(memory.percentile(0.5)),
      slopeBytesPerHour: wholeOrZero(peakHour - before),
      lastOomAt: this.#ooms.lastAt,
      oomNeed,
      ...(runtime === null ? {} : { runtime }),
      leakSuspected: this.#growth.isLeaking,
    };
  }
}

// A fixed percentile is judged by what it covered of the past as a whole; a goal by the advice that was in force.
function calibrationOf(
  { share, hours }: CoverageShare['value'],
  { percentile, goal }: ResourceRules,
  resource: 'cpu' | 'memory',
): Pick<ConfidenceInputs, 'covered' | 'hours' | 'goalShare'> {
  if (percentile === null) return { covered: share, hours, goalShare: COVER_GOALS[resource][goal] };
  return { covered: percentile, hours, goalShare: percentile };
}

function wholeOrZero(value: number): number {
  return Number.isFinite(value) ? Math.round(value) : 0;
}
