import { PLURALS } from '../../apis/v1alpha1/index.ts';
import { OPERATOR_OF_TARGET } from '../../core/access/requirement.ts';
import { workloadKey, type WorkloadRecord } from '#kube/records/workload';
import { withReason } from './approve-recommendation.ts';
import { recordAudit } from '../audit.ts';
import type { Command, OnWorkload, ReasonBody } from '../command.ts';
import { COMMAND_EVENT } from '../context.ts';
import { findTarget } from '../find-target.ts';
import { NOT_REACHED } from '../guarded-write.ts';
import { refusalOf } from '../outcome.ts';

/** Deletes the Recommendation of a workload with its memory; the controller creates a new one from the recorded usage. */
export const deleteRecommendation: Command<OnWorkload<ReasonBody>, WorkloadRecord> = {
  requires: OPERATOR_OF_TARGET,
  async run(ports, caller, { target, body }) {
    const resolved = findTarget(ports, caller, target);
    if (resolved.kind !== 'workload') return resolved;
    const { workload } = resolved;
    const recommendation = ports.cluster.findRecommendation(workloadKey(workload));
    if (recommendation === undefined) {
      return { kind: 'not-found', message: `${workload.kind} ${workload.name} has no Recommendation object.` };
    }
    const { name, namespace = workload.namespace, uid = '' } = recommendation.metadata;
    const audit = {
      action: 'DeleteRecommendation',
      eventReason: COMMAND_EVENT.recommendationDeleted,
      subject: { apiVersion: recommendation.apiVersion, kind: recommendation.kind, namespace, name, uid },
      message: withReason(`${caller.scope.actor} deleted the Recommendation; a new one is created from the recorded usage`, body.reason),
      before: recommendation.spec,
      after: null,
    } as const;
    let outcome;
    try {
      outcome = await ports.records.delete({ plural: PLURALS.Recommendation, namespace, name }, undefined, { dryRun: caller.dryRun });
    } catch (error) {
      ports.logger.warn('Deleting Recommendation failed', { object: `${namespace}/${name}`, err: error });
      recordAudit(ports, caller, { ...audit, outcome: 'error' });
      return { kind: 'unavailable', message: NOT_REACHED };
    }
    // Already deleted, which is the requested state.
    const refusal = outcome.kind === 'gone' ? null : refusalOf(outcome, `Recommendation ${name}`);
    recordAudit(ports, caller, { ...audit, outcome: refusal === null ? 'allowed' : 'error' });
    if (refusal === null && !caller.dryRun) {
      ports.written?.(() => ports.cluster.findRecommendation(workloadKey(workload))?.metadata.uid !== recommendation.metadata.uid);
    }
    return refusal ?? { kind: 'done', item: workload, dryRun: caller.dryRun };
  },
};
