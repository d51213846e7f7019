import { findApprovalBlocker, withoutApproval } from '../../commands/recommendations/approve-recommendation.ts';
import { isStillInForce } from '../../commands/recommendations/stored-request.ts';
import { recommendedValues } from '../../commands/recommendations/recommended-values.ts';
import { describeNothingToRollBack, hasPrevious, withoutRollBack } from '../../commands/recommendations/rollback-recommendation.ts';
import { isoTime } from '#kube/time/iso-time';
import { requestCommand, type RequestSpec } from './request-command.ts';
import { describeValues } from './value-text.ts';

export const APPROVE: RequestSpec = {
  name: 'approve',
  summary: 'approve the recommended values of a workload in mode Approve',
  help: [
    'Approves the values that the Recommendation shows now. They are carried out as soon as nothing blocks them, and the',
    'approval lapses after 7 days or when the recommendation rises.',
  ],
  options: {},
  async run({ api, recommendation, workload, server }) {
    const { status } = recommendation;
    const containers = recommendedValues(status);
    const mode = status?.mode ?? 'Recommend';
    const ineffective = withoutApproval(mode);
    if (ineffective !== null) return { kind: 'refused', message: `${workload} is in mode ${mode}: ${ineffective}` };
    const blocker = findApprovalBlocker(status);
    if (blocker !== null) return { kind: 'refused', message: `${workload}: ${blocker}` };
    if (containers.length === 0)
      return { kind: 'refused', message: `${workload}: nothing is recommended yet, so there is nothing to approve.` };
    const { approved, rejected } = recommendation.spec;
    if (rejected === undefined && isStillInForce(approved, containers, status, server.now))
      return { kind: 'done', message: `already approved for ${workload}: ${describeValues(status)}` };
    await api.changeSpec(recommendation, { approved: { by: server.user, at: isoTime(server.now), containers }, rejected: null });
    return { kind: 'done', message: `approved for ${workload}: ${describeValues(status)}` };
  },
};

export const REJECT: RequestSpec = {
  name: 'reject',
  summary: 'reject the recommended values of a workload for 7 days',
  help: ['The values that the Recommendation shows now are not recommended again for 7 days, unless they change.'],
  options: {},
  async run({ api, recommendation, workload, server }) {
    const { status } = recommendation;
    const containers = recommendedValues(status);
    if (containers.length === 0)
      return { kind: 'refused', message: `${workload}: nothing is recommended yet, so there is nothing to reject.` };
    const { approved, rejected } = recommendation.spec;
    if (approved === undefined && isStillInForce(rejected, containers, undefined, server.now))
      return { kind: 'done', message: `already rejected for ${workload}: ${describeValues(status)}` };
    await api.changeSpec(recommendation, { rejected: { by: server.user, at: isoTime(server.now), containers }, approved: null });
    return { kind: 'done', message: `rejected for ${workload}: ${describeValues(status)}` };
  },
};

export const ROLLBACK: RequestSpec = {
  name: 'rollback',
  summary: 'roll a workload back to the values before its last change',
  help: ['Automatic changes are then on hold for 24 hours; `evenkeel resume` ends the hold.'],
  options: {},
  async run({ api, recommendation, workload, server }) {
    const { status } = recommendation;
    const mode = status?.mode ?? 'Recommend';
    const ineffective = withoutRollBack(mode);
    if (ineffective !== null) return { kind: 'refused', message: `${workload} is in mode ${mode}: ${ineffective}` };
    if (!hasPrevious(status))
      return { kind: 'refused', message: `${workload}: ${describeNothingToRollBack(status?.rolledBack, server.now)}` };
    await api.changeSpec(recommendation, { rollback: { by: server.user, at: isoTime(server.now) }, approved: null });
    return { kind: 'done', message: `requested a roll-back of ${workload} to the values before its last change` };
  },
};

export const approveCommand = requestCommand(APPROVE);
export const rejectCommand = requestCommand(REJECT);
export const rollbackCommand = requestCommand(ROLLBACK);
