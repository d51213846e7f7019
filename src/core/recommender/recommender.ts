// All containers' models, by workload: the one place where usage becomes advice. Holds no clock: time comes with the
// samples and with each question.

import type { UsageSample, UsageSeries } from '#kube/records/usage';
import { HOUR_MS } from '#kube/units';
import type { Bytes, DurationMs, Instant } from '#kube/units';
import { workloadKey } from '#kube/records/workload';
import type { WorkloadKey } from '#kube/records/workload';
import type { ContainerAdvice, RecommenderRules } from './advice.ts';
import { CHECKPOINT_VERSION, ContainerModel } from './container-model.ts';
import { SLOT_MS } from './slots.ts';

/** One container's state at rest. The shape of `UsageCheckpoint` of the store, less the moment of saving. */
export interface RecommenderCheckpoint {
  /** `namespace/kind/name/container`. */
  readonly key: string;
  readonly version: number;
  readonly data: Uint8Array;
}

/** Samples taken in and thrown away by a backfill. */
export interface BackfillResult {
  readonly taken: number;
  readonly dropped: number;
}

/** A past that reaches back further than what is known by this, and ends no earlier by more, replaces it. */
const LATE_PAST_MS: DurationMs = HOUR_MS;

interface Held {
  readonly model: ContainerModel;
  /** Increases with every sample of the recommender: `changedSince` needs no clock. */
  changed: number;
}

export class Recommender {
  readonly #workloads = new Map<WorkloadKey, Map<string, Held>>();
  #sequence: number;

  /** @param sequence where a predecessor's count ended */
  constructor(sequence = 0) {
    this.#sequence = sequence;
  }

  /** Takes one sample of one container of one pod; false where it was thrown away (and counted in the advice). */
  observe(workload: WorkloadKey, container: string, pod: string, sample: UsageSample): boolean {
    return this.#touch(workload, container).observe(pod, sample);
  }

  /**
   * Takes an OOM kill.
   * @param limitBytes in force at the death; null: there was none
   * @param workingSetBytes the last one before the death; null: not measured. Left out: the limit was hit
   */
  observeOom(workload: WorkloadKey, container: string, at: Instant, limitBytes: Bytes | null, workingSetBytes = limitBytes): void {
    this.#touch(workload, container).observeOom(at, limitBytes, workingSetBytes);
  }

