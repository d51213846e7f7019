// Usage model of one container of one workload over all replicas: samples in, advice out. It outlives roll-outs (keyed by
// workload, not pod) and restarts (checkpoint).

import type { ContainerRuntime } from '#kube/records/container-runtime';
import { MAX_LATE_MS, type UsageSample } from '#kube/records/usage';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#kube/units';
import type { Bytes, DurationMs, Instant, Ratio } from '#kube/units';
import type { ContainerAdvice, MemoryEvidence, RecommenderRules, ResourceAdvice } from './advice.ts';
import { ByteReader, ByteWriter } from './history/byte-codec.ts';
import { calibrationOf, computeConfidence, describeConfidence, isFresh } from './confidence.ts';
import { DayCounts } from './history/day-counts.ts';
import { CpuHighs } from './history/cpu-highs.ts';
import { CpuModel } from './cpu/cpu-model.ts';
import { adviseCpu } from './cpu/cpu-advice.ts';
import { adviseMemory, adviseFromKills } from './memory/memory-advice.ts';
import { EvidenceHours, NO_EVIDENCE } from './history/evidence-hours.ts';
import { ModelStore } from './history/model-store.ts';
import { MemoryGrowth } from './memory/memory-growth.ts';
import { MemoryModel } from './memory/memory-model.ts';
import { MemoryPeaks } from './memory/memory-peaks.ts';
import { maxKnown } from './history/max-known.ts';
import { classifyKill, OomLog, minRequestAfterKills } from './memory/oom-log.ts';
import { MIN_HISTORY_MS } from './recommender-rules.ts';
import { RolloutLog, type HourlyPeaks } from './history/rollout-log.ts';
import { SlotCollector } from './history/slot-collector.ts';
import { ThrottledShare } from './history/throttled-share.ts';
import { adviseUnmeasured } from './unmeasured-advice.ts';
import { hourOf, SLOT_MS, slotOf, SLOTS_PER_HOUR } from './history/slots.ts';
import type { SlotPoint } from './history/slot-collector.ts';

/** Version of the checkpoint's encoding; checkpoints of other versions are refused. */
export const CHECKPOINT_VERSION = 9;
/** Samples of a slot may arrive this long after its end. */
const GRACE_MS: DurationMs = 30 * SECOND_MS;
/** A replica with a dropped sample and none since is listed for an hour. */
const DROPPED_POD_SLOTS = HOUR_MS / SLOT_MS;

/** Learns usage, kills and roll-outs of one container, and computes its advice. */
export class ContainerModel {
  readonly #store = new ModelStore();
  readonly #cpu = new CpuModel(this.#store);
  readonly #memory = new MemoryModel(this.#store);
  readonly #collector = new SlotCollector();
  readonly #peaks = new MemoryPeaks();
  readonly #ooms = new OomLog();
  readonly #days = new DayCounts(this.#store.addSection());
  readonly #growth = new MemoryGrowth();
  readonly #evidence = new EvidenceHours(this.#store.addSection());
  readonly #cpuHighs = new CpuHighs(this.#store.addSection());
  readonly #rollouts = new RolloutLog();
  readonly #hourlyPeaks: HourlyPeaks = { cpu: (hour) => this.#cpu.peakAt(hour), memory: (hour) => this.#memory.ring.peakAt(hour) };
  #firstSampleAt: Instant = NaN;
  #lastSampleAt: Instant = NaN;
  /** End of the last closed slot in which each was measured. */
  #cpuMeasuredAt: Instant = NaN;
  #memoryMeasuredAt: Instant = NaN;
  #samples = 0;
  #dropped = 0;
  /** Replicas whose newest sample was too old to count, with the slot that was open then. */
  readonly #droppedPods = new Map<string, number>();
  /** Hash of the workload's version; 0: unknown. */
  #version = 0;
  readonly #throttled = new ThrottledShare();

