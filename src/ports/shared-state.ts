import type { Instant } from '#kube/units';

/** What the leader tells the other replicas; the newest of a topic and key is the one that stands. */
export interface SharedRecord {
  /** `usage`, `summary`, `evidence`: by node. `decision`: by workload. `source`: what usage is read from. */
  readonly topic: 'usage' | 'summary' | 'evidence' | 'decision' | 'source';
  readonly key: string;
  /** When it was true. */
  readonly at: Instant;
  /** A JSON value; null of a decision that stands no more. */
  readonly body: unknown;
}

export interface SharedChanges {
  readonly records: readonly SharedRecord[];
  /** Where to go on the next time. */
  readonly cursor: number;
  /** There is more behind the cursor already. */
  readonly more: boolean;
}

/**
 * The part of a store that more than one replica can read. One replica, the leader, writes; losing it loses nothing that
 * the leader would not tell again within its next reading.
 */
export interface SharedState {
  /** Queued, and written within a second while the store answers. Of what waits, a later record replaces an earlier of the same key. */
  share(record: SharedRecord): void;
  /** What was shared and is not written yet never will be: who leads no more must not write over what its successor tells. */
  withdraw(): void;
  /**
   * What changed after `cursor`, in the order of the changes, a page at a time; from 0 on everything that stands. Rejects
   * when the store is away.
   */
  changes(cursor: number): Promise<SharedChanges>;
}
