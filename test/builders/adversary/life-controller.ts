// In-memory state of the controller process in a workload's life: usage, and the histograms learned from it. Only checkpoints survive a
// restart.

import type { PodRecord } from '#kube/records/pod';
import type { Resources } from '#kube/records/resources';
import { MINUTE_MS, type Bytes, type DurationMs, type Instant } from '#kube/units';
import type { ContainerReadings, RatioReading, UsageSample } from '#kube/records/usage';
import type { WorkloadKey } from '#kube/records/workload';
import type { ContainerAdvice, RecommenderRules } from '../../../src/core/recommender/advice.ts';
import { Recommender } from '../../../src/core/recommender/recommender.ts';
import { isStarting, stripStartUp } from '../../../src/core/recommender/start-up.ts';
import { DemandLog, type ContainerDemand } from '../../../src/core/resize/model/evidence/demand.ts';
import { ThrottledPods } from '../../../src/core/resize/model/evidence/throttled-pods.ts';
import { faultOfSample } from '../../../src/state/usage/sample-gate.ts';
import { mainOf } from './life-node.ts';

/** Sampling period. */
export const TICK_MS: DurationMs = 5 * MINUTE_MS;
/** Warm-up after a start or an outage, during which nothing is reduced. */
const OBSERVED_FOR_MS: DurationMs = 10 * MINUTE_MS;
const CONTAINER = 'main';

/** The recommender, demand windows and readings of one container, as the controller holds them. */
export class LifeController {
  readonly #workload: WorkloadKey;
  #recommender = new Recommender();
  #demand = new DemandLog();
  #throttled = new ThrottledPods();
  #readings = new Map<string, ContainerReadings>();
  /** Latest accepted sample by pod. */
  #latest = new Map<string, UsageSample>();
  #freshSince: Instant | null = null;
  /** The version that the workload runs. */
  #version = 1;

  constructor(workload: WorkloadKey) {
    this.#workload = workload;
    this.#recommender.observeVersion(workload, this.#version, 0);
  }

  /** Takes in a sample. @param capacity capacity of the pod's node @returns whether the sample was accepted */
  observe(pod: PodRecord, sample: UsageSample, now: Instant, capacity: Resources): boolean {
    if (faultOfSample(sample, now, this.#latest.get(pod.name) ?? null, capacity) !== null) return false;
    this.#latest.set(pod.name, sample);
    if (!isStarting(pod, CONTAINER, sample.at)) {
      this.#demand.observe(pod.name, sample);
      this.#throttled.observe(pod.name, sample);
      this.#addReadings(pod.uid, sample);
    }
    const counted = stripStartUp(pod, CONTAINER, sample);
    if (counted === null) return false;
    const { startedAt } = mainOf(pod);
    return this.#recommender.observe(this.#workload, CONTAINER, pod.name, { ...counted, startedAt });
  }

  observeKill(pod: string, at: Instant, limitBytes: Bytes | null): void {
    const last = this.#latest.get(pod);
    const isRecent = last !== undefined && at - last.at <= TICK_MS;
    this.#recommender.observeOom(this.#workload, CONTAINER, at, limitBytes, isRecent ? last.memoryBytes : null);
  }

  recordRollout(at: Instant): void {
    this.#version += 1;
    this.#recommender.observeVersion(this.#workload, this.#version, at);
  }

  /** Reads all checkpoints again. @param isStoreLost whether the history store, which is apart from the cluster, was lost */
  restart(pods: readonly PodRecord[], isStoreLost: boolean, now: Instant): void {
    const stored = this.#recommender.changedSince(0).flatMap((key) => this.#recommender.checkpointOf(key) ?? []);
    this.#recommender = new Recommender();
    this.#recommender.observeVersion(this.#workload, this.#version, now);
    if (!isStoreLost) for (const checkpoint of stored) this.#recommender.restore(checkpoint);
    this.#demand = new DemandLog();
    this.#throttled = new ThrottledPods();
    this.#readings = new Map();
    this.#latest = new Map();
    this.#freshSince = null;
    for (const pod of pods) {
      const { lastTermination, limits } = mainOf(pod);
      const at = lastTermination?.reason === 'OOMKilled' ? lastTermination.finishedAt : null;
      if (at !== null) this.observeKill(pod.name, at, limits.memoryBytes);
    }
  }

  advise(now: Instant, rules: RecommenderRules): readonly ContainerAdvice[] {
    return this.#recommender.advise(this.#workload, now, rules);
  }

  /** Demand windows of the last minutes. */
  demand(): readonly ContainerDemand[] {
    const { hot } = this.#demand;
    const throttled = { throttled: this.#throttled.list(), throttlingMeasuredAt: this.#throttled.measuredAt };
    return [{ container: CONTAINER, windows: this.#demand.windows(), hot: hot.list(), othersCpu: hot.othersCpu, ...throttled }];
  }

  readings(): ReadonlyMap<string, readonly ContainerReadings[]> {
    return new Map([...this.#readings].map(([uid, readings]) => [uid, [readings]]));
  }

  /** Whether no valid sample of the pod was read for two sampling periods, each much shorter than a tick. */
  isUnread(pod: string, now: Instant): boolean {
    const at = this.#latest.get(pod)?.at;
    return at === undefined || Math.abs(now - at) >= TICK_MS;
  }

  /** End of the warm-up, before which nothing is reduced; null when it is over. @param isStale whether no pod was read */
  observesUntil(now: Instant, isStale: boolean): Instant | null {
    this.#freshSince = isStale ? null : Math.min(this.#freshSince ?? now, now);
    const until = (this.#freshSince ?? now) + OBSERVED_FOR_MS;
    return until > now ? until : null;
  }

  #addReadings(uid: string, { at, throttledRatio = null, cpuPressureRatio = null, memoryPressureRatio = null }: UsageSample): void {
    const before = this.#readings.get(uid);
    const added = (known: readonly RatioReading[] | undefined, ratio: number | null): readonly RatioReading[] =>
      ratio === null ? (known ?? []) : [...(known ?? []), { from: at - TICK_MS, at, ratio }].slice(-2);
    this.#readings.set(uid, {
      container: CONTAINER,
      throttledRatio: added(before?.throttledRatio, throttledRatio),
      cpuPressureRatio: added(before?.cpuPressureRatio, cpuPressureRatio),
      memoryPressureRatio: added(before?.memoryPressureRatio, memoryPressureRatio),
    });
  }
}
