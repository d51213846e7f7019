// Samples of all replicas of one container, gathered into 5-minute slots: one CPU and one memory value each.

import { greaterAmount } from '#kube/records/resources';
import type { UsageSample } from '#kube/records/usage';
import type { Instant } from '#kube/units';
import { BusiestReplica } from './busiest-replica.ts';
import { evidenceOf, EVIDENCE_MEASURES, NO_EVIDENCE, type Evidence } from './evidence-hours.ts';
import { slotOf } from './slots.ts';

/** Beyond what any machine has: a broken counter. */
const ABSURD_MILLICORES = 1e8;
const ABSURD_BYTES = 1e16;
/** CPU of a slot is the highest of its replicas; where the highest changes from hour to hour, this percentile over them. */
const REPLICA_PERCENTILE = 0.9;
/** With fewer samples in a slot a burst of a minute is not seen: the fifth may be lost, or come with the next slot. */
const MIN_MINUTES = 4;

/** One closed slot. NaN where no sample was known. */
export interface SlotPoint {
  readonly slot: number;
  readonly cpu: number;
  /** Highest CPU sample of any replica, and whether it was read minute by minute. */
  readonly cpuHigh: number;
  readonly isMeasured: boolean;
  readonly memory: number;
  readonly throttled: number;
  /** Live, of each measure the highest of any replica. */
  readonly evidence: Evidence;
  /** Working set of each replica, for growth. */
  readonly replicas: ReadonlyMap<string, { readonly memory: number; readonly startedAt: Instant | null }>;
}

interface PodSlot {
  lastAt: Instant;
  cpuSum: number;
  cpuCount: number;
  cpuHigh: number;
  /** CPU samples that stand for a minute or less. */
  minutes: number;
  memory: number;
  startedAt: Instant | null;
  throttledSum: number;
  throttledCount: number;
}

export class SlotCollector {
  #slot = -1;
  #pods = new Map<string, PodSlot>();
  #evidence = NO_EVIDENCE;
  readonly busiest = new BusiestReplica();

  /** The slot under way; -1 before the first sample. */
  get slot(): number {
    return this.#slot;
  }

  /** Highest working set of the slot under way; NaN where none is known. */
  get openMemory(): number {
    return this.#highest('memory');
  }

  /** Highest CPU sample of the slot under way; NaN where none is known. */
  get openCpuHigh(): number {
    return this.#highest('cpuHigh');
  }

  #highest(of: 'memory' | 'cpuHigh'): number {
    let most = NaN;
    for (const pod of this.#pods.values()) if (!(pod[of] <= most) && !Number.isNaN(pod[of])) most = pod[of];
    return most;
  }

  /**
   * Takes one sample; false where it is thrown away: absurd, a repeat, or older than the slot under way.
   * @param isLive it was measured now, and does not come of a recorded past
   * @param isNow it counts in the slot under way, although its time may be older
   */
  take(pod: string, sample: UsageSample, isLive: boolean, isNow = false): boolean {
    if (!Number.isFinite(sample.at) || sample.at <= 0) return false;
    const cpu = plausible(sample.cpuMillicores, ABSURD_MILLICORES);
    const memory = greaterAmount(plausible(sample.memoryBytes, ABSURD_BYTES), plausible(sample.memoryPeakBytes ?? null, ABSURD_BYTES));
    const slot = isNow ? Math.max(this.#slot, slotOf(sample.at)) : slotOf(sample.at);
    if ((cpu === null && memory === null) || slot < this.#slot) return false;
    this.#slot = slot;
    const known = this.#pods.get(pod);
    if (known !== undefined && sample.at <= known.lastAt) return false;
    const state = known ?? emptySlot();
    if (known === undefined) this.#pods.set(pod, state);
    state.lastAt = sample.at;
    state.memory = greatest(state.memory, memory);
    state.startedAt = sample.startedAt ?? null;
    addCpu(state, cpu, sample, isLive);
    if (isLive) this.#takeEvidence(evidenceOf(sample));
    return true;
  }

  /** Closes the slot under way and opens another; null where it held nothing. */
  close(next: number): SlotPoint | null {
    const pods = [...this.#pods.values()];
    const cpu = new Map([...this.#pods].flatMap(([pod, { cpuSum, cpuCount }]) => (cpuCount > 0 ? [[pod, cpuSum / cpuCount]] : [])));
    if (cpu.size > 0) this.busiest.add(this.#slot, cpu);
    const point: SlotPoint = {
      slot: this.#slot,
      cpu: percentileOver([...cpu.values()], this.busiest.changes ? REPLICA_PERCENTILE : 1),
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
    return Number.isNaN(point.cpu) && Number.isNaN(point.memory) ? null : point;
  }

  /** Most samples show no more than those before them: nothing is made for them. */
  #takeEvidence(evidence: Evidence): void {
    for (const measure of EVIDENCE_MEASURES) {
      const ratio = plausible(evidence[measure], 1);
      if (ratio !== null && ratio > (this.#evidence[measure] ?? -1)) this.#evidence = { ...this.#evidence, [measure]: ratio };
    }
  }
}

function emptySlot(): PodSlot {
  const cpu = { cpuSum: 0, cpuCount: 0, cpuHigh: NaN, minutes: 0 };
  return { lastAt: 0, ...cpu, memory: NaN, startedAt: null, throttledSum: 0, throttledCount: 0 };
}

function addCpu(state: PodSlot, cpu: number | null, { cpuPeakMillicores, throttledRatio }: UsageSample, isLive: boolean): void {
  const throttled = plausible(throttledRatio ?? null, 1);
  if (cpu !== null) {
    // Usage under throttling is cut off at the limit; what was wanted is above it by about the share of periods cut.
    const wanted = 1 + (throttled ?? 0);
    state.cpuSum += cpu * wanted;
    state.cpuCount += 1;
    const peak = plausible(cpuPeakMillicores ?? null, ABSURD_MILLICORES);
    state.cpuHigh = greatest(state.cpuHigh, Math.max(cpu, peak ?? 0) * wanted);
    state.minutes += peak !== null ? MIN_MINUTES : isLive ? 1 : 0;
  }
  if (throttled !== null) {
    state.throttledSum += throttled;
    state.throttledCount += 1;
  }
}

function plausible(value: number | null, absurd: number): number | null {
  return value === null || !Number.isFinite(value) || value < 0 || value > absurd ? null : value;
}

/** The greater of a known value (NaN: none) and a new one (null: none). */
function greatest(known: number, reported: number | null): number {
  return reported === null || reported <= known ? known : reported;
}

function percentileOver(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? NaN;
}

function meanOver(values: readonly number[]): number {
  return values.length === 0 ? NaN : values.reduce((sum, value) => sum + value, 0) / values.length;
}
