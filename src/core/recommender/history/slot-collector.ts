// Aggregates samples of all replicas of one container into 5-minute slots with one CPU and one memory value.

import { greaterAmount } from '#kube/records/resources';
import type { UsageSample } from '#kube/records/usage';
import type { Instant } from '#kube/units';
import { BusiestReplica } from './busiest-replica.ts';
import type { ByteReader, ByteWriter } from './byte-codec.ts';
import { readEvidence, EVIDENCE_MEASURES, NO_EVIDENCE, type Evidence } from './evidence-hours.ts';
import { maxKnown } from './max-known.ts';
import { slotOf } from './slots.ts';

/** More than any machine has: the counter is broken. */
const MAX_PLAUSIBLE_MILLICORES = 1e8;
const MAX_PLAUSIBLE_BYTES = 1e16;
/** CPU of a slot is the maximum over the replicas, or this percentile where the busiest replica rotates. */
const REPLICA_PERCENTILE = 0.9;
/** Samples of a slot that show bursts of a minute; the fifth may be lost or fall into the next slot. */
const MIN_MINUTES = 4;

/** A closed slot. NaN: not measured. */
export interface SlotPoint {
  readonly slot: number;
  readonly cpu: number;
  /** Highest CPU sample of any replica, and whether there was a sample each minute. */
  readonly cpuHigh: number;
  readonly isMeasured: boolean;
  readonly memory: number;
  readonly throttled: number;
  /** Highest value of any replica for each measure, from live samples. */
  readonly evidence: Evidence;
  /** Working set of each replica, for growth. */
  readonly replicas: ReadonlyMap<string, { readonly memory: number; readonly startedAt: Instant | null }>;
}

interface PodSlot {
  lastAt: Instant;
  cpuSum: number;
  cpuCount: number;
  cpuHigh: number;
  /** CPU samples of a minute or less. */
  minutes: number;
  memory: number;
  startedAt: Instant | null;
  throttledSum: number;
  throttledCount: number;
}

/** Highest values of a slot; NaN: not measured. */
interface SlotHighs {
  readonly cpu: number;
  readonly cpuHigh: number;
  readonly memory: number;
}

const UNMEASURED: SlotHighs = { cpu: NaN, cpuHigh: NaN, memory: NaN };

/** The open slot of one container. */
export class SlotCollector {
  #slot = -1;
  #pods = new Map<string, PodSlot>();
  #evidence = NO_EVIDENCE;
  /** The part of the open slot before a restart. */
  #restored = UNMEASURED;
  readonly busiest = new BusiestReplica();

  /** The open slot; -1 before the first sample. */
  get slot(): number {
    return this.#slot;
  }

