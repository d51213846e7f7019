// Keeps the recommender's state in the store, so that a restart or a change of leader does not begin again.

import { MINUTE_MS, type DurationMs } from '#kube/units';
import type { Activity, Clock } from '../../ports/clock.ts';
import type { CheckpointStore, UsageCheckpoint } from '../../ports/checkpoint-store.ts';
import type { UsageRecommender, RecommenderMarks } from '../../ports/usage-recommender.ts';
import type { Logger } from '../../ports/logger.ts';

/** A crash loses at most this much learning; a write of all of 25,000 containers is 300 MB, so only what changed is written. */
const SAVE_EVERY_MS: DurationMs = 30 * MINUTE_MS;
/** So many are read before they are taken over. */
const RESTORE_CONCURRENCY = 200;

export interface CheckpointDependencies {
  readonly recommender: UsageRecommender;
  readonly store: CheckpointStore;
  /** Whether this replica leads at this moment, by the clock. */
  readonly isLeader: () => boolean;
  readonly clock: Clock;
  readonly activity: Activity;
  readonly logger: Logger;
}

/** Restores at start, saves what changed from time to time and at the end. Only one replica at a time may save. */
export class Checkpoints {
  readonly #dependencies: CheckpointDependencies;
  #saved: RecommenderMarks | null = null;
  /** Everything that the store holds has been read once: before that a save could put days of history under minutes. */
  #restored = false;
  #saving = false;
  /** Number of the term in which it saves; what a later term has saved stays. */
  #term = 0;
  /** How often the task of saving was given up: a save that is under way ends then. */
  #left = 0;
  #cancel: () => void = () => undefined;

  constructor(dependencies: CheckpointDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * How many containers were restored; whatever this replica knows better than the store stays. A store that is away
   * restores none, and is asked again before anything is saved.
   */
  async restore(): Promise<number> {
    const { store, recommender, logger } = this.#dependencies;
    let restored = 0;
    let refused = 0;
    const take = async (portion: readonly UsageCheckpoint[]): Promise<void> => {
      const taken = await recommender.restore(portion);
      restored += taken.restored;
      refused += taken.refused;
    };
    try {
      const fresh = this.#saved === null && (await recommender.marks()).every((mark) => mark === 0);
      let portion: UsageCheckpoint[] = [];
      for await (const checkpoint of store.loadCheckpoints()) {
        portion.push(checkpoint);
        if (portion.length < RESTORE_CONCURRENCY) continue;
        await take(portion);
        portion = [];
      }
      await take(portion);
      this.#restored = true;
      if (fresh) this.#saved = await recommender.marks();
    } catch (err) {
      logger.warn('Reading checkpoints failed; beginning with what can be learnt, and asking again', { err });
    }
    if (restored + refused > 0) logger.info('Restored what was learnt before', { containers: restored, unreadable: refused });
    return restored;
  }

  /** From now on this replica saves. @param term transitions of its lease; 0: it needs none */
  start(term: number): void {
    this.#saving = true;
    this.#term = term;
    this.#plan();
  }

  /** Another replica saves from now on: what this one knows is not written any more. */
  leave(): void {
    this.#saving = false;
    this.#left += 1;
    this.#cancel();
  }

  async stop(): Promise<void> {
    this.#cancel();
    if (this.#saving) await this.save();
  }

  /** Throws away what is not to be restored again. Never throws: what stays is forgotten again a week after the next start. */
  async delete(keys: readonly string[]): Promise<void> {
    const { store, activity, logger } = this.#dependencies;
    if (!this.#saving) return;
    const end = activity.begin();
    try {
      await store.deleteCheckpoints(keys, this.#term);
    } catch (err) {
      logger.warn('Deleting checkpoints failed', { err, checkpoints: keys.length });
    } finally {
      end();
    }
  }

  /** Writes every container that changed since the last time. Never throws: what failed is written the next time. */
  async save(): Promise<void> {
    const { recommender, store, clock, activity, logger } = this.#dependencies;
    const end = activity.begin();
    const left = this.#left;
    try {
      if (!this.#restored) await this.restore();
      if (!this.#restored || left !== this.#left) return;
      const marks = await recommender.marks();
      const savedAt = clock.now();
      for await (const portion of recommender.changedSince(this.#saved)) {
        const rows = portion.map((checkpoint) => ({ ...checkpoint, savedAt }));
        const laterTerm = await store.saveCheckpoints(rows, this.#term);
        if (laterTerm !== null) this.#refused(laterTerm);
        if (laterTerm !== null || left !== this.#left) return;
      }
      this.#saved = marks;
    } catch (err) {
      logger.warn('Saving checkpoints failed; will retry', { err });
    } finally {
      end();
    }
  }

  #refused(laterTerm: number): void {
    const { isLeader, logger } = this.#dependencies;
    const fields = { term: this.#term, laterTerm };
    if (!isLeader()) {
      logger.warn('Checkpoints were not saved: a later leader has saved them', fields);
      return;
    }
    // A lease that was deleted counts its transitions from 0 again.
    this.#term = laterTerm + 1;
    logger.warn('Stored checkpoints have a later term although this replica leads; will save with the next term', fields);
  }

  #plan(): void {
    const { clock } = this.#dependencies;
    this.#cancel();
    this.#cancel = clock.schedule(clock.now() + SAVE_EVERY_MS, () => {
      this.#plan();
      void this.save();
    });
  }
}
