// A recommender sharded over one or more workers: a workload always belongs to the same worker.

import { fnv1a } from '#kube/fnv1a';
import type { UsageSample, UsageSeries } from '#kube/records/usage';
import type { Bytes, Instant } from '#kube/units';
import { workloadKey, type WorkloadKey } from '#kube/records/workload';
import type { ContainerAdvice, RecommenderRules } from '../../core/recommender/advice.ts';
import type { BackfillResult, RecommenderCheckpoint } from '../../core/recommender/recommender.ts';
import type { UsageRecommender, SequenceNumbers } from '../../ports/usage/usage-recommender.ts';
import type { RecommenderWorker } from './recommender-worker.ts';

/** Containers per checkpoint request: about 2 MB. */
const CHECKPOINTS_PER_REQUEST = 200;

/** Distributes workloads over workers by a hash of their key. */
export class ShardedRecommender implements UsageRecommender {
  readonly #workers: readonly RecommenderWorker[];

  /** @param workers at least one */
  constructor(workers: readonly RecommenderWorker[]) {
    this.#workers = workers;
  }

  observe(workload: WorkloadKey, container: string, pod: string, sample: UsageSample): void {
    this.#workerOf(workload).notify({ kind: 'sample', workload, container, pod, sample });
  }

  observeOom(workload: WorkloadKey, container: string, at: Instant, limitBytes: Bytes | null, workingSetBytes = limitBytes): void {
    this.#workerOf(workload).notify({ kind: 'oom', workload, container, at, limitBytes, workingSetBytes });
  }

  observeVersion(workload: WorkloadKey, version: number, at: Instant): void {
    this.#workerOf(workload).notify({ kind: 'version', workload, version, at });
  }

  async backfill(series: readonly UsageSeries[]): Promise<BackfillResult> {
    const known = series.filter((each) => each.workload !== null);
    const byWorker = Map.groupBy(known, ({ workload }) => this.#workerOf(workload === null ? '' : workloadKey(workload)));
    const results = await Promise.all([...byWorker].map(([worker, group]) => worker.ask('backfill', { series: group })));
    return results.reduce((sum, each) => ({ taken: sum.taken + each.taken, dropped: sum.dropped + each.dropped }), {
      taken: 0,
      dropped: 0,
    });
  }

  advise(workload: WorkloadKey, now: Instant, rules: ReadonlyMap<string, RecommenderRules>): Promise<readonly ContainerAdvice[]> {
    return this.#workerOf(workload).ask('advise', { workload, now, rules });
  }

  async sequenceNumbers(): Promise<SequenceNumbers> {
    const all = await Promise.all(this.#workers.map((worker) => worker.ask('changedSince', { since: Number.MAX_SAFE_INTEGER })));
    return all.map(({ sequence }) => sequence);
  }

  /** Asks for the next checkpoints while the caller writes the last ones: the worker encodes them in the meantime. */
  async *changedSince(sequenceNumbers: SequenceNumbers | null): AsyncGenerator<readonly RecommenderCheckpoint[]> {
    const changed = this.#workers.map((worker, index) => worker.ask('changedSince', { since: sequenceNumbers?.[index] ?? 0 }));
    const requests = (await Promise.all(changed)).flatMap(({ keys }, index) =>
      [...batchesOf(keys)].map((batch) => async () => (await this.#workers[index]?.ask('checkpoints', { keys: batch })) ?? []),
    );
    let next = requests[0]?.();
    for (let at = 0; next !== undefined; at += 1) {
      const portion = await next;
      next = requests[at + 1]?.();
      // The caller may stop before it is awaited.
      next?.catch(() => undefined);
      yield portion;
    }
  }

  async checkpointsOf(keys: readonly string[]): Promise<readonly RecommenderCheckpoint[]> {
    const byWorker = Map.groupBy(keys, (key) => this.#workerOf(key.slice(0, key.lastIndexOf('/'))));
    return (await Promise.all([...byWorker].map(([worker, group]) => worker.ask('checkpoints', { keys: group })))).flat();
  }

  async restore(checkpoints: readonly RecommenderCheckpoint[]): Promise<{ readonly restored: number; readonly refused: number }> {
    const byWorker = Map.groupBy(checkpoints, ({ key }) => this.#workerOf(key.slice(0, key.lastIndexOf('/'))));
    const results = await Promise.all([...byWorker].map(([worker, group]) => worker.ask('restore', { checkpoints: group })));
    return results.reduce((sum, each) => ({ restored: sum.restored + each.restored, refused: sum.refused + each.refused }), {
      restored: 0,
      refused: 0,
    });
  }

  forget(workload: WorkloadKey): Promise<readonly string[]> {
    return this.#workerOf(workload).ask('forget', { workload });
  }

  async workloads(): Promise<readonly WorkloadKey[]> {
    return (await Promise.all(this.#workers.map((worker) => worker.ask('workloads', null)))).flat();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
  }

  #workerOf(workload: WorkloadKey): RecommenderWorker {
    const worker = this.#workers[this.#workers.length === 1 ? 0 : fnv1a(workload) % this.#workers.length];
    if (worker === undefined) throw new Error('a recommender needs at least one worker');
    return worker;
  }
}

function* batchesOf(keys: readonly string[]): Generator<readonly string[]> {
  for (let begin = 0; begin < keys.length; begin += CHECKPOINTS_PER_REQUEST) yield keys.slice(begin, begin + CHECKPOINTS_PER_REQUEST);
}
