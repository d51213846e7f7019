// Annotates a workload with ceilings that a user has approved. The approval is stored in the Recommendation first, so a crash before
// this write only delays it.

import { WORKLOAD_ANNOTATIONS } from '../../../apis/annotations.ts';
import { formatAmount } from '#kube/quantity';
import { workloadPath, type WorkloadRecord } from '#kube/records/workload';
import { mergeBounds } from '../../../core/overrides/merge-bounds.ts';
import { updateNotes } from '../../../core/overrides/override-notes.ts';
import type { WorkloadDecision } from '../../../core/resize/model/decision.ts';
import type { RecommendationPorts } from '../ports.ts';

/** The field manager of user requests: an uninstall does not remove its fields. */
const FIELD_MANAGER = 'evenkeel-dashboard';

export async function writeApprovedCeilings(
  { records, logger, clock }: Pick<RecommendationPorts, 'records' | 'logger' | 'clock'>,
  workload: WorkloadRecord,
  { ceilings = [], memory }: Pick<WorkloadDecision, 'ceilings' | 'memory'>,
  signal: AbortSignal,
): Promise<void> {
  if (ceilings.length === 0) return;
  const object = `${workload.namespace}/${workload.name}`;
  const ceiling: Record<string, { cpu?: string; memory?: string }> = {};
  for (const { container, resource, value } of ceilings) {
    ceiling[container] = { ...ceiling[container], [resource]: formatAmount(resource, value) };
  }
  const merged = mergeBounds(workload.annotations, { ceiling }, new Set(ceilings.map(({ container }) => container)));
  if (merged.kind !== 'merged') {
    const why = merged.kind === 'invalid' ? merged.faults.map(({ message }) => message).join('; ') : merged.problem;
    logger.warn('Approved ceiling is invalid and was not written', { object, why });
    return;
  }
  const changed = { [WORKLOAD_ANNOTATIONS.ceiling]: merged.ceiling };
  const [first] = memory.limitExceptions.filter(
    ({ state, inEffect: settled, bound }) => state === 'approved' && !settled && bound === 'ceiling',
  );
  const by = first?.decided?.by ?? 'a user';
  const overrideNotes = updateNotes(workload.annotations, changed, { by, at: clock.now(), reason: 'a limit exception was approved' });
  const outcome = await records.annotate(
    workloadPath(workload),
    { ...changed, [WORKLOAD_ANNOTATIONS.overrideNotes]: overrideNotes },
    { resourceVersion: workload.resourceVersion, fieldManager: FIELD_MANAGER },
    signal,
  );
  // The exception stays unsettled, so the next reconcile tries again.
  if (outcome.kind !== 'done') {
    const why = 'message' in outcome ? outcome.message : outcome.kind;
    logger.warn('Writing approved ceiling failed; retrying at the next reconcile', { object, why });
  }
}
