// Throttling, OOM events and pressure by container and node, and their join with usage samples. Evidence is read less often than
// usage: each sample carries the newest reading until the next is due, so that a mean over samples is a mean over time. OOM events
// are a count, which one sample carries.

import { HOUR_MS, MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type {
  ContainerEvidence,
  ContainerPressure,
  ContainerReadings,
  ContainerRef,
  ContainerUsage,
  RatioReading,
  UsageSample,
} from '#kube/records/usage';
import type { EvidenceReading, EvidenceSink } from '../../ports/usage/usage-source.ts';
import { NumberRows } from '#kube/number-rows';
import { CompactMap } from '#kube/compact-map';

/** Counters are read once an hour; one reading may fail. */
const THROTTLING_VALID_MS: DurationMs = 2 * HOUR_MS + 5 * MINUTE_MS;
/** Pressure is read every 5 minutes; one reading may fail. */
const PRESSURE_VALID_MS: DurationMs = 11 * MINUTE_MS;
/** The kernel's averaging window (avg300). */
const PRESSURE_SPAN_MS: DurationMs = 5 * MINUTE_MS;
/** Maximum delay of the next reading, since each node has its own schedule. */
const MAX_DELAY_MS: DurationMs = 6 * MINUTE_MS;

/** Columns of a container's row. Those from `BEFORE` on are of the reading before the newest, in the same order. */
const THROTTLED_RATIO = 0;
const THROTTLED_SPAN = 1;
const THROTTLED_AT = 2;
const CPU_PRESSURE = 3;
const MEMORY_PRESSURE = 4;
const PRESSURE_AT = 5;
const BEFORE = 6;
/** Events that no sample has carried yet. */
const OOM_EVENTS = 12;
const WIDTH = 13;
const THROTTLING = [THROTTLED_RATIO, THROTTLED_SPAN, THROTTLED_AT] as const;
const PRESSURE = [CPU_PRESSURE, MEMORY_PRESSURE, PRESSURE_AT] as const;

interface NodeState {
  throttlingAt: Instant | null;
  pressureAt: Instant | null;
  /** null: not reported yet. */
  pressureMeasured: boolean | null;
  problem: string | null;
}

/** The newest evidence of all containers and nodes. */
export class EvidenceLog implements Omit<EvidenceSink, 'onDropped'> {
  /** Rows by namespace, pod and container. Nested maps avoid a string concatenation for each sample. */
  readonly #pods = new Map<string, Map<string, CompactMap<number>>>();
  readonly #rows = new NumberRows(WIDTH);
  readonly #nodes = new Map<string, NodeState>();
  #sweptAt: Instant = 0;

  onEvidence({ node, at, containers }: EvidenceReading): void {
    const state = this.#nodeOf(node);
    state.problem = null;
    state.throttlingAt = at;
    this.#dropExpired(at);
    for (const evidence of containers) this.#takeEvidence(evidence);
  }

  onEvidenceFailure({ node, message }: { readonly node: string; readonly message: string }): void {
    this.#nodeOf(node).problem = message;
  }

  /** Records pressure of a node's containers; null: the node does not measure it. */
  takePressure(node: string, pressure: readonly ContainerPressure[] | null, now: Instant): void {
    const state = this.#nodeOf(node);
    this.#dropExpired(now);
    state.pressureAt = now;
    state.pressureMeasured = pressure !== null;
    for (const reading of pressure ?? []) this.#takePressure(reading);
  }

  /**
   * Joins usage with the evidence of its container; values of the usage source take precedence. Samples of all sources have the
   * same shape, so that the hot path stays monomorphic.
   */
  sampleOf(usage: ContainerUsage): UsageSample {
    const { at } = usage;
    const row = this.#pods.get(usage.namespace)?.get(usage.pod)?.get(usage.container) ?? null;
    const throttling = (column: number): number | null =>
      row !== null && at <= this.#throttledUntil(row) ? this.#rows.get(row, column) : null;
    const pressure = (column: number): number | null =>
      row !== null && at <= this.#pressureUntil(row) ? this.#rows.get(row, column) : null;
    const sample = {
      at,
      clockOffsetMs: usage.clockOffsetMs ?? null,
      cpuMillicores: usage.cpuMillicores,
      memoryBytes: usage.memoryBytes,
      cpuPeakMillicores: usage.cpuPeakMillicores ?? null,
      memoryPeakBytes: usage.memoryPeakBytes ?? null,
      memoryRssBytes: usage.memoryRssBytes ?? null,
      throttledRatio: usage.throttledRatio ?? throttling(THROTTLED_RATIO),
      throttledSpanMs: usage.throttledSpanMs ?? throttling(THROTTLED_SPAN),
      oomEvents: usage.oomEvents ?? throttling(OOM_EVENTS),
      cpuPressureRatio: usage.cpuPressureRatio ?? pressure(CPU_PRESSURE),
      memoryPressureRatio: usage.memoryPressureRatio ?? pressure(MEMORY_PRESSURE),
    };
    if (row !== null) this.#rows.set(row, OOM_EVENTS, null);
    return sample;
  }

  /** The last two readings of a pod's containers. */
  readingsOf(namespace: string, pod: string): readonly ContainerReadings[] {
    const places = this.#pods.get(namespace)?.get(pod)?.entries() ?? [];
    return Array.from(places, ([container, row]) => ({
      container,
      throttledRatio: this.#readings(row, THROTTLED_RATIO, (from) => this.#throttledOver(row, from)),
      cpuPressureRatio: this.#readings(row, CPU_PRESSURE, (from) => this.#pressureOver(row, from)),
      memoryPressureRatio: this.#readings(row, MEMORY_PRESSURE, (from) => this.#pressureOver(row, from)),
    }));
  }

  /** Whether the counters of a node were read in the last two hours. */
  isThrottlingKnown(node: string, now: Instant): boolean {
    return isWithin(this.#nodes.get(node)?.throttlingAt, THROTTLING_VALID_MS, now);
  }

  /** Whether a node measures pressure. */
  isPressureKnown(node: string, now: Instant): boolean {
    const state = this.#nodes.get(node);
    return state?.pressureMeasured === true && isWithin(state.pressureAt, PRESSURE_VALID_MS, now);
  }

  /** Count of nodes with readings, and nodes whose readings failed. Nodes without CPU limits are in neither. */
  throttlingByNode(now: Instant): {
    readonly known: number;
    readonly unknown: readonly { readonly node: string; readonly problem: string }[];
  } {
    let known = 0;
    const unknown: { readonly node: string; readonly problem: string }[] = [];
    for (const [node, { problem }] of this.#nodes) {
      if (this.isThrottlingKnown(node, now)) known += 1;
      else if (problem !== null) unknown.push({ node, problem });
    }
    return { known, unknown };
  }

  /** Count of nodes that measure pressure, and names of those that do not. */
  pressureByNode(now: Instant): { readonly known: number; readonly unmeasured: readonly string[] } {
    let known = 0;
    const unmeasured: string[] = [];
    for (const [node, { pressureMeasured }] of this.#nodes) {
      if (this.isPressureKnown(node, now)) known += 1;
      else if (pressureMeasured === false) unmeasured.push(node);
    }
    return { known, unmeasured };
  }

  /** Why the last reading of a node's counters failed; null: it did not, or there was none. */
  problemOf(node: string): string | null {
    return this.#nodes.get(node)?.problem ?? null;
  }

  forgetNode(node: string): void {
    this.#nodes.delete(node);
  }

  forgetPod(namespace: string, pod: string): void {
    const byPod = this.#pods.get(namespace);
    const places = byPod?.get(pod);
    if (byPod === undefined || places === undefined) return;
    for (const row of places.values()) this.#rows.delete(row);
    byPod.delete(pod);
    if (byPod.size === 0) this.#pods.delete(namespace);
  }

  #takeEvidence(evidence: ContainerEvidence): void {
    const row = this.#rowOf(evidence);
    this.#keepBefore(row, THROTTLING);
    this.#rows.set(row, THROTTLED_AT, evidence.at);
    this.#rows.set(row, THROTTLED_RATIO, evidence.throttledRatio);
    this.#rows.set(row, THROTTLED_SPAN, evidence.spanMs);
    this.#rows.set(row, OOM_EVENTS, evidence.oomEvents);
  }

  #takePressure(pressure: ContainerPressure): void {
    const row = this.#rowOf(pressure);
    this.#keepBefore(row, PRESSURE);
    this.#rows.set(row, PRESSURE_AT, pressure.at);
    this.#rows.set(row, CPU_PRESSURE, pressure.cpuRatio);
    this.#rows.set(row, MEMORY_PRESSURE, pressure.memoryRatio);
  }

  #keepBefore(row: number, columns: readonly number[]): void {
    for (const column of columns) this.#rows.set(row, BEFORE + column, this.#rows.get(row, column));
  }

  /** Later samples carry no throttling. */
  #throttledUntil(row: number): Instant {
    const at = this.#rows.get(row, THROTTLED_AT);
    return at === null ? 0 : at + (this.#rows.get(row, THROTTLED_SPAN) ?? 0) + MAX_DELAY_MS;
  }

  #pressureUntil(row: number): Instant {
    const at = this.#rows.get(row, PRESSURE_AT);
    return at === null ? 0 : at + PRESSURE_VALID_MS;
  }

  /** The values of a column before the newest reading and in it. */
  #readings(row: number, column: number, over: (from: number) => Pick<RatioReading, 'from' | 'at'>): readonly RatioReading[] {
    return [BEFORE, 0].flatMap((from) => {
      const ratio = this.#rows.get(row, from + column);
      return ratio === null ? [] : [{ ...over(from), ratio }];
    });
  }

  #throttledOver(row: number, from: number): Pick<RatioReading, 'from' | 'at'> {
    const at = this.#rows.get(row, from + THROTTLED_AT) ?? 0;
    return { from: at - (this.#rows.get(row, from + THROTTLED_SPAN) ?? 0), at };
  }

  #pressureOver(row: number, from: number): Pick<RatioReading, 'from' | 'at'> {
    const at = this.#rows.get(row, from + PRESSURE_AT) ?? 0;
    return { from: at - PRESSURE_SPAN_MS, at };
  }

  #rowOf({ namespace, pod, container }: ContainerRef): number {
    let byPod = this.#pods.get(namespace);
    if (byPod === undefined) this.#pods.set(namespace, (byPod = new Map<string, CompactMap<number>>()));
    let places = byPod.get(pod);
    if (places === undefined) byPod.set(pod, (places = new CompactMap()));
    let row = places.get(container);
    if (row === undefined) places.set(container, (row = this.#rows.add()));
    return row;
  }

  /** Removes expired evidence, which may have arrived after the deletion of its pod. */
  #dropExpired(now: Instant): void {
    if (Math.abs(now - this.#sweptAt) < HOUR_MS) return;
    this.#sweptAt = now;
    for (const [namespace, byPod] of this.#pods) {
      for (const [pod, places] of byPod) {
        const isExpired = [...places.values()].every((row) => Math.max(this.#throttledUntil(row), this.#pressureUntil(row)) < now);
        if (isExpired) this.forgetPod(namespace, pod);
      }
    }
  }

  #nodeOf(node: string): NodeState {
    let state = this.#nodes.get(node);
    if (state === undefined)
      this.#nodes.set(node, (state = { throttlingAt: null, pressureAt: null, pressureMeasured: null, problem: null }));
    return state;
  }
}

function isWithin(at: Instant | null | undefined, validForMs: DurationMs, now: Instant): boolean {
  return at !== null && at !== undefined && now - at <= validForMs;
}
