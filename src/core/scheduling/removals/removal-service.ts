import { NodeRemovals } from './node-removals.ts';
import { newRemovals, type RemovalColumns } from './removal-columns.ts';
import { SchedulingSnapshot } from '../columns/scheduling-snapshot.ts';
import { copyArrays } from '../columns/shared-arrays.ts';
import type { SnapshotChanges, SnapshotColumns } from '../columns/snapshot-columns.ts';

/** "What if each node went", about one state of the cluster. */
export interface RemovalQuestion {
  /** A copy of the columns: the service writes to it. */
  readonly columns: SnapshotColumns;
  /** What has changed since the question before; the first question is about everything. */
  readonly changes: SnapshotChanges;
}

export interface RemovalAnswer {
  readonly removals: RemovalColumns;
  /** Nodes that were computed; the answers of the others are those of the question before. */
  readonly computed: number;
}

/** Answers questions one after the other, each by what has changed since the one before. */
export class RemovalService {
  readonly #result = newRemovals();

  answer({ columns, changes }: RemovalQuestion): RemovalAnswer {
    const removals = new NodeRemovals(new SchedulingSnapshot(columns), this.#result);
    const computed = removals.update(changes);
    // Without the service's own arrays, which it changes with the next question.
    return { removals: copyArrays(this.#result), computed };
  }
}
