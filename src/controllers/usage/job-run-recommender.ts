// A recommender that handles Jobs and CronJobs by their runs, and passes other kinds to the recommender that it wraps. Runs are few and
// small, so they are stored in this thread.

import type { UsageSample, UsageSeries } from '#kube/records/usage';
import { DAY_MS, type Bytes, type DurationMs, type Instant } from '#kube/units';
import { workloadKey, type WorkloadKey } from '#kube/records/workload';
import type { ContainerAdvice, RecommenderRules } from '../../core/recommender/advice.ts';
import { classifyKill } from '../../core/recommender/memory/oom-log.ts';
import type { BackfillResult, RecommenderCheckpoint } from '../../core/recommender/recommender.ts';
import { isBatchWorkload, jobFamily } from '../../core/recommender/runs/job-family.ts';
import { adviseFromRuns } from '../../core/recommender/runs/run-advice.ts';
import { RunLog } from '../../core/recommender/runs/run-log.ts';
import type { UsageRecommender, SequenceNumbers } from '../../ports/usage/usage-recommender.ts';

/** Version of checkpoints of runs; the wrapped recommender's versions are small numbers. */
const RUNS_VERSION = 1001;
/** Long enough for monthly runs; the history of a yearly one is dropped. */
const RETENTION_MS: DurationMs = 90 * DAY_MS;

interface ContainerRuns {
  readonly log: RunLog;
  /** Sequence number of the last change. */
  changed: number;
}

export class JobRunRecommender implements UsageRecommender {
  readonly #others: UsageRecommender;
  /** By family, then container. */
  readonly #families = new Map<WorkloadKey, Map<string, ContainerRuns>>();
  #sequence = 0;

  constructor(others: UsageRecommender) {
    this.#others = others;
  }

  observe(workload: WorkloadKey, container: string, pod: string, sample: UsageSample): void {
    if (!isBatchWorkload(workload)) {
      this.#others.observe(workload, container, pod, sample);
      return;
    }
    const runs = this.#runsOf(workload, container);
    if (runs.log.observe(pod, sample)) runs.changed = ++this.#sequence;
  }

  observeOom(workload: WorkloadKey, container: string, at: Instant, limitBytes: Bytes | null, workingSetBytes = limitBytes): void {
    if (!isBatchWorkload(workload)) {
      this.#others.observeOom(workload, container, at, limitBytes, workingSetBytes);
      return;
    }
    // A kill by memory pressure of the node is no evidence of the container's need.
    if (limitBytes === null || classifyKill(limitBytes, workingSetBytes) === 'node') return;
    const runs = this.#runsOf(workload, container);
    runs.log.observeOom(at, limitBytes);
    runs.changed = ++this.#sequence;
  }

  observeVersion(workload: WorkloadKey, version: number, at: Instant): void {
    if (!isBatchWorkload(workload)) this.#others.observeVersion(workload, version, at);
  }

  async backfill(series: readonly UsageSeries[]): Promise<BackfillResult> {
    const isOfRuns = ({ workload }: UsageSeries): boolean => workload !== null && isBatchWorkload(workloadKey(workload));
    const result = await this.#others.backfill(series.filter((candidate) => !isOfRuns(candidate)));
    const samples = series
      .filter(isOfRuns)
      .flatMap(({ workload, container, pod, samples: points }) => points.map((sample) => ({ workload, container, pod, sample })));
    for (const { workload, container, pod, sample } of samples.sort((a, b) => a.sample.at - b.sample.at)) {
      if (workload !== null) this.observe(workloadKey(workload), container, pod, sample);
    }
    return { ...result, taken: result.taken + samples.length };
  }

