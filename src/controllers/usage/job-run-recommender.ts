// A learner that counts Jobs and CronJobs by their runs and leaves everything else to the one that it wraps. Runs of Jobs
// are few and small: they are kept in this thread.

import type { UsageSample, UsageSeries } from '#kube/records/usage';
import { DAY_MS, type Bytes, type DurationMs, type Instant } from '#kube/units';
import { workloadKey, type WorkloadKey } from '#kube/records/workload';
import type { ContainerAdvice, RecommenderRules } from '../../core/recommender/advice.ts';
import { causeOfKill } from '../../core/recommender/oom-log.ts';
import type { BackfillResult, RecommenderCheckpoint } from '../../core/recommender/recommender.ts';
import { endsByItself, jobFamily } from '../../core/recommender/runs/job-family.ts';
import { adviseFromRuns } from '../../core/recommender/runs/run-advice.ts';
import { RunLog } from '../../core/recommender/runs/run-log.ts';
import type { UsageRecommender, RecommenderMarks } from '../../ports/usage-recommender.ts';

/** Of checkpoints of runs; the recommender's own versions are small numbers. */
const RUNS_VERSION = 1001;
/** A yearly run is learnt anew; a monthly one is not. */
const REMEMBERED_FOR_MS: DurationMs = 90 * DAY_MS;

interface PendingRuns {
  readonly log: RunLog;
  changed: number;
}

export class JobRunRecommender implements UsageRecommender {
  readonly #others: UsageRecommender;
  /** By family, then container. */
  readonly #families = new Map<WorkloadKey, Map<string, PendingRuns>>();
  #sequence = 0;

  constructor(others: UsageRecommender) {
    this.#others = others;
  }

  observe(workload: WorkloadKey, container: string, pod: string, sample: UsageSample): void {
    if (!endsByItself(workload)) {
      this.#others.observe(workload, container, pod, sample);
      return;
    }
    const held = this.#held(workload, container);
    if (held.log.observe(pod, sample)) held.changed = ++this.#sequence;
  }

  observeOom(workload: WorkloadKey, container: string, at: Instant, limitBytes: Bytes | null, workingSetBytes = limitBytes): void {
    if (!endsByItself(workload)) {
      this.#others.observeOom(workload, container, at, limitBytes, workingSetBytes);
      return;
    }
    // A node that ran out of memory says nothing about the need.
    if (limitBytes === null || causeOfKill(limitBytes, workingSetBytes) === 'node') return;
    const held = this.#held(workload, container);
    held.log.observeOom(at, limitBytes);
    held.changed = ++this.#sequence;
  }

  noteChange(workload: WorkloadKey, at: Instant): void {
    if (!endsByItself(workload)) this.#others.noteChange(workload, at);
  }

  async backfill(series: readonly UsageSeries[]): Promise<BackfillResult> {
    const ofRuns = (each: UsageSeries): boolean => each.workload !== null && endsByItself(workloadKey(each.workload));
    const result = await this.#others.backfill(series.filter((each) => !ofRuns(each)));
    const samples = series.filter(ofRuns).flatMap((each) => each.samples.map((sample) => ({ each, sample })));
    for (const { each, sample } of samples.sort((a, b) => a.sample.at - b.sample.at)) {
      if (each.workload !== null) this.observe(workloadKey(each.workload), each.container, each.pod, sample);
    }
    return { ...result, taken: result.taken + samples.length };
  }

  async advise(workload: WorkloadKey, now: Instant, rules: ReadonlyMap<string, RecommenderRules>): Promise<readonly ContainerAdvice[]> {
    if (!endsByItself(workload)) return this.#others.advise(workload, now, rules);
    const family = this.#families.get(jobFamily(workload));
    return [...rules]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([container, rule]) => {
        const held = family?.get(container);
        return (held === undefined ? null : adviseFromRuns(container, now, held.log, rule)) ?? [];
      });
  }

  async marks(): Promise<RecommenderMarks> {
    return [...(await this.#others.marks()), this.#sequence];
  }

  async *changedSince(marks: RecommenderMarks | null): AsyncIterable<readonly RecommenderCheckpoint[]> {
    yield* this.#others.changedSince(marks === null ? null : marks.slice(0, -1));
    const since = marks?.at(-1) ?? 0;
    this.#dropOld();
    const own: RecommenderCheckpoint[] = [];
    for (const [family, containers] of this.#families) {
      for (const [container, { log, changed }] of containers) {
        if (changed > since) own.push({ key: `${family}/${container}`, version: RUNS_VERSION, data: log.save() });
      }
    }
    if (own.length > 0) yield own;
  }

  async restore(checkpoints: readonly RecommenderCheckpoint[]): Promise<{ readonly restored: number; readonly refused: number }> {
    const theirs = checkpoints.filter(({ version }) => version !== RUNS_VERSION);
    const result = await this.#others.restore(theirs);
    let [restored, refused] = [0, 0];
    for (const { key, version, data } of checkpoints) {
      if (version !== RUNS_VERSION) continue;
      const log = RunLog.restore(data);
      const split = key.lastIndexOf('/');
      const held = log === null ? null : this.#held(key.slice(0, split), key.slice(split + 1));
      // Whatever this replica knows better than the store stays.
      if (log === null || held === null) refused += 1;
      else if (held.log.lastAt < log.lastAt) {
        this.#families.get(jobFamily(key.slice(0, split)))?.set(key.slice(split + 1), { log, changed: ++this.#sequence });
        restored += 1;
      }
    }
    return { restored: result.restored + restored, refused: result.refused + refused };
  }

  async forget(workload: WorkloadKey): Promise<readonly string[]> {
    if (!endsByItself(workload)) return this.#others.forget(workload);
    const family = jobFamily(workload);
    // One run of many that is gone takes nothing along.
    if (family !== workload) return [];
    const keys = [...(this.#families.get(family)?.keys() ?? [])].map((container) => `${family}/${container}`);
    this.#families.delete(family);
    return keys;
  }

  async workloads(): Promise<readonly WorkloadKey[]> {
    // A family of many names is no workload; it goes by its age.
    return [...(await this.#others.workloads()), ...[...this.#families.keys()].filter((family) => !family.endsWith('-*'))];
  }

  #dropOld(): void {
    const newest = Math.max(
      0,
      ...[...this.#families.values()].flatMap((containers) => [...containers.values()].map(({ log }) => log.lastAt)),
    );
    for (const [family, containers] of this.#families) {
      for (const [container, { log }] of containers) if (newest - log.lastAt > REMEMBERED_FOR_MS) containers.delete(container);
      if (containers.size === 0) this.#families.delete(family);
    }
  }

  #held(workload: WorkloadKey, container: string): PendingRuns {
    const family = jobFamily(workload);
    let containers = this.#families.get(family);
    if (containers === undefined) this.#families.set(family, (containers = new Map<string, PendingRuns>()));
    let held = containers.get(container);
    if (held === undefined) containers.set(container, (held = { log: new RunLog(), changed: 0 }));
    return held;
  }
}
