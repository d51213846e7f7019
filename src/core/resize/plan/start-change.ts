// Starts a change where one is due, a user's decision allows it and nothing holds it; else says what it waits for.

import { countOf, formatCountOrPercent } from '../../model/count-or-percent.ts';
import { rememberIncreases } from './cpu-increases.ts';
import { rememberCpuLimitSteps } from './cpu-limit.ts';
import { beyondAutoscalers } from './autoscaler-bounds.ts';
import { bumpsOfChange } from './oom-bumps.ts';
import type { Draft } from './draft.ts';
import type { DueChange } from './due-changes.ts';
import { throttledRatioOf } from './roll-back-criteria.ts';
import { holdsDecisions, outlivesHold, partedByHolds } from './interlocks.ts';
import { begun } from './remembered-change.ts';
import { inForceOf, merged, reasonOf, currentApproval, currentRejection, valuesFor } from './plan-due-changes.ts';
import type { ApprovalState } from './user-requests.ts';
import { sameValues, valuesOf, type Values } from '../model/container-values.ts';
import { fromWaiting, outcome, type Outcome } from '../model/decision.ts';
import type { ChangeUnderWay, WorkloadSituation } from '../model/situation.ts';

/** What `maxConcurrent` comes to at least, where it is a share. */
const MIN_CONCURRENT = 10;

/** The change is then under way: `memory.apply` of the draft. */
export function startChange(draft: Draft): Outcome {
  const approval: ApprovalState = draft.mode === 'Approve' ? currentApproval(draft.plan) : { kind: 'none' };
  const approved = approval.kind === 'valid' ? approval : null;
  const wanted = draft.due(approved?.values);
  if (wanted.length === 0) return nothingDue(draft);
  const rejected = currentRejection(draft.plan);
  if (rejected !== null) return rejected;
  const held = holdsDecisions(draft.context);
  const due = wanted.filter((change) => held === null || outlivesHold(draft.context, change));
  if (due.length === 0) return fromWaiting(held === null ? [] : [held], draft.unchanged());
  if (draft.mode === 'Approve' && approved === null) return awaitApproval(draft, approval);
  const { allowed, waits } = partedByHolds(draft.context, due, approved !== null);
  if (allowed.length === 0) return fromWaiting(waits, draft.unchanged());
  const full = concurrencyReached(draft.context);
  const now = full === null ? allowed : notDelayed(allowed, approved !== null);
  if (full !== null && now.length === 0) return full;
  const values = approved === null ? valuesFor(draft.containers, now) : merged(draft.containers, approved.values);
  if (approved !== null) return begin(draft, values, { reason: reasonOf(now), by: approved.by });
  return begin(draft, values, { reason: reasonOf(now), by: 'evenkeel', endsIncrease: endOnlyIncreases(now) });
}

/** null: there is a place for one more workload. */
function concurrencyReached({ policy, otherWorkloadsUnderWay: others, governedWorkloads }: WorkloadSituation): Outcome | null {
  const { maxConcurrent } = policy;
  const most = countOf(maxConcurrent, governedWorkloads, MIN_CONCURRENT);
  if (others < most) return null;
  const share = maxConcurrent.kind === 'count' ? '' : ` of ${governedWorkloads}, so ${most}`;
  const words = `${others} other workloads are being resized; maxConcurrent is ${formatCountOrPercent(maxConcurrent)}${share}`;
  return outcome('awaiting', 'concurrency', words);
}

/** Raises wait for no other workload. What a person has approved is carried out as a whole or not at all. */
function notDelayed(changes: readonly DueChange[], isApproved: boolean): readonly DueChange[] {
  const raises = changes.filter(({ direction }) => direction === 'raise');
  if (!isApproved) return raises;
  return raises.length === changes.length || raises.some(({ urgent }) => urgent) ? changes : [];
}

function nothingDue(draft: Draft): Outcome {
  if (draft.mode !== 'Approve' || draft.due().length === 0) {
    return beyondAutoscalers(draft.containers, draft.context.now) ?? draft.unchanged();
  }
  return (
    currentRejection(draft.plan) ?? outcome('awaiting', 'approval', `what was approved is in force; newly recommended: ${draft.summary()}`)
  );
}

function awaitApproval(draft: Draft, approval: ApprovalState): Outcome {
  if (approval.kind !== 'lapsed') return outcome('awaiting', 'approval', draft.summary());
  draft.notes.push({ type: 'Normal', reason: 'ApprovalLapsed', message: approval.message });
  return outcome('awaiting', 'approval', `${approval.message}; ${draft.summary()}`);
}

/** Nothing is lowered below what was in force before it was raised for a while. */
function endOnlyIncreases(changes: readonly DueChange[]): boolean {
  return changes.every((change) => change.endsIncrease === true);
}

function begin(draft: Draft, values: Values, why: Pick<ChangeUnderWay, 'reason' | 'by' | 'endsIncrease'>): Outcome {
  const { now, errorRate = null } = draft.context;
  const inForce = inForceOf(draft.containers);
  if ([...values].every(([name, to]) => sameValues(inForce.get(name) ?? to, to))) return draft.unchanged();
  const change: ChangeUnderWay = {
    startedAt: now,
    stage: 'Canary',
    stageStartedAt: now,
    throttledRatioBefore: throttledRatioOf(draft.context),
    errorRateBefore: errorRate,
    ...why,
    values,
  };
  draft.remember({
    ...begun(draft.memory, change, inForce),
    // What a person has approved is no increase of ours.
    ...(why.by === 'evenkeel' ? rememberIncreases(draft.memory, draft.containers, inForce, values) : {}),
    ...rememberCpuLimitSteps(draft.memory, draft.containers, values, now),
    oomBumps: bumpsOfChange(draft.memory, draft.containers, values, now),
    // A later deploy is recognised by it.
    ...(draft.memory.template.size === 0 ? { template: valuesOf(draft.context.workload) } : {}),
  });
  return outcome('applying', null, draft.summary());
}