  /**
   * Counts one sample of one replica; false: it was dropped, and counted as such.
   * @param isLive false: from recorded history, whose throttling and pressure are no evidence
   */
  observe(pod: string, sample: UsageSample, isLive = true): boolean {
    // A sample in a later slot closes the slots before it.
    if (this.#isPlausibleTime(sample.at) && slotOf(sample.at) > this.#collector.slot) this.#close(slotOf(sample.at));
    // A sample from a node whose clock is behind counts as current: dropped, the workload would be sized without its replica.
    const countsNow = isLive && sample.at >= this.#lastSampleAt - MAX_LATE_MS;
    if (!this.#collector.take(pod, sample, isLive, countsNow)) {
      this.#dropped += 1;
      if (isLive && this.#isPlausibleTime(sample.at) && sample.at <= this.#lastSampleAt) this.#droppedPods.set(pod, this.#collector.slot);
      return false;
    }
    this.#droppedPods.delete(pod);
    this.#samples += 1;
    if (Number.isNaN(this.#firstSampleAt)) this.#firstSampleAt = sample.at;
    if (!(sample.at <= this.#lastSampleAt)) this.#lastSampleAt = sample.at;
    return true;
  }

  /**
   * Records an OOM kill at its own time, also when it is reported late.
   * @param limitBytes in force at the kill; null: there was none
   * @param workingSetBytes the last one before the kill; null: not measured. Absent: the limit was reached
   */
  observeOom(at: Instant, limitBytes: Bytes | null, workingSetBytes: Bytes | null = limitBytes): void {
    if (!Number.isFinite(at)) return;
    const cause = classifyKill(limitBytes, workingSetBytes);
    this.#ooms.add({ at, limitBytes: limitBytes ?? 0, cause, workingSetBytes: workingSetBytes ?? 0 });
  }

  /** Records the roll-out of a new version or configuration: confidence is halved until its usage proves similar, at most for a day. */
  observeRollout(at: Instant): void {
    if (at <= this.#rollouts.at) return;
    this.#rollouts.begin(at, this.#hourlyPeaks);
    this.#growth.reset();
  }

  /** Records the workload's version: another one than before is a roll-out. @param version a hash, not 0 */
  observeVersion(version: number, at: Instant): void {
    if (this.#version !== 0 && this.#version !== version) this.observeRollout(at);
    this.#version = version;
  }

  /** Copies kills, evidence, version and the last roll-out of another model of the same container. */
  copyEvents(from: ContainerModel): void {
    this.#evidence.copyFrom(from.#evidence);
    this.#cpuHighs.copyFrom(from.#cpuHighs);
    this.#version = from.#version;
    this.addEvents(from);
  }

  /** Adds kills, the highest CPU of each day and the later roll-out of another model of the same container. */
  addEvents(from: ContainerModel): void {
    if (this.#version === 0) this.#version = from.#version;
    this.#cpuHighs.merge(from.#cpuHighs);
    for (const kill of from.#ooms.kills) this.#ooms.add(kill);
    if (Number.isNaN(from.#rollouts.at) || from.#rollouts.at <= this.#rollouts.at) return;
    this.#rollouts.copyState(from.#rollouts.state);
    this.#growth.reset();
  }

  /**
   * Takes over what a model of later usage has learnt: its events, its highest usage of each hour since the last sample of this one, and its
   * open slot. Throttling and pressure of these hours stay unmeasured, so that what needs them waits. The other model must not be used again.
   */
  takeOver(from: ContainerModel): void {
    this.addEvents(from);
    for (const [pod, slot] of from.#droppedPods) this.#droppedPods.set(pod, slot);
    if (Number.isNaN(this.#firstSampleAt)) this.#firstSampleAt = from.#firstSampleAt;
    if (!(from.#lastSampleAt > (Number.isNaN(this.#lastSampleAt) ? 0 : this.#lastSampleAt))) return;
    // Samples that both have counted count once, in proportion to the time.
    const newer = (from.#lastSampleAt - maxKnown(this.#lastSampleAt, from.#firstSampleAt)) / (from.#lastSampleAt - from.#firstSampleAt);
    this.#samples += Math.round(from.#samples * (Number.isNaN(newer) ? 1 : newer));
    this.#dropped += from.#dropped;
    const open = from.#collector.slot;
    const first = Math.max(this.#collector.slot, slotOf(from.#firstSampleAt));
    for (let hour = hourOf(first); hour <= hourOf(open); hour++) this.#takeOverHour(from, hour);
    if (open > this.#collector.slot) this.#close(open);
    this.#collector.takeOver(from.#collector);
    this.#lastSampleAt = from.#lastSampleAt;
    this.#cpuMeasuredAt = maxKnown(this.#cpuMeasuredAt, from.#cpuMeasuredAt);
    this.#memoryMeasuredAt = maxKnown(this.#memoryMeasuredAt, from.#memoryMeasuredAt);
  }

  /** As one point at the end of the hour, or before the open slot. */
  #takeOverHour(from: ContainerModel, hour: number): void {
    const isOpen = hour === hourOf(from.#collector.slot);
    const slot = isOpen ? from.#collector.slot - 1 : (hour + 1) * SLOTS_PER_HOUR - 1;
    const cpu = isOpen ? from.#cpu.peak(0) : from.#cpu.peakAt(hour);
    const memory = isOpen ? from.#memory.peak(0) : from.#memory.ring.peakAt(hour);
    if (slot < this.#collector.slot || (Number.isNaN(cpu) && Number.isNaN(memory))) return;
    this.#close(slot);
    const unmeasured = { isMeasured: false, throttled: NaN, evidence: NO_EVIDENCE, replicas: new Map<string, never>() };
    this.#updateModels({ slot, cpu, cpuHigh: cpu, memory, ...unmeasured });
  }

  /** Time of the first sample; NaN: none. */
  get firstSampleAt(): Instant {
    return this.#firstSampleAt;
  }

  /** Time of the last sample; NaN: none. */
  get lastSampleAt(): Instant {
    return this.#lastSampleAt;
  }

  /** Count of samples. */
  get samples(): number {
    return this.#samples;
  }

  /** Advice at `now` from earlier observations; null: there are none. Repeatable: it changes no state of the model that a later call sees. */
  advise(container: string, now: Instant, rules: RecommenderRules): ContainerAdvice | null {
    if (Number.isNaN(this.#firstSampleAt))
      return this.#ooms.isEmpty ? null : adviseUnmeasured(container, this.#ooms, this.#dropped, now, rules);
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
    const cpuConfidence = {
      ...common,
      ...calibrationOf(cpuCoverage, rules.cpu, 'cpu'),
      ageMs: now - this.#lastCpuAt,
    };
    const memoryConfidence = {
      ...common,
      ...calibrationOf(this.#memory.coverage(rules.memory.goal), rules.memory, 'memory'),
      ageMs: now - this.#lastMemoryAt,
    };
    const oom = this.#ooms.advise(now, rules.oom, (since) => this.#memory.peak(Math.ceil((now - since) / HOUR_MS)));
    const minMemoryByKills = minRequestAfterKills(oom);
    const cpu = adviseCpu(this.#cpu, {
      rules,
      historyMs,
      confidence: computeConfidence(cpuConfidence),
      isMeasured: isFresh(cpuConfidence.ageMs),
    });
    const needs = { rules: rules.memory, minMemoryByKills, runtime: rules.runtime, openPeak: this.#collector.openMemory };
    const memory = this.#memory.isKnown
      ? adviseMemory(this.#memory, {
          ...needs,
          historyMs,
          historyWindowMs: rules.historyWindowMs,
          confidence: computeConfidence(memoryConfidence),
          isMeasured: isFresh(memoryConfidence.ageMs),
        })
      : adviseFromKills(needs);
    const weaker = memory !== null && (cpu === null || memory.confidence < cpu.confidence) ? memoryConfidence : cpuConfidence;
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
      throttledRatio: this.#throttled.mean,
      cpuPressureRatio: this.#evidence.lastDayMean('cpuPressureRatio'),
      cpuHigh: this.#cpuHighs.summarize(this.#collector.openCpuHigh),
      ...(rules.evidenceSince === undefined ? {} : { evidence: this.#evidence.hoursSince(rules.evidenceSince) }),
      samples: this.#samples,
      droppedSamples: this.#dropped,
      isUsageLeftOut: this.#droppedPods.size > 0,
      firstSampleAt: this.#firstSampleAt,
      lastSampleAt: this.#lastSampleAt,
      coverage,
      enoughHistory: historyMs >= MIN_HISTORY_MS && (cpu !== null || !this.#cpu.isKnown),
      confidence: cpu === null && memory === null ? 0 : computeConfidence(weaker),
      confidenceText: describeConfidence(weaker),
    };
  }

  /** Encodes the model, with the highest values of the open 5-minute slot. */
  checkpoint(): Uint8Array {
    const out = new ByteWriter();
    out.u8(CHECKPOINT_VERSION);
    for (const value of [this.#firstSampleAt, this.#lastSampleAt, this.#lastCpuAt, this.#lastMemoryAt]) out.f64(value);
    for (const value of [this.#samples, this.#dropped]) out.f64(value);
    this.#throttled.save(out);
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
    this.#collector.saveOpen(out);
    out.u32(this.#version);
    return out.bytes();
  }

  /** Decodes a checkpoint; null: its version differs, or it is truncated. */
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
    this.#lastSampleAt = from.f64();
    this.#cpuMeasuredAt = from.f64();
    this.#memoryMeasuredAt = from.f64();
    this.#samples = from.f64();
    this.#dropped = from.f64();
    this.#throttled.load(from);
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
    this.#collector.loadOpen(from);
    this.#version = from.u32();
  }

  #isPlausibleTime(at: Instant): boolean {
    return Number.isFinite(at) && at > 0;
  }

  #advanceTo(now: Instant): void {
    const slot = Math.floor((now - GRACE_MS) / SLOT_MS);
    if (slot > this.#collector.slot) this.#close(slot);
  }

  #close(next: number): void {
    const point = this.#collector.close(next);
    for (const [pod, slot] of this.#droppedPods) if (next > slot + DROPPED_POD_SLOTS) this.#droppedPods.delete(pod);
    if (point !== null) this.#updateModels(point);
    if (this.#cpu.isKnown) this.#cpu.advanceTo(next);
    if (this.#memory.isKnown) this.#memory.advanceTo(next);
    this.#evidence.advanceTo(next);
    this.#rollouts.judgeAtEnd(hourOf(next), this.#hourlyPeaks);
  }

  #updateModels({ slot, cpu, cpuHigh, isMeasured, memory, throttled, evidence, replicas }: SlotPoint): void {
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
      if (replicas.size > 0) this.#growth.add(endsAt, slot, replicas);
    }
    if (!Number.isNaN(throttled)) this.#throttled.add(throttled);
  }

  /** When CPU was last measured. */
  get #lastCpuAt(): Instant {
    return Number.isNaN(this.#collector.openCpuHigh) ? this.#cpuMeasuredAt : this.#lastSampleAt;
  }

  /** When memory was last measured. */
  get #lastMemoryAt(): Instant {
    return Number.isNaN(this.#collector.openMemory) ? this.#memoryMeasuredAt : this.#lastSampleAt;
  }

  #usage(cpu: ResourceAdvice | null, memory: ResourceAdvice | null): ContainerAdvice['usage'] {
    const at = (percentile: Ratio) => ({
      cpuMillicores: roundOrZero(Math.min(this.#cpu.percentile(percentile), cpu?.peak ?? Infinity)),
      memoryBytes: roundOrZero(Math.min(this.#memory.percentile(percentile), memory?.peak ?? Infinity)),
    });
    const max = { cpuMillicores: cpu?.peak ?? 0, memoryBytes: memory?.peak ?? 0 };
    return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max };
  }

  #memoryEvidence(historyMs: DurationMs, minMemoryByKills: Bytes, runtime: ContainerRuntime | null): MemoryEvidence {
    const memory = this.#memory;
    const open = this.#collector.openMemory;
    const isOpenHighest = open > this.#peaks.ever;
    const peakEver = Math.round(isOpenHighest ? open : this.#peaks.ever);
    // Hourly peaks are rounded to codes 0.04 % wide: the peak of a window is capped at the exact peak of the history.
    const withOpen = (peak: number): Bytes | null => {
      const highest = maxKnown(peak, open);
      return Number.isNaN(highest) ? null : Math.min(peakEver, Math.round(highest));
    };
    const before = memory.ring.maxPeak(memory.hour - 1, 1);
    const peakHour = memory.peak(1);
    return {
      historyMs,
      peakEver,
      peakEverAt: isOpenHighest ? this.#lastSampleAt : this.#peaks.everAt,
      peak24h: withOpen(memory.peak(24)),
      peakHour: withOpen(peakHour),
      latest: Math.round(Number.isNaN(open) ? memory.latest : open),
      worstRecordRatio: this.#peaks.worstRecordRatio,
      typical: Math.round(memory.percentile(0.5)),
      slopeBytesPerHour: roundOrZero(peakHour - before),
      lastOomAt: this.#ooms.lastAt,
      minMemoryByKills,
      ...(runtime === null ? {} : { runtime }),
      leakSuspected: this.#growth.isLeaking,
    };
  }
}

function roundOrZero(value: number): number {
  return Number.isFinite(value) ? Math.round(value) : 0;
}