  /** Highest working set of the open slot; NaN: none. */
  get openMemory(): number {
    return maxKnown(this.#highest('memory'), this.#restored.memory);
  }

  /** Highest CPU sample of the open slot; NaN: none. */
  get openCpuHigh(): number {
    return maxKnown(this.#highest('cpuHigh'), this.#restored.cpuHigh);
  }

  #highest(field: 'memory' | 'cpuHigh'): number {
    let highest = NaN;
    for (const pod of this.#pods.values()) if (!(pod[field] <= highest) && !Number.isNaN(pod[field])) highest = pod[field];
    return highest;
  }

  /**
   * Adds one sample; false: dropped as implausible, repeated, or older than the open slot.
   * @param isLive false: from recorded history
   * @param countsNow counts the sample in the open slot even if its time is earlier
   */
  take(pod: string, sample: UsageSample, isLive: boolean, countsNow = false): boolean {
    if (!Number.isFinite(sample.at) || sample.at <= 0) return false;
    const cpu = plausibleOrNull(sample.cpuMillicores, MAX_PLAUSIBLE_MILLICORES);
    const memory = greaterAmount(
      plausibleOrNull(sample.memoryBytes, MAX_PLAUSIBLE_BYTES),
      plausibleOrNull(sample.memoryPeakBytes ?? null, MAX_PLAUSIBLE_BYTES),
    );
    const slot = countsNow ? Math.max(this.#slot, slotOf(sample.at)) : slotOf(sample.at);
    if ((cpu === null && memory === null) || slot < this.#slot) return false;
    this.#slot = slot;
    const known = this.#pods.get(pod);
    if (known !== undefined && sample.at <= known.lastAt) return false;
    const state = known ?? createPodSlot();
    if (known === undefined) this.#pods.set(pod, state);
    state.lastAt = sample.at;
    state.memory = maxReported(state.memory, memory);
    state.startedAt = sample.startedAt ?? null;
    addCpu(state, cpu, sample, isLive);
    if (isLive) this.#addEvidence(readEvidence(sample));
    return true;
  }

  /** Closes the open slot and opens `next`; null: it had no sample. */
  close(next: number): SlotPoint | null {
    const pods = [...this.#pods.values()];
    const cpu = this.#cpuByPod();
    if (cpu.size > 0) this.busiest.add(this.#slot, cpu);
    const point: SlotPoint = {
      slot: this.#slot,
      cpu: this.#cpuOver(cpu),
      cpuHigh: this.openCpuHigh,
      isMeasured: pods.some(({ minutes }) => minutes >= MIN_MINUTES),
      memory: this.openMemory,
      throttled: meanOver(pods.filter((pod) => pod.throttledCount > 0).map((pod) => pod.throttledSum / pod.throttledCount)),
      evidence: this.#evidence,
      replicas: this.#pods,
    };
    this.#slot = next;
    this.#pods = new Map();
    this.#evidence = NO_EVIDENCE;
    this.#restored = UNMEASURED;
    return Number.isNaN(point.cpu) && Number.isNaN(point.memory) ? null : point;
  }

  /** Encodes the highest values of the open slot. */
  saveOpen(out: ByteWriter): void {
    const { cpu, cpuHigh, memory } = this.#openHighs();
    for (const value of [cpu, cpuHigh, memory]) out.f64(value);
  }

  /** Decodes them into a slot that is open again. */
  loadOpen(from: ByteReader): void {
    this.#restored = { cpu: from.f64(), cpuHigh: from.f64(), memory: from.f64() };
  }

  /** Takes over the open slot of another collector of the same container, and keeps its own highest values of the same slot. */
  takeOver(other: SlotCollector): void {
    const own = this.#slot === other.#slot ? this.#openHighs() : UNMEASURED;
    this.#slot = other.#slot;
    this.#pods = other.#pods;
    this.#evidence = other.#evidence;
    this.#restored = {
      cpu: maxKnown(own.cpu, other.#restored.cpu),
      cpuHigh: maxKnown(own.cpuHigh, other.#restored.cpuHigh),
      memory: maxKnown(own.memory, other.#restored.memory),
    };
  }

  #openHighs(): SlotHighs {
    return { cpu: this.#cpuOver(this.#cpuByPod()), cpuHigh: this.openCpuHigh, memory: this.openMemory };
  }

  #cpuByPod(): ReadonlyMap<string, number> {
    return new Map([...this.#pods].flatMap(([pod, { cpuSum, cpuCount }]) => (cpuCount > 0 ? [[pod, cpuSum / cpuCount]] : [])));
  }

  #cpuOver(pods: ReadonlyMap<string, number>): number {
    return maxKnown(percentileOver([...pods.values()], this.busiest.isRotating ? REPLICA_PERCENTILE : 1), this.#restored.cpu);
  }

  /** Copies the evidence only if a value is higher, to avoid an allocation for most samples. */
  #addEvidence(evidence: Evidence): void {
    for (const measure of EVIDENCE_MEASURES) {
      const ratio = plausibleOrNull(evidence[measure], 1);
      if (ratio !== null && ratio > (this.#evidence[measure] ?? -1)) this.#evidence = { ...this.#evidence, [measure]: ratio };
    }
  }
}

function createPodSlot(): PodSlot {
  const cpu = { cpuSum: 0, cpuCount: 0, cpuHigh: NaN, minutes: 0 };
  return { lastAt: 0, ...cpu, memory: NaN, startedAt: null, throttledSum: 0, throttledCount: 0 };
}

function addCpu(state: PodSlot, cpu: number | null, { cpuPeakMillicores, throttledRatio }: UsageSample, isLive: boolean): void {
  const throttled = plausibleOrNull(throttledRatio ?? null, 1);
  if (cpu !== null) {
    // Throttling caps usage at the limit; demand exceeds it by about the share of throttled periods.
    const demandRatio = 1 + (throttled ?? 0);
    state.cpuSum += cpu * demandRatio;
    state.cpuCount += 1;
    const peak = plausibleOrNull(cpuPeakMillicores ?? null, MAX_PLAUSIBLE_MILLICORES);
    state.cpuHigh = maxReported(state.cpuHigh, Math.max(cpu, peak ?? 0) * demandRatio);
    state.minutes += peak !== null ? MIN_MINUTES : isLive ? 1 : 0;
  }
  if (throttled !== null) {
    state.throttledSum += throttled;
    state.throttledCount += 1;
  }
}

function plausibleOrNull(value: number | null, max: number): number | null {
  return value === null || !Number.isFinite(value) || value < 0 || value > max ? null : value;
}

/** Maximum of a value (NaN: none) and a reported one (null: none). */
function maxReported(known: number, reported: number | null): number {
  return reported === null || reported <= known ? known : reported;
}

function percentileOver(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? NaN;
}

function meanOver(values: readonly number[]): number {
  return values.length === 0 ? NaN : values.reduce((sum, value) => sum + value, 0) / values.length;
}
