// Saves the recommender's state in the store, so that a restart or a change of leader loses no history.

import { MINUTE_MS, SECOND_MS, type DurationMs } from '#kube/units';
import type { Activity, Clock } from '../../ports/clock.ts';
import type { CheckpointStore, UsageCheckpoint } from '../../ports/usage/checkpoint-store.ts';
import type { UsageRecommender, SequenceNumbers } from '../../ports/usage/usage-recommender.ts';
import type { Logger } from '../../ports/logger.ts';

/** A crash loses at most this much history. All of 25,000 containers would be 300 MB, so only changed ones are written. */
const SAVE_EVERY_MS: DurationMs = 30 * MINUTE_MS;
/** After a kill its container is saved: the last usage before it is known now, and not to the next process. */
const SAVE_KILLED_AFTER_MS: DurationMs = 5 * SECOND_MS;
/** Checkpoints that are restored together. */
const RESTORE_BATCH = 200;

export interface CheckpointDependencies {
  readonly recommender: UsageRecommender;
  readonly store: CheckpointStore;
  /** Whether this replica holds the lease, by the clock. */
  readonly isLeader: () => boolean;
  readonly clock: Clock;
  readonly activity: Activity;
  readonly logger: Logger;
}

/** Restores at start, and saves changed containers periodically and at the end. Only the leader saves. */
export class Checkpoints {
  readonly #dependencies: CheckpointDependencies;
  #saved: SequenceNumbers | null = null;
  /** Whether the store has been read completely: before that, a save could replace days of history by minutes. */
  #restored = false;
  #isFirstRestore = true;
  #saving = false;
  /** Number of the leader's term; checkpoints of a later term are not overwritten. */
  #term = 0;
  /** Number of terms that have ended: a save of an ended term stops. */
  #endedTerms = 0;
  #cancel: () => void = () => undefined;
  /** Keys of containers that are saved soon. */
  #soon = new Set<string>();

  constructor(dependencies: CheckpointDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Merges what the store has of each container with what this replica has learnt. Where the store cannot be reached, nothing is merged, and
   * it is read again before the next save.
   * @returns the number of restored containers
   */
  async restore(): Promise<number> {
    const { store, recommender, logger } = this.#dependencies;
    // Until it has been read again, a save could replace what another leader has saved.
    this.#restored = false;
    let restored = 0;
    let refused = 0;
    const restorePortion = async (portion: readonly UsageCheckpoint[]): Promise<void> => {
      const result = await recommender.restore(portion);
      restored += result.restored;
      refused += result.refused;
    };
    try {
      // Asked at start only. A thread that was replaced answers questions once this restore has ended, so that asking would wait forever.
      const isEmpty = this.#isFirstRestore && (await recommender.sequenceNumbers()).every((mark) => mark === 0);
      this.#isFirstRestore = false;
      let portion: UsageCheckpoint[] = [];
      for await (const checkpoint of store.loadCheckpoints()) {
        portion.push(checkpoint);
        if (portion.length < RESTORE_BATCH) continue;
        await restorePortion(portion);
        portion = [];
      }
      await restorePortion(portion);
      this.#restored = true;
      if (isEmpty) this.#saved = await recommender.sequenceNumbers();
    } catch (err) {
      logger.warn('Reading checkpoints failed; starting without them, and retrying before the next save', { err });
    }
    if (restored + refused > 0) logger.info('Restored checkpoints', { containers: restored, unreadable: refused });
    return restored;
  }

  /**
   * Starts to save.
   * @param term transitions of the lease; 0 where no lease is needed
   */
  start(term: number): void {
    this.#saving = true;
    this.#term = term;
    this.#scheduleSave();
  }

  /** Stops to save without a last write: another replica saves from then on. */
  leave(): void {
    this.#saving = false;
    this.#endedTerms += 1;
    this.#cancel();
  }

  async stop(): Promise<void> {
    this.#cancel();
    if (this.#saving) await this.save();
  }

  /** Deletes checkpoints. Never throws: workloads that remain in the store are forgotten a week after the next start. */
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

  /** Saves some containers in a few seconds, together with those of further calls. @param keys of their checkpoints */
  saveSoon(keys: readonly string[]): void {
    if (!this.#saving) return;
    const { clock } = this.#dependencies;
    if (this.#soon.size === 0) clock.schedule(clock.now() + SAVE_KILLED_AFTER_MS, () => void this.#saveKeys());
    for (const key of keys) this.#soon.add(key);
  }

  /** Never throws: the next save writes them, too. */
  async #saveKeys(): Promise<void> {
    const { recommender, store, clock, activity, logger } = this.#dependencies;
    const keys = [...this.#soon];
    this.#soon = new Set();
    // What the store has of a container is read before it is replaced.
    if (!this.#saving || !this.#restored) return;
    const end = activity.begin();
    try {
      const savedAt = clock.now();
      const rows = (await recommender.checkpointsOf(keys)).map((checkpoint) => ({ ...checkpoint, savedAt }));
      const laterTerm = await store.saveCheckpoints(rows, this.#term);
      if (laterTerm !== null) this.#handleLaterTerm(laterTerm);
    } catch (err) {
      logger.warn('Saving the checkpoints of killed containers failed; the next save writes them', { err });
    } finally {
      end();
    }
  }

  /** Writes every container that has changed since the last save. Never throws: the next save writes what failed. */
  async save(): Promise<void> {
    const { recommender, store, clock, activity, logger } = this.#dependencies;
    const end = activity.begin();
    const endedTerms = this.#endedTerms;
    try {
      if (!this.#restored) await this.restore();
      if (!this.#restored || endedTerms !== this.#endedTerms) return;
      const sequenceNumbers = await recommender.sequenceNumbers();
      const savedAt = clock.now();
      for await (const portion of recommender.changedSince(this.#saved)) {
        const rows = portion.map((checkpoint) => ({ ...checkpoint, savedAt }));
        const laterTerm = await store.saveCheckpoints(rows, this.#term);
        if (laterTerm !== null) this.#handleLaterTerm(laterTerm);
        if (laterTerm !== null || endedTerms !== this.#endedTerms) return;
      }
      this.#saved = sequenceNumbers;
    } catch (err) {
      logger.warn('Saving checkpoints failed; will retry', { err });
    } finally {
      end();
    }
  }

  #handleLaterTerm(laterTerm: number): void {
    const { isLeader, logger } = this.#dependencies;
    const fields = { term: this.#term, laterTerm };
    if (!isLeader()) {
      logger.warn('Checkpoints were not saved: a later leader has saved them', fields);
      return;
    }
    // The transitions of a lease that was deleted and created again count from 0.
    this.#term = laterTerm + 1;
    logger.warn('Stored checkpoints have a later term although this replica leads; will save with the next term', fields);
  }

  #scheduleSave(): void {
    const { clock } = this.#dependencies;
    this.#cancel();
    this.#cancel = clock.schedule(clock.now() + SAVE_EVERY_MS, () => {
      this.#scheduleSave();
      void this.save();
    });
  }
}
