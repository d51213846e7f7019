import { bytes, floats, ints, type Bytes, type Floats, type Ints } from '../columns/shared-arrays.ts';
import { NONE } from '../columns/snapshot-columns.ts';

/** What becomes of a pod if its node goes, by number. */
export const POD_OUTCOMES = [
  ...['moves', 'goes with the node', 'has no controller', 'is protected', 'has several budgets', 'its budget allows no eviction'],
  ...['is not modelled', 'fits on no node by its own rules', 'fits on no other node'],
] as const;

export const MOVES = 0;
export const GOES = 1;
export const UNOWNED = 2;
export const PROTECTED = 3;
export const BLOCKED_BY_BUDGETS = 4;
export const BLOCKED_BY_BUDGET = 5;
export const UNMODELLED = 6;
export const EXCLUDED = 7;
export const NO_ROOM = 8;

/** Answers to "what if this node went", as columns in shared memory. */
export interface RemovalColumns {
  /** By slot of the pod: where it would go; NONE: nowhere. */
  destination: Ints;
  /** By slot: one of POD_OUTCOMES. */
  outcome: Bytes;
  /** By slot: the score of the destination. */
  score: Floats;
  /** By node: pods that block its removal. */
  blockers: Ints;
}

export function newRemovals(): RemovalColumns {
  return { destination: ints(16, NONE), outcome: bytes(16), score: floats(16), blockers: ints(16) };
}
