// The error rate that a policy names as a sign of harm: known before a change, compared while it proves itself.

import { waiting, type Waiting } from '../model/waiting.ts';
import type { ChangeUnderWay, WorkloadSituation } from '../model/situation.ts';

/** Where there were no errors before, fewer than this are none: a single one must not take a change back. */
const FIRST_ERRORS = 0.01;

/** The policy's query for one workload. */
export function errorRateQuery({ policy, workload }: Pick<WorkloadSituation, 'policy' | 'workload'>): string | null {
  const { errorRateQuery } = policy.rollback;
  if (errorRateQuery === null) return null;
  const values: Readonly<Record<string, string>> = { namespace: workload.namespace, kind: workload.kind, name: workload.name };
  return errorRateQuery.replaceAll(/\$(namespace|kind|name)\b/g, (whole, field: string) => values[field] ?? whole);
}

/** Whether the rate has to be asked before this may be decided for good: something is, or is about to be, under way. */
export function needsErrorRate(situation: WorkloadSituation, underWay: ChangeUnderWay | null): boolean {
  return situation.policy.rollback.errorRateQuery !== null && situation.errorRate === undefined && underWay !== null;
}

/** What could not be judged afterwards is not begun. */
export function untilErrorRateIsKnown({ policy, errorRate }: WorkloadSituation): Waiting | null {
  if (policy.rollback.errorRateQuery === null || errorRate !== null) return null;
  return waiting(
    'stale-data',
    'spec.rollback.onErrorRateQuery answers nothing for it, so that harm would not be seen (a query may end in `or vector(0)`)',
  );
}

/** Why the change should be taken back; null: not for its errors. A rate that is not known now is no sign. */
export function tooManyErrors(change: ChangeUnderWay, errorRate: number | null | undefined): string | null {
  const before = change.errorRateBefore ?? null;
  if (before === null || errorRate === null || errorRate === undefined) return null;
  if (errorRate < FIRST_ERRORS && before < FIRST_ERRORS) return null;
  return errorRate > 2 * before ? `errors rose from ${before} to ${errorRate}` : null;
}
