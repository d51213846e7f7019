// Models of all containers, by workload. It has no clock: samples and requests carry the time.

import type { UsageSample, UsageSeries } from '#kube/records/usage';
import { HOUR_MS } from '#kube/units';
import type { Bytes, DurationMs, Instant } from '#kube/units';
import { workloadKey } from '#kube/records/workload';
import type { WorkloadKey } from '#kube/records/workload';
import type { ContainerAdvice, RecommenderRules } from './advice.ts';
import { CHECKPOINT_VERSION, ContainerModel } from './container-model.ts';
import { SLOT_MS } from './history/slots.ts';

/** Encoded state of one container: `UsageCheckpoint` of the store without `savedAt`. */
export interface RecommenderCheckpoint {
  /** `namespace/kind/name/container`. */
  readonly key: string;
  readonly version: number;
  readonly data: Uint8Array;
}

/** Counts of samples that a backfill learned and dropped. */
export interface BackfillResult {
  readonly taken: number;
  readonly dropped: number;
}

/** A history that begins this much earlier than the model, and does not end this much earlier, replaces the model. */
const MIN_LONGER_MS: DurationMs = HOUR_MS;

interface ContainerEntry {
  readonly model: ContainerModel;
  /** Sequence number of the last change of the model. */
  changedAt: number;
}

/** Learns usage of all containers and computes their advice. */
export class Recommender {
  readonly #workloads = new Map<WorkloadKey, Map<string, ContainerEntry>>();
  /** The version that each workload runs, and when it was first seen. */
  readonly #versions = new Map<WorkloadKey, { readonly version: number; readonly at: Instant }>();
  #sequence: number;

  /** @param sequence last sequence number of the recommender before it; 0: none */
  constructor(sequence = 0) {
    this.#sequence = sequence;
  }

  /** Records one sample of one container of one pod; false: it was dropped, and counted in the advice. */
  observe(workload: WorkloadKey, container: string, pod: string, sample: UsageSample): boolean {
    return this.#touch(workload, container).observe(pod, sample);
  }

  /**
   * Records an OOM kill.
   * @param limitBytes in force at the kill; null: there was none
   * @param workingSetBytes the last one before the kill; null: not measured. Absent: the limit was reached
   */
  observeOom(workload: WorkloadKey, container: string, at: Instant, limitBytes: Bytes | null, workingSetBytes = limitBytes): void {
    this.#touch(workload, container).observeOom(at, limitBytes, workingSetBytes);
  }

