// What is known of throttling, OOM events and pressure, by container and by node, and the samples that carry it. Evidence is
// read more rarely than usage: a sample carries the newest, as long as the next is not due, so that a mean over samples is a
// mean over time. OOM events are a count and are carried once.

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
import type { EvidenceReading, EvidenceSink } from '../ports/usage-source.ts';

/** Counters are read once an hour: after two readings that failed nothing is known. */
const THROTTLING_HOLDS_MS: DurationMs = 2 * HOUR_MS + 5 * MINUTE_MS;
/** Pressure is read every 5 minutes; one reading may fail. */
const PRESSURE_HOLDS_MS: DurationMs = 11 * MINUTE_MS;
/** The kernel's average. */
const PRESSURE_SPAN_MS: DurationMs = 5 * MINUTE_MS;
/** Evidence is read at a node's own moment, up to 5 minutes after the time that it covers would be over again. */
const LATE_MS: DurationMs = 6 * MINUTE_MS;

interface ContainerState {
  readonly container: string;
  throttledRatio: number | null;
  throttledSpanMs: DurationMs | null;
  /** Samples after this carry no throttling. */
  throttledUntil: Instant;
  /** Not carried by a sample yet. */
  oomEvents: number | null;
  cpuPressureRatio: number | null;
  memoryPressureRatio: number | null;
  pressureUntil: Instant;
  /** End of the newest readings, and what the readings before them showed. */
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
  /** null: the node has not reported yet. */
  pressureMeasured: boolean | null;
  problem: string | null;
}

export class EvidenceLog implements Omit<EvidenceSink, 'onDropped'> {
  /** By namespace and pod: asked once for every sample, so without a key to be put together. */
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

  /** null: the node does not measure pressure. */
  takePressure(node: string, pressure: readonly ContainerPressure[] | null, now: Instant): void {
    const state = this.#nodeOf(node);
    this.#dropExpired(now);
    state.pressureAt = now;
    state.pressureMeasured = pressure !== null;
    for (const each of pressure ?? []) this.#takePressure(each);
  }

  /** A sample with what is known of its container at its time besides usage; what the source itself reports comes first. Of one
   * shape for all sources, so that the hot path stays monomorphic. */
  sampleOf(usage: ContainerUsage): UsageSample {
    const { at } = usage;
    const state = this.#find(usage);
    const throttling = state !== undefined && at <= state.throttledUntil ? state : NOTHING;
    const pressure = state !== undefined && at <= state.pressureUntil ? state : NOTHING;
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

  /** The latest readings of a pod's containers, as they were measured. */
  readingsOf(namespace: string, pod: string): readonly ContainerReadings[] {
    return (this.#pods.get(namespace)?.get(pod) ?? []).map((state) => {
      const { container, before } = state;
      return {
        container,
        throttledRatio: readings([before, state], (each) => each.throttledRatio, throttledOver),
        cpuPressureRatio: readings([before, state], (each) => each.cpuPressureRatio, pressedOver),
        memoryPressureRatio: readings([before, state], (each) => each.memoryPressureRatio, pressedOver),
      };
    });
  }

  /** Whether throttling of a node's containers is known: its counters were read in the last two hours. */
  isThrottlingKnown(node: string, now: Instant): boolean {
    return isWithin(this.#nodes.get(node)?.throttlingAt, THROTTLING_HOLDS_MS, now);
  }

  /** Whether a node measures pressure. */
  isPressureKnown(node: string, now: Instant): boolean {
    const state = this.#nodes.get(node);
    return state?.pressureMeasured === true && isWithin(state.pressureAt, PRESSURE_HOLDS_MS, now);
  }

  /** Nodes whose counters were read, and those where all that was tried failed. Nodes without a CPU limit are in neither. */
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

  /** Nodes that measure pressure, and those that do not. */
  pressureByNode(now: Instant): { readonly known: number; readonly unmeasured: readonly string[] } {
    let known = 0;
    const unmeasured: string[] = [];
    for (const [node, { pressureMeasured }] of this.#nodes) {
      if (this.isPressureKnown(node, now)) known += 1;
      else if (pressureMeasured === false) unmeasured.push(node);
    }
    return { known, unmeasured };
  }

  /** Why the counters of a node could not be read the last time; null: they could, or were not yet. */
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
    state.throttledUntil = evidence.at + evidence.spanMs + LATE_MS;
    state.oomEvents = evidence.oomEvents;
  }

  #takePressure(pressure: ContainerPressure): void {
    const state = this.#stateOf(pressure);
    const { cpuPressureRatio, memoryPressureRatio, pressureAt } = state;
    state.before = { ...state.before, cpuPressureRatio, memoryPressureRatio, pressureAt };
    state.pressureAt = pressure.at;
    state.cpuPressureRatio = pressure.cpuRatio;
    state.memoryPressureRatio = pressure.memoryRatio;
    state.pressureUntil = pressure.at + PRESSURE_HOLDS_MS;
  }

  #find({ namespace, pod, container }: ContainerRef): ContainerState | undefined {
    const states = this.#pods.get(namespace)?.get(pod);
    return states?.find((each) => each.container === container);
  }

  #stateOf({ namespace, pod, container }: ContainerRef): ContainerState {
    let byPod = this.#pods.get(namespace);
    if (byPod === undefined) this.#pods.set(namespace, (byPod = new Map<string, ContainerState[]>()));
    let states = byPod.get(pod);
    if (states === undefined) byPod.set(pod, (states = []));
    let state = states.find((each) => each.container === container);
    if (state === undefined) states.push((state = newState(container)));
    return state;
  }

  /** Evidence may come of a pod that is gone already: nothing else would remove it. */
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

function pressedOver({ pressureAt }: ReadingsBefore): Pick<RatioReading, 'from' | 'at'> {
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

const NOTHING: Readonly<ContainerState> = newState('');

function isWithin(at: Instant | null | undefined, holdsMs: DurationMs, now: Instant): boolean {
  return at !== null && at !== undefined && now - at <= holdsMs;
}
