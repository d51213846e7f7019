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

/** Counters are read once an hour; one reading may fail. */
const THROTTLING_VALID_MS: DurationMs = 2 * HOUR_MS + 5 * MINUTE_MS;
/** Pressure is read every 5 minutes; one reading may fail. */
const PRESSURE_VALID_MS: DurationMs = 11 * MINUTE_MS;
/** The kernel's averaging window (avg300). */
const PRESSURE_SPAN_MS: DurationMs = 5 * MINUTE_MS;
/** Maximum delay of the next reading, since each node has its own schedule. */
const MAX_DELAY_MS: DurationMs = 6 * MINUTE_MS;

interface ContainerState {
  readonly container: string;
  throttledRatio: number | null;
  throttledSpanMs: DurationMs | null;
  /** Later samples carry no throttling. */
  throttledUntil: Instant;
  /** Not yet carried by a sample. */
  oomEvents: number | null;
  cpuPressureRatio: number | null;
  memoryPressureRatio: number | null;
  pressureUntil: Instant;
  /** Time of the newest readings, and the values of the readings before them. */
  throttledAt: Instant;
  pressureAt: Instant;
  before: ReadingsBefore;
}

interface ReadingsBefore {
  readonly throttledRatio: number | null;
  readonly throttledSpanMs: DurationMs | null;
  readonly throttledAt: Instant;
  readonly cpuPressureRatio: number | null;
  readonly memoryPressureRatio: number | null;
  readonly pressureAt: Instant;
}

interface NodeState {
  throttlingAt: Instant | null;
  pressureAt: Instant | null;
  /** null: not reported yet. */
  pressureMeasured: boolean | null;
  problem: string | null;
}

/** The newest evidence of all containers and nodes. */
export class EvidenceLog implements Omit<EvidenceSink, 'onDropped'> {
  /** By namespace and pod. Nested maps avoid a string concatenation for each sample. */
  readonly #pods = new Map<string, Map<string, ContainerState[]>>();
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
    const state = this.#find(usage);
    const throttling = state !== undefined && at <= state.throttledUntil ? state : NO_STATE;
    const pressure = state !== undefined && at <= state.pressureUntil ? state : NO_STATE;
    const sample = {
      at,
      clockOffsetMs: usage.clockOffsetMs ?? null,
      cpuMillicores: usage.cpuMillicores,
      memoryBytes: usage.memoryBytes,
      cpuPeakMillicores: usage.cpuPeakMillicores ?? null,
      memoryPeakBytes: usage.memoryPeakBytes ?? null,
      memoryRssBytes: usage.memoryRssBytes ?? null,
      throttledRatio: usage.throttledRatio ?? throttling.throttledRatio,
      throttledSpanMs: usage.throttledSpanMs ?? throttling.throttledSpanMs,
      oomEvents: usage.oomEvents ?? throttling.oomEvents,
      cpuPressureRatio: usage.cpuPressureRatio ?? pressure.cpuPressureRatio,
      memoryPressureRatio: usage.memoryPressureRatio ?? pressure.memoryPressureRatio,
    };
    if (state !== undefined) state.oomEvents = null;
    return sample;
  }

  /** The last two readings of a pod's containers. */
  readingsOf(namespace: string, pod: string): readonly ContainerReadings[] {
    return (this.#pods.get(namespace)?.get(pod) ?? []).map((state) => {
      const { container, before } = state;
      return {
        container,
        throttledRatio: readings([before, state], (reading) => reading.throttledRatio, throttledOver),
        cpuPressureRatio: readings([before, state], (reading) => reading.cpuPressureRatio, pressureInterval),
        memoryPressureRatio: readings([before, state], (reading) => reading.memoryPressureRatio, pressureInterval),
      };
    });
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
    if (byPod?.delete(pod) === true && byPod.size === 0) this.#pods.delete(namespace);
  }

  #takeEvidence(evidence: ContainerEvidence): void {
    const state = this.#stateOf(evidence);
    const { throttledRatio, throttledSpanMs, throttledAt } = state;
    state.before = { ...state.before, throttledRatio, throttledSpanMs, throttledAt };
    state.throttledAt = evidence.at;
    state.throttledRatio = evidence.throttledRatio;
    state.throttledSpanMs = evidence.spanMs;
    state.throttledUntil = evidence.at + evidence.spanMs + MAX_DELAY_MS;
    state.oomEvents = evidence.oomEvents;
  }

  #takePressure(pressure: ContainerPressure): void {
    const state = this.#stateOf(pressure);
    const { cpuPressureRatio, memoryPressureRatio, pressureAt } = state;
    state.before = { ...state.before, cpuPressureRatio, memoryPressureRatio, pressureAt };
    state.pressureAt = pressure.at;
    state.cpuPressureRatio = pressure.cpuRatio;
    state.memoryPressureRatio = pressure.memoryRatio;
    state.pressureUntil = pressure.at + PRESSURE_VALID_MS;
  }

  #find({ namespace, pod, container }: ContainerRef): ContainerState | undefined {
    const states = this.#pods.get(namespace)?.get(pod);
    return states?.find((state) => state.container === container);
  }

  #stateOf({ namespace, pod, container }: ContainerRef): ContainerState {
    let byPod = this.#pods.get(namespace);
    if (byPod === undefined) this.#pods.set(namespace, (byPod = new Map<string, ContainerState[]>()));
    let states = byPod.get(pod);
    if (states === undefined) byPod.set(pod, (states = []));
    let state = states.find((known) => known.container === container);
    if (state === undefined) states.push((state = newState(container)));
    return state;
  }

  /** Removes expired evidence, which may have arrived after the deletion of its pod. */
  #dropExpired(now: Instant): void {
    if (Math.abs(now - this.#sweptAt) < HOUR_MS) return;
    this.#sweptAt = now;
    for (const [namespace, byPod] of this.#pods) {
      for (const [pod, states] of byPod) {
        if (states.every(({ throttledUntil, pressureUntil }) => Math.max(throttledUntil, pressureUntil) < now)) byPod.delete(pod);
      }
      if (byPod.size === 0) this.#pods.delete(namespace);
    }
  }

  #nodeOf(node: string): NodeState {
    let state = this.#nodes.get(node);
    if (state === undefined)
      this.#nodes.set(node, (state = { throttlingAt: null, pressureAt: null, pressureMeasured: null, problem: null }));
    return state;
  }
}

