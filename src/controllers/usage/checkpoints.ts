// Keeps the recommender's state in the store, so that a restart does not begin again.

import { MINUTE_MS, type DurationMs } from '../../core/model/units.ts';
import type { Recommender } from '../../core/rightsizing/recommender.ts';
import type { Activity, Clock } from '../../ports/clock.ts';
import type { History } from '../../ports/history.ts';
import type { Logger } from '../../ports/logger.ts';

/** A crash loses at most this much learning; a write of all of 25,000 containers is 300 MB, so only what changed is written. */
const SAVE_EVERY_MS: DurationMs = 30 * MINUTE_MS;

export interface CheckpointParts {
  readonly recommender: Recommender;
  readonly history: Pick<History, 'saveCheckpoints' | 'loadCheckpoints' | 'deleteCheckpoints'>;
  readonly clock: Clock;
  readonly activity: Activity;
  readonly logger: Logger;
}

/** Restores at start, saves what changed from time to time and at the end. */
export class Checkpoints {
  readonly #parts: CheckpointParts;
  #savedSequence = 0;
  #cancel: () => void = () => undefined;

  constructor(parts: CheckpointParts) {
    this.#parts = parts;
  }

  /** How many containers were restored. A store that is away, or of another version, restores none. */
  async restore(): Promise<number> {
    const { history, recommender, logger } = this.#parts;
    let restored = 0;
    let refused = 0;
    try {
      for await (const checkpoint of history.loadCheckpoints()) {
        if (recommender.restore(checkpoint)) restored += 1;
        else refused += 1;
      }
    } catch (err) {
      logger.warn('Reading checkpoints failed; the recommender begins with what it can learn again', { err });
    }
    this.#savedSequence = recommender.sequence;
    if (restored + refused > 0) logger.info('Restored what was learnt before', { containers: restored, unreadable: refused });
    return restored;
  }

  start(): void {
    const { clock } = this.#parts;
    this.#cancel = clock.schedule(clock.now() + SAVE_EVERY_MS, () => {
      this.start();
      void this.save();
    });
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.save();
  }

  /** Throws away what is not to be restored again. Never throws: what stays is forgotten again a week after the next start. */
  async delete(keys: readonly string[]): Promise<void> {
    const { history, activity, logger } = this.#parts;
    const end = activity.begin();
    try {
      await history.deleteCheckpoints(keys);
    } catch (err) {
      logger.warn('Deleting checkpoints failed', { err, checkpoints: keys.length });
    } finally {
      end();
    }
  }

  /** Writes every container that changed since the last time. Never throws: what failed is written the next time. */
  async save(): Promise<void> {
    const { recommender, history, clock, activity, logger } = this.#parts;
    const end = activity.begin();
    const sequence = recommender.sequence;
    const savedAt = clock.now();
    try {
      const changed = [...recommender.checkpoints(this.#savedSequence)];
      await history.saveCheckpoints(changed.map((checkpoint) => ({ ...checkpoint, savedAt })));
      this.#savedSequence = sequence;
    } catch (err) {
      logger.warn('Saving checkpoints failed; will retry', { err });
    } finally {
      end();
    }
  }
}