  async advise(workload: WorkloadKey, now: Instant, rules: ReadonlyMap<string, RecommenderRules>): Promise<readonly ContainerAdvice[]> {
    if (!isBatchWorkload(workload)) return this.#others.advise(workload, now, rules);
    const family = this.#families.get(jobFamily(workload));
    return [...rules]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([container, rule]) => {
        const runs = family?.get(container);
        return (runs === undefined ? null : adviseFromRuns(container, now, runs.log, rule)) ?? [];
      });
  }

  async sequenceNumbers(): Promise<SequenceNumbers> {
    return [...(await this.#others.sequenceNumbers()), this.#sequence];
  }

  async *changedSince(sequenceNumbers: SequenceNumbers | null): AsyncIterable<readonly RecommenderCheckpoint[]> {
    yield* this.#others.changedSince(sequenceNumbers === null ? null : sequenceNumbers.slice(0, -1));
    const since = sequenceNumbers?.at(-1) ?? 0;
    this.#dropOld();
    const checkpoints: RecommenderCheckpoint[] = [];
    for (const [family, containers] of this.#families) {
      for (const [container, { log, changed }] of containers) {
        if (changed > since) checkpoints.push({ key: `${family}/${container}`, version: RUNS_VERSION, data: log.save() });
      }
    }
    if (checkpoints.length > 0) yield checkpoints;
  }

  async checkpointsOf(keys: readonly string[]): Promise<readonly RecommenderCheckpoint[]> {
    const runs = keys.flatMap((key): readonly RecommenderCheckpoint[] => {
      const split = key.lastIndexOf('/');
      const family = jobFamily(key.slice(0, split));
      const log = this.#families.get(family)?.get(key.slice(split + 1))?.log;
      return log === undefined ? [] : [{ key: `${family}/${key.slice(split + 1)}`, version: RUNS_VERSION, data: log.save() }];
    });
    return [...(await this.#others.checkpointsOf(keys)), ...runs];
  }

  async restore(checkpoints: readonly RecommenderCheckpoint[]): Promise<{ readonly restored: number; readonly refused: number }> {
    const result = await this.#others.restore(checkpoints.filter(({ version }) => version !== RUNS_VERSION));
    let [restored, refused] = [0, 0];
    for (const { key, version, data } of checkpoints) {
      if (version !== RUNS_VERSION) continue;
      const log = RunLog.restore(data);
      const split = key.lastIndexOf('/');
      const current = log === null ? null : this.#runsOf(key.slice(0, split), key.slice(split + 1));
      // A longer history of this replica stays.
      if (log === null || current === null) refused += 1;
      else if (current.log.lastAt < log.lastAt) {
        this.#families.get(jobFamily(key.slice(0, split)))?.set(key.slice(split + 1), { log, changed: ++this.#sequence });
        restored += 1;
      }
    }
    return { restored: result.restored + restored, refused: result.refused + refused };
  }

  async forget(workload: WorkloadKey): Promise<readonly string[]> {
    if (!isBatchWorkload(workload)) return this.#others.forget(workload);
    const family = jobFamily(workload);
    // A deleted Job is one run of its family, whose history stays.
    if (family !== workload) return [];
    const keys = [...(this.#families.get(family)?.keys() ?? [])].map((container) => `${family}/${container}`);
    this.#families.delete(family);
    return keys;
  }

  async workloads(): Promise<readonly WorkloadKey[]> {
    // A family of Jobs is no workload; it is dropped by its age.
    return [...(await this.#others.workloads()), ...[...this.#families.keys()].filter((family) => !family.endsWith('-*'))];
  }

  #dropOld(): void {
    const newest = Math.max(
      0,
      ...[...this.#families.values()].flatMap((containers) => [...containers.values()].map(({ log }) => log.lastAt)),
    );
    for (const [family, containers] of this.#families) {
      for (const [container, { log }] of containers) if (newest - log.lastAt > RETENTION_MS) containers.delete(container);
      if (containers.size === 0) this.#families.delete(family);
    }
  }

  #runsOf(workload: WorkloadKey, container: string): ContainerRuns {
    const family = jobFamily(workload);
    let containers = this.#families.get(family);
    if (containers === undefined) this.#families.set(family, (containers = new Map<string, ContainerRuns>()));
    let runs = containers.get(container);
    if (runs === undefined) containers.set(container, (runs = { log: new RunLog(), changed: 0 }));
    return runs;
  }
}
