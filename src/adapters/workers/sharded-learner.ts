// A learner of one or several seats: each workload always with the same one.

import type { UsageSample, UsageSeries } from '#kube/records/usage';
import type { Bytes, Instant } from '#kube/units';
import { workloadKey, type WorkloadKey } from '#kube/records/workload';
import type { ContainerAdvice, RecommenderRules } from '../../core/recommender/advice.ts';
import type { BackfillResult, RecommenderCheckpoint } from '../../core/recommender/recommender.ts';
import type { Learner, LearnerMarks } from '../../ports/learner.ts';
import type { Seat } from './seat.ts';

/** Checkpoints of this many containers are asked for at once: about 2 MB. */
const PORTION = 200;

export class ShardedLearner implements Learner {
  readonly #seats: readonly Seat[];

  /** @param seats at least one */
  constructor(seats: readonly Seat[]) {
    this.#seats = seats;
  }

  observe(workload: WorkloadKey, container: string, pod: string, sample: UsageSample): void {
    this.#seatOf(workload).tell({ kind: 'sample', workload, container, pod, sample });
  }

  observeOom(workload: WorkloadKey, container: string, at: Instant, limitBytes: Bytes | null, workingSetBytes = limitBytes): void {
    this.#seatOf(workload).tell({ kind: 'oom', workload, container, at, limitBytes, workingSetBytes });
  }

  noteChange(workload: WorkloadKey, at: Instant): void {
    this.#seatOf(workload).tell({ kind: 'change', workload, at });
  }

  async backfill(series: readonly UsageSeries[]): Promise<BackfillResult> {
    const known = series.filter((each) => each.workload !== null);
    const bySeat = Map.groupBy(known, ({ workload }) => this.#seatOf(workload === null ? '' : workloadKey(workload)));
    const results = await Promise.all([...bySeat].map(([seat, group]) => seat.ask('backfill', { series: group })));
    return results.reduce((sum, each) => ({ taken: sum.taken + each.taken, dropped: sum.dropped + each.dropped }), {
      taken: 0,
      dropped: 0,
    });
  }

  advise(workload: WorkloadKey, now: Instant, rules: ReadonlyMap<string, RecommenderRules>): Promise<readonly ContainerAdvice[]> {
    return this.#seatOf(workload).ask('advise', { workload, now, rules });
  }

  async marks(): Promise<LearnerMarks> {
    const all = await Promise.all(this.#seats.map((seat) => seat.ask('changed', { since: Number.MAX_SAFE_INTEGER })));
    return all.map(({ sequence }) => sequence);
  }

  async *changedSince(marks: LearnerMarks | null): AsyncGenerator<readonly RecommenderCheckpoint[]> {
    for (const [index, seat] of this.#seats.entries()) {
      const { keys } = await seat.ask('changed', { since: marks?.[index] ?? 0 });
      for (let begin = 0; begin < keys.length; begin += PORTION) {
        yield await seat.ask('checkpoints', { keys: keys.slice(begin, begin + PORTION) });
      }
    }
  }

  async restore(checkpoints: readonly RecommenderCheckpoint[]): Promise<{ readonly restored: number; readonly refused: number }> {
    const bySeat = Map.groupBy(checkpoints, ({ key }) => this.#seatOf(key.slice(0, key.lastIndexOf('/'))));
    const results = await Promise.all([...bySeat].map(([seat, group]) => seat.ask('restore', { checkpoints: group })));
    return results.reduce((sum, each) => ({ restored: sum.restored + each.restored, refused: sum.refused + each.refused }), {
      restored: 0,
      refused: 0,
    });
  }

  forget(workload: WorkloadKey): Promise<readonly string[]> {
    return this.#seatOf(workload).ask('forget', { workload });
  }

  async workloads(): Promise<readonly WorkloadKey[]> {
    return (await Promise.all(this.#seats.map((seat) => seat.ask('workloads', null)))).flat();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#seats.map((seat) => seat.stop()));
  }

  #seatOf(workload: WorkloadKey): Seat {
    const seat = this.#seats[this.#seats.length === 1 ? 0 : hashOf(workload) % this.#seats.length];
    if (seat === undefined) throw new Error('a learner needs at least one seat');
    return seat;
  }
}

/** FNV-1a over UTF-16 units: quick, and even enough to share workloads out. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}