  /** A workload began to run another version: trust is halved until it turns out to use as much, at most for a day. */
  noteChange(workload: WorkloadKey, at: Instant): void {
    for (const container of this.#workloads.get(workload)?.keys() ?? []) this.#touch(workload, container).noteChange(at);
  }

  /**
   * Takes in recorded pasts, in any order: replicas are joined by time first, so that the result is the same as if the
   * samples had come live. What a model already knows is not counted twice: samples before its newest are dropped.
   * Series whose workload is unknown are left out.
   */
  backfill(series: readonly UsageSeries[]): BackfillResult {
    const result = { taken: 0, dropped: 0 };
    for (const [workload, ofWorkload] of Map.groupBy(series, (each) => (each.workload === null ? '' : workloadKey(each.workload)))) {
      if (workload === '') continue;
      for (const [container, group] of Map.groupBy(ofWorkload, (each) => each.container))
        this.#backfillOne(workload, container, group, result);
    }
    return result;
  }

  /** Advice for every container of a workload of which anything is known and that has rules, sorted by name. */
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

  /** Grows with every change; remember it to ask later for the checkpoints that changed since. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Keys of the containers that changed after a sequence number; 0 for all. */
  changedSince(sequence: number): string[] {
    const keys: string[] = [];
    for (const [workload, containers] of this.#workloads) {
      for (const [container, { changed }] of containers) if (changed > sequence) keys.push(`${workload}/${container}`);
    }
    return keys;
  }

  /** State of one container, by its key; undefined where nothing is known of it. */
  checkpointOf(key: string): RecommenderCheckpoint | undefined {
    const split = key.lastIndexOf('/');
    const held = this.#workloads.get(key.slice(0, split))?.get(key.slice(split + 1));
    return held === undefined ? undefined : { key, version: CHECKPOINT_VERSION, data: held.model.checkpoint() };
  }

  /**
   * Takes over a checkpoint unless as much is known already: of two that watched the same container, the one that saw more
   * samples is kept. False where its version is not known or it is damaged (nothing is changed then).
   */
  restore(checkpoint: RecommenderCheckpoint): boolean {
    const split = checkpoint.key.lastIndexOf('/');
    const model = split > 0 && checkpoint.version === CHECKPOINT_VERSION ? ContainerModel.restore(checkpoint.data) : null;
    if (model === null) return false;
    const containers = this.#containersOf(checkpoint.key.slice(0, split));
    const container = checkpoint.key.slice(split + 1);
    const known = containers.get(container);
    if (known === undefined || known.model.samples < model.samples) containers.set(container, { model, changed: ++this.#sequence });
    return true;
  }

  /** Forgets a workload; answers the keys of its checkpoints, to be deleted. */
  forget(workload: WorkloadKey): readonly string[] {
    const keys = [...(this.#workloads.get(workload)?.keys() ?? [])].map((container) => `${workload}/${container}`);
    this.#workloads.delete(workload);
    return keys;
  }

  /** Workloads of which anything is known. */
  workloads(): IterableIterator<WorkloadKey> {
    return this.#workloads.keys();
  }

  #backfillOne(workload: WorkloadKey, container: string, group: readonly UsageSeries[], result: { taken: number; dropped: number }): void {
    const model = this.#modelForPast(workload, container, group);
    for (const event of inOrder(group, model.lastSampleAt)) {
      if (event.kind === 'kill') model.observeOom(event.at, event.limitBytes, event.workingSetBytes);
      else if (model.observe(event.pod, event.sample, false)) result.taken += 1;
      else result.dropped += 1;
    }
  }

  /** The model for a history: a new one that learns all of it, where it comes late and holds much more than is known. */
  #modelForPast(workload: WorkloadKey, container: string, group: readonly UsageSeries[]): ContainerModel {
    const known = this.#touch(workload, container);
    const samples = group.flatMap((series) => [series.samples[0], series.samples.at(-1)].filter((sample) => sample !== undefined));
    const [from, to] = [Math.min(...samples.map(({ at }) => at)), Math.max(...samples.map(({ at }) => at))];
    const hasNewPast = from < known.firstSampleAt - LATE_PAST_MS && to > known.lastSampleAt - LATE_PAST_MS;
    if (!hasNewPast) return known;
    const model = new ContainerModel();
    model.takeNotes(known);
    this.#workloads.get(workload)?.set(container, { model, changed: ++this.#sequence });
    return model;
  }

  #touch(workload: WorkloadKey, container: string): ContainerModel {
    const containers = this.#containersOf(workload);
    let held = containers.get(container);
    if (held === undefined) containers.set(container, (held = { model: new ContainerModel(), changed: 0 }));
    held.changed = ++this.#sequence;
    return held.model;
  }

  #containersOf(workload: WorkloadKey): Map<string, Held> {
    const known = this.#workloads.get(workload);
    if (known !== undefined) return known;
    const containers = new Map<string, Held>();
    this.#workloads.set(workload, containers);
    return containers;
  }
}

type PastEvent =
  | { readonly kind: 'sample'; readonly at: Instant; readonly pod: string; readonly sample: UsageSample }
  | { readonly kind: 'kill'; readonly at: Instant; readonly limitBytes: Bytes | null; readonly workingSetBytes: Bytes | null };

function inOrder(group: readonly UsageSeries[], after: Instant): PastEvent[] {
  const events: PastEvent[] = [];
  for (const series of group) {
    for (const sample of series.samples) {
      for (const each of spreadOverSlots(sample, series.stepSeconds)) {
        if (!(each.at <= after)) events.push({ kind: 'sample', at: each.at, pod: series.pod, sample: each });
      }
    }
    for (const { at, memoryLimitBytes: limitBytes } of series.oomKills) {
      events.push({ kind: 'kill', at, limitBytes, workingSetBytes: workingSetBefore(series, at) });
    }
  }
  return events.sort((a, b) => a.at - b.at);
}

/** Of the two samples before a kill, the greater: the last one may be of the moments after a restart. null: there is none. */
function workingSetBefore({ samples, stepSeconds }: UsageSeries, killedAt: Instant): Bytes | null {
  const from = killedAt - 2 * stepSeconds * 1000;
  const known = samples.filter(({ at }) => at > from && at <= killedAt).flatMap((each) => each.memoryPeakBytes ?? each.memoryBytes ?? []);
  return known.length === 0 ? null : Math.max(...known);
}

// A sample of a coarser step counts for every 5 minutes of it; else an hourly history would look like one full of gaps.
function spreadOverSlots(sample: UsageSample, stepSeconds: number): UsageSample[] {
  const slots = Math.max(1, Math.round((stepSeconds * 1000) / SLOT_MS));
  return Array.from({ length: slots }, (_, index) => ({ ...sample, at: sample.at - (slots - 1 - index) * SLOT_MS }));
}