const NO_READINGS: ReadingsBefore = {
  throttledRatio: null,
  throttledSpanMs: null,
  throttledAt: 0,
  cpuPressureRatio: null,
  memoryPressureRatio: null,
  pressureAt: 0,
};

function throttledOver({ throttledAt, throttledSpanMs }: ReadingsBefore): Pick<RatioReading, 'from' | 'at'> {
  return { from: throttledAt - (throttledSpanMs ?? 0), at: throttledAt };
}

function pressureInterval({ pressureAt }: ReadingsBefore): Pick<RatioReading, 'from' | 'at'> {
  return { from: pressureAt - PRESSURE_SPAN_MS, at: pressureAt };
}

function readings(
  states: readonly ReadingsBefore[],
  ratioOf: (state: ReadingsBefore) => number | null,
  over: (state: ReadingsBefore) => Pick<RatioReading, 'from' | 'at'>,
): readonly RatioReading[] {
  return states.flatMap((state) => {
    const ratio = ratioOf(state);
    return ratio === null ? [] : [{ ...over(state), ratio }];
  });
}

function newState(container: string): ContainerState {
  return {
    container,
    throttledRatio: null,
    throttledSpanMs: null,
    throttledUntil: 0,
    oomEvents: null,
    cpuPressureRatio: null,
    memoryPressureRatio: null,
    pressureUntil: 0,
    throttledAt: 0,
    pressureAt: 0,
    before: NO_READINGS,
  };
}

const NO_STATE: Readonly<ContainerState> = newState('');

function isWithin(at: Instant | null | undefined, validForMs: DurationMs, now: Instant): boolean {
  return at !== null && at !== undefined && now - at <= validForMs;
}
