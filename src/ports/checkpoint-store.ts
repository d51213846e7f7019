import type { Instant } from '#kube/units';

/** Compact state of one container's recommender, kept so that a restart does not begin again. */
export interface UsageCheckpoint {
  /** `namespace/kind/name/container`. */
  readonly key: string;
  readonly savedAt: Instant;
  /** Version of the encoding; a reader that does not know it ignores the checkpoint. */
  readonly version: number;
  readonly data: Uint8Array;
}

/** Where the recommender's state outlives a restart. Reads and writes reject while the store is away. */
export interface CheckpointStore {
  /**
   * Replaces what is stored under the same keys, except checkpoints that a later term has saved: a deposed leader may save late.
   * Returns the greatest of those later terms; null: everything was written.
   */
  saveCheckpoints(checkpoints: readonly UsageCheckpoint[], term: number): Promise<number | null>;
  loadCheckpoints(): AsyncIterable<UsageCheckpoint>;
  /** Checkpoints that a later term has saved stay. */
  deleteCheckpoints(keys: readonly string[], term: number): Promise<void>;
}