  /**
   * Records the version that a workload runs. Another one than before, also before a restart, is a roll-out: confidence is halved until usage
   * proves similar, at most for a day.
   * @param version a hash, not 0
   */
  observeVersion(workload: WorkloadKey, version: number, at: Instant): void {
    this.#versions.set(workload, { version, at });
    for (const container of this.#workloads.get(workload)?.keys() ?? []) this.#touch(workload, container).observeVersion(version, at);
  }

  /**
   * Learns recorded usage. Series are merged by time, so that the result equals that of live samples. Samples before the
   * newest of a model are dropped, since they may have been counted. Series without a workload are ignored.
   */
  backfill(series: readonly UsageSeries[]): BackfillResult {
    const result = { taken: 0, dropped: 0 };
    for (const [workload, workloadSeries] of Map.groupBy(series, (one) => (one.workload === null ? '' : workloadKey(one.workload)))) {
      if (workload === '') continue;
      for (const [container, group] of Map.groupBy(workloadSeries, (one) => one.container))
        this.#backfillOne(workload, container, group, result);
    }
    return result;
  }

  /** Advice for the containers of a workload that have rules and usage or kills, sorted by name. */
  advise(
    workload: WorkloadKey,
    now: Instant,
    rulesFor: RecommenderRules | ((container: string) => RecommenderRules | undefined),
  ): readonly ContainerAdvice[] {
    const containers = [...(this.#workloads.get(workload) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    return containers.flatMap(([name, { model }]) => {
      const rules = typeof rulesFor === 'function' ? rulesFor(name) : rulesFor;
      const advice = rules === undefined ? null : model.advise(name, now, rules);
      return advice === null ? [] : [advice];
    });
  }

  /** Increases with every change; the argument of a later `changedSince`. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Keys of the containers that changed after a sequence number; 0 for all. */
  changedSince(sequence: number): string[] {
    const keys: string[] = [];
    for (const [workload, containers] of this.#workloads) {
      for (const [container, { changedAt }] of containers) if (changedAt > sequence) keys.push(`${workload}/${container}`);
    }
    return keys;
  }

  /** Checkpoint of one container by its key; undefined: there is no model of it. */
  checkpointOf(key: string): RecommenderCheckpoint | undefined {
    const split = key.lastIndexOf('/');
    const entry = this.#workloads.get(key.slice(0, split))?.get(key.slice(split + 1));
    return entry === undefined ? undefined : { key, version: CHECKPOINT_VERSION, data: entry.model.checkpoint() };
  }

  /**
   * Loads a checkpoint, and merges a current model into it, which may have begun without the store. False: its version differs or it is
   * damaged, and nothing changes.
   */
  restore(checkpoint: RecommenderCheckpoint): boolean {
    const split = checkpoint.key.lastIndexOf('/');
    const model = split > 0 && checkpoint.version === CHECKPOINT_VERSION ? ContainerModel.restore(checkpoint.data) : null;
    if (model === null) return false;
    const workload = checkpoint.key.slice(0, split);
    const containers = this.#containersOf(workload);
    const container = checkpoint.key.slice(split + 1);
    const known = containers.get(container)?.model;
    const merged = known === undefined ? model : merge(model, known);
    if (merged !== known) containers.set(container, { model: merged, changedAt: ++this.#sequence });
    const running = this.#versions.get(workload);
    if (running !== undefined) merged.observeVersion(running.version, running.at);
    return true;
  }

  /** Deletes a workload. Returns the keys of its checkpoints, which the caller deletes. */
  forget(workload: WorkloadKey): readonly string[] {
    const keys = [...(this.#workloads.get(workload)?.keys() ?? [])].map((container) => `${workload}/${container}`);
    this.#workloads.delete(workload);
    this.#versions.delete(workload);
    return keys;
  }

  /** Workloads with at least one model. */
  workloads(): IterableIterator<WorkloadKey> {
    return this.#workloads.keys();
  }

  #backfillOne(workload: WorkloadKey, container: string, group: readonly UsageSeries[], result: { taken: number; dropped: number }): void {
    const known = this.#touch(workload, container);
    const model = this.#modelForHistory(workload, container, group);
    for (const event of orderEvents(group, model.lastSampleAt)) {
      if (event.kind === 'kill') model.observeOom(event.at, event.limitBytes, event.workingSetBytes);
      else if (model.observe(event.pod, event.sample, false)) result.taken += 1;
      else result.dropped += 1;
    }
    // A history may end an hour before the present.
    if (model !== known) model.takeOver(known);
  }

  /** The model that learns a history: a new one if the history begins well before the current model. */
  #modelForHistory(workload: WorkloadKey, container: string, group: readonly UsageSeries[]): ContainerModel {
    const known = this.#touch(workload, container);
    const samples = group.flatMap((series) => [series.samples[0], series.samples.at(-1)].filter((sample) => sample !== undefined));
    const [from, to] = [Math.min(...samples.map(({ at }) => at)), Math.max(...samples.map(({ at }) => at))];
    const reachesFurtherBack = from < known.firstSampleAt - MIN_LONGER_MS && to > known.lastSampleAt - MIN_LONGER_MS;
    if (!reachesFurtherBack) return known;
    const model = new ContainerModel();
    model.copyEvents(known);
    this.#workloads.get(workload)?.set(container, { model, changedAt: ++this.#sequence });
    return model;
  }

  #touch(workload: WorkloadKey, container: string): ContainerModel {
    const containers = this.#containersOf(workload);
    let entry = containers.get(container);
    if (entry === undefined) {
      containers.set(container, (entry = { model: new ContainerModel(), changedAt: 0 }));
      const running = this.#versions.get(workload);
      if (running !== undefined) entry.model.observeVersion(running.version, running.at);
    }
    entry.changedAt = ++this.#sequence;
    return entry.model;
  }

  #containersOf(workload: WorkloadKey): Map<string, ContainerEntry> {
    const known = this.#workloads.get(workload);
    if (known !== undefined) return known;
    const containers = new Map<string, ContainerEntry>();
    this.#workloads.set(workload, containers);
    return containers;
  }
}

/** One model with what both have learnt. */
function merge(stored: ContainerModel, known: ContainerModel): ContainerModel {
  const isComplete =
    known.firstSampleAt <= stored.firstSampleAt && known.lastSampleAt >= stored.lastSampleAt && known.samples >= stored.samples;
  if (isComplete || Number.isNaN(stored.firstSampleAt)) {
    known.addEvents(stored);
    return known;
  }
  stored.takeOver(known);
  return stored;
}

type HistoryEvent =
  | { readonly kind: 'sample'; readonly at: Instant; readonly pod: string; readonly sample: UsageSample }
  | { readonly kind: 'kill'; readonly at: Instant; readonly limitBytes: Bytes | null; readonly workingSetBytes: Bytes | null };

function orderEvents(group: readonly UsageSeries[], after: Instant): HistoryEvent[] {
  const events: HistoryEvent[] = [];
  for (const series of group) {
    for (const sample of series.samples) {
      for (const slotSample of spreadOverSlots(sample, series.stepSeconds)) {
        if (!(slotSample.at <= after)) events.push({ kind: 'sample', at: slotSample.at, pod: series.pod, sample: slotSample });
      }
    }
    for (const { at, memoryLimitBytes: limitBytes } of series.oomKills) {
      events.push({ kind: 'kill', at, limitBytes, workingSetBytes: workingSetBefore(series, at) });
    }
  }
  return events.sort((a, b) => a.at - b.at);
}

/** Maximum of the two samples before a kill, since the last one may follow a restart; null: there are none. */
function workingSetBefore({ samples, stepSeconds }: UsageSeries, killedAt: Instant): Bytes | null {
  const from = killedAt - 2 * stepSeconds * 1000;
  const known = samples
    .filter(({ at }) => at > from && at <= killedAt)
    .flatMap((sample) => sample.memoryPeakBytes ?? sample.memoryBytes ?? []);
  return known.length === 0 ? null : Math.max(...known);
}

// A sample of a longer step counts in every slot of the step; otherwise an hourly history would have a low coverage.
function spreadOverSlots(sample: UsageSample, stepSeconds: number): UsageSample[] {
  const slots = Math.max(1, Math.round((stepSeconds * 1000) / SLOT_MS));
  return Array.from({ length: slots }, (_, index) => ({ ...sample, at: sample.at - (slots - 1 - index) * SLOT_MS }));
}
