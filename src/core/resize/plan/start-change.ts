// Starts a change where one is due, approved if required, and not blocked; otherwise reports what it waits for.

import { resolveCount, formatCountOrPercent } from '../../model/count-or-percent.ts';
import { recordIncreases } from './due/cpu-increases.ts';
import { recordCpuLimitSteps } from './container/cpu-limit.ts';
import { bumpsOfChange } from './container/oom-bumps.ts';
import type { Draft } from './draft.ts';
import type { DueChange } from './due/due-changes.ts';
import { throttledRatioOf } from './verify/roll-back-criteria.ts';
import { findHold, isAllowedDuringHold, splitByBlockers } from './blockers/blockers.ts';
import { memoryAfterStart } from './due/remembered-change.ts';
import { approvedPart, inForceOf, reasonOf, currentApproval, currentRejection, valuesFor } from './plan-due-changes.ts';
import type { ApprovalState } from './due/user-requests.ts';
import { hasSameValues, valuesOf, type Values } from '../model/container-values.ts';
import { outcomeOfWaiting, outcome, type Outcome } from '../model/decision.ts';
import type { ChangeUnderWay, WorkloadSituation } from '../model/situation.ts';

/** Minimum of `maxConcurrent` where it is a percentage. */
const MIN_CONCURRENT = 10;

/** Starts the due change: it is then in `memory.apply` of the draft. */
export function startChange(draft: Draft): Outcome {
  const approval: ApprovalState = draft.mode === 'Approve' ? currentApproval(draft.plan) : { kind: 'none' };
  const approved = approval.kind === 'valid' ? approval : null;
  const wanted = draft.due(approved?.values);
  if (wanted.length === 0) return decideNothingDue(draft);
  const rejected = currentRejection(draft.plan);
  if (rejected !== null) return rejected;
  const blocker = findHold(draft.context);
  const due = wanted.filter((change) => blocker === null || isAllowedDuringHold(draft.context, change));
  if (due.length === 0) return outcomeOfWaiting(blocker === null ? [] : [blocker], draft.unchanged());
  if (draft.mode === 'Approve' && approved === null) return awaitApproval(draft, due, approval);
  const { allowed, waits } = splitByBlockers(draft.context, due, approved !== null);
  if (allowed.length === 0) return outcomeOfWaiting(waits, draft.unchanged());
  const concurrency = awaitConcurrency(draft.context);
  // `maxConcurrent` delays reductions alone.
  const now = concurrency === null ? allowed : allowed.filter(({ direction }) => direction === 'raise');
  if (concurrency !== null && now.length === 0) return concurrency;
  const values = approved === null ? valuesFor(draft.containers, now) : approvedPart(draft.containers, approved.values, now);
  if (approved !== null) return begin(draft, values, { reason: reasonOf(now), by: approved.by });
  return begin(draft, values, { reason: reasonOf(now), by: 'evenkeel', endsIncrease: hasOnlyIncreaseEnds(now) });
}

/** Whether an earlier part of the same approval was applied: a roll-back returns to the values before all of it. */
function isFurtherPart({ memory: { lastApplied }, context }: Draft, by: string): boolean {
  const { approved } = context.userRequests;
  return approved !== null && approved.by === by && lastApplied?.by === by && lastApplied.at >= approved.at;
}

/** Outcome where `maxConcurrent` is reached; null: another workload may be reduced. */
function awaitConcurrency({ policy, otherWorkloadsUnderWay: others, governedWorkloads }: WorkloadSituation): Outcome | null {
  const { maxConcurrent } = policy;
  const most = resolveCount(maxConcurrent, governedWorkloads, MIN_CONCURRENT);
  if (others < most) return null;
  const share = maxConcurrent.kind === 'count' ? '' : ` of ${governedWorkloads}, so ${most}`;
  const words = `${others} other workloads are being resized; maxConcurrent is ${formatCountOrPercent(maxConcurrent)}${share}`;
  return outcome('awaiting', 'concurrency', words);
}

function decideNothingDue(draft: Draft): Outcome {
  if (draft.mode !== 'Approve' || draft.due().length === 0) return draft.unchanged();
  return (
    currentRejection(draft.plan) ??
    outcome('awaiting', 'approval', `the approved values are in force; newly recommended: ${draft.summary()}`)
  );
}

/** Outcome where autoscalers block every due change for good, which no approval changes; null: an approval is awaited. */
function awaitAutoscalers(draft: Draft, due: readonly DueChange[]): Outcome | null {
  const { allowed, waits } = splitByBlockers(draft.context, due, true);
  const isLasting = allowed.length === 0 && waits.every(({ reason, until }) => reason === 'hpa' && until === null);
  return isLasting ? outcomeOfWaiting(waits, draft.unchanged()) : null;
}

function awaitApproval(draft: Draft, due: readonly DueChange[], approval: ApprovalState): Outcome {
  const blocked = awaitAutoscalers(draft, due);
  if (blocked !== null) return blocked;
  if (approval.kind !== 'lapsed') return outcome('awaiting', 'approval', draft.summary());
  draft.events.push({ type: 'Normal', reason: 'ApprovalLapsed', message: approval.message });
  return outcome('awaiting', 'approval', `${approval.message}; ${draft.summary()}`);
}

/** Whether the changes only end temporary increases. */
function hasOnlyIncreaseEnds(changes: readonly DueChange[]): boolean {
  return changes.every((change) => change.endsIncrease === true);
}

function begin(draft: Draft, values: Values, why: Pick<ChangeUnderWay, 'reason' | 'by' | 'endsIncrease'>): Outcome {
  const { now, errorRate = null } = draft.context;
  const inForce = inForceOf(draft.containers);
  if ([...values].every(([name, to]) => hasSameValues(inForce.get(name) ?? to, to))) return draft.unchanged();
  const change: ChangeUnderWay = {
    startedAt: now,
    stage: 'Canary',
    stageStartedAt: now,
    throttledRatioBefore: throttledRatioOf(draft.context),
    errorRateBefore: errorRate,
    ...why,
    values,
  };
  const { previous } = draft.memory;
  draft.remember({
    ...memoryAfterStart(draft.memory, change, inForce),
    ...(previous !== null && isFurtherPart(draft, why.by) ? { previous } : {}),
    // An approved raise is no temporary increase.
    ...(why.by === 'evenkeel' ? recordIncreases(draft.memory, draft.containers, inForce, values) : {}),
    ...recordCpuLimitSteps(draft.memory, draft.containers, values, now),
    oomBumps: bumpsOfChange(draft.memory, draft.containers, values, now),
    // The stored template shows later deployments.
    ...(draft.memory.template.size === 0 ? { template: valuesOf(draft.context.workload) } : {}),
  });
  return outcome('applying', null, draft.summary());
}
