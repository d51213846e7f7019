// Compares the error rate of the policy's query before a change with that during its stages, to detect regressions.

import { waiting, type Waiting } from '../../model/waiting.ts';
import type { ChangeUnderWay, WorkloadSituation } from '../../model/situation.ts';

/** Error rates below this count as no errors, so that a single error does not roll a change back. */
const FIRST_ERRORS = 0.01;

/** The policy's query with the workload's namespace, kind and name; null: the policy has none. */
export function errorRateQuery({ policy, workload }: Pick<WorkloadSituation, 'policy' | 'workload'>): string | null {
  const { errorRateQuery } = policy.rollback;
  if (errorRateQuery === null) return null;
  const values: Readonly<Record<string, string>> = { namespace: workload.namespace, kind: workload.kind, name: workload.name };
  return errorRateQuery.replaceAll(/\$(namespace|kind|name)\b/g, (whole, field: string) => values[field] ?? whole);
}

/** Whether the error rate has to be queried before this decision is final, because a change is under way or starts. */
export function isErrorRateNeeded(situation: WorkloadSituation, underWay: ChangeUnderWay | null): boolean {
  return situation.policy.rollback.errorRateQuery !== null && situation.errorRate === undefined && underWay !== null;
}

/** Blocks a change until the error rate is known, because regressions could not be detected afterwards. */
export function awaitErrorRate({ policy, errorRate }: WorkloadSituation): Waiting | null {
  if (policy.rollback.errorRateQuery === null || errorRate !== null) return null;
  return waiting(
    'stale-data',
    'spec.rollback.onErrorRateQuery returns no result for the workload, so regressions could not be detected (append `or vector(0)`)',
  );
}

/** Why the change is rolled back for its error rate; null: it is not, or the present rate is unknown. */
export function findErrorRise(change: ChangeUnderWay, errorRate: number | null | undefined): string | null {
  const before = change.errorRateBefore ?? null;
  if (before === null || errorRate === null || errorRate === undefined) return null;
  if (errorRate < FIRST_ERRORS && before < FIRST_ERRORS) return null;
  return errorRate > 2 * before ? `errors rose from ${before} to ${errorRate}` : null;
}
