// What is written back this time because nodes would not or could not carry it out, and what is said of it.

import type { ResizeStep } from '../model/resize-step.ts';
import { outcome, type Outcome } from '../model/decision.ts';
import type { DecisionNote } from '../model/decision-note.ts';
import { WAITS_FOR } from './carry-out.ts';
import { rememberFailures, writeBackOf } from './failed-resizes.ts';
import type { FailedResize, WorkloadSituation } from '../model/situation.ts';

export interface WriteBacks {
  /** To be remembered; null: as before. */
  readonly failures: readonly FailedResize[] | null;
  readonly steps: readonly ResizeStep[];
  readonly notes: readonly DecisionNote[];
  /** null: nothing is written back. */
  readonly outcome: Outcome | null;
}

export function writeBacks(situation: WorkloadSituation): WriteBacks {
  const { pods, memory } = situation;
  const backs = pods.flatMap((pod) => writeBackOf(pod, situation) ?? []);
  const failures = rememberFailures(
    memory.failures,
    backs.map(({ failure }) => failure),
    situation,
  );
  const [first] = backs;
  const changed = backs.length > 0 || failures.length !== memory.failures.length;
  return {
    failures: changed ? failures : null,
    steps: backs.map(({ pod, containers, failure }) => ({
      pod,
      containers,
      kind: 'write-back',
      lowers: false,
      because: `the node says ${failure.state}: ${failure.message}`,
    })),
    notes: backs.map(({ pod, failure }) => ({
      type: 'Warning',
      reason: 'ResizeWrittenBack',
      message: `${pod.name}: ${failure.state}, ${failure.message}`,
    })),
    outcome: first === undefined ? null : outcome('awaiting', WAITS_FOR[first.failure.code], `${first.pod.name}: ${first.failure.message}`),
  };
}
