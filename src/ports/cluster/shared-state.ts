import type { Instant } from '#kube/units';

/** A record that the leader publishes for the other replicas; the newest of a topic and key replaces earlier ones. */
export interface SharedRecord {
  /** `usage`, `summary`, `evidence`: keyed by node. `decision`: keyed by workload. `source`: status of the usage source. */
  readonly topic: 'usage' | 'summary' | 'evidence' | 'decision' | 'source';
  readonly key: string;
  /** When it was read or decided. */
  readonly at: Instant;
  /** A JSON value; null: the decision was deleted. */
  readonly body: unknown;
}

/** A page of changed records. */
export interface SharedChanges {
  readonly records: readonly SharedRecord[];
  /** Continues after this page. */
  readonly cursor: number;
  /** Whether there are changes after the cursor already. */
  readonly more: boolean;
}

/**
 * Records in a store that every replica can read. Only the leader writes; it publishes them all again after its next reading,
 * so that a lost store loses nothing.
 */
export interface SharedState {
  /** Queues the record; it is written within a second while the store is available. A queued record is replaced by a later one of its key. */
  share(record: SharedRecord): void;
  /** Drops the queue when leadership ends: a former leader must not overwrite the records of its successor. */
  discardQueued(): void;
  /**
   * Records that changed after `cursor`, in order, a page at a time; 0 reads every current record. Rejects while the store is
   * unavailable.
   */
  changes(cursor: number): Promise<SharedChanges>;
}
