import type { Instant } from '#kube/units';

/** Encoded state of one container's recommender; a restart continues from it. */
export interface UsageCheckpoint {
  /** `namespace/kind/name/container`. */
  readonly key: string;
  readonly savedAt: Instant;
  /** Version of the encoding; a checkpoint of an unknown version is ignored. */
  readonly version: number;
  readonly data: Uint8Array;
}

/** Stores the recommender's state. Reads and writes reject while the store is unavailable. */
export interface CheckpointStore {
  /**
   * Writes checkpoints, except over those of a later leadership term: a former leader may write late. Returns the highest such
   * term; null: everything was written.
   */
  saveCheckpoints(checkpoints: readonly UsageCheckpoint[], term: number): Promise<number | null>;
  loadCheckpoints(): AsyncIterable<UsageCheckpoint>;
  /** Deletes checkpoints, except those of a later term. */
  deleteCheckpoints(keys: readonly string[], term: number): Promise<void>;
}
