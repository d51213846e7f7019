// Events of decisions and resizes, as values to be recorded.

import { EVENT_REASON } from '../../../apis/conditions.ts';
import { changeSummary } from '../../../core/resize/plan/change-summary.ts';
import type { ResizeStep } from '../../../core/resize/model/resize-step.ts';
import type { DecisionEvent } from '../../../core/resize/model/decision-event.ts';
import type { WorkloadRecord } from '#kube/records/workload';
import type { EventSpec, EventSubject } from '../../../ports/cluster/event-recorder.ts';
import type { WriteOutcome } from '../../../ports/cluster/writers.ts';

/** The workload, not the pod: its Events stay visible after its pods are replaced. */
function subjectOf({ apiVersion, kind, namespace, name, uid }: WorkloadRecord): EventSubject {
  return { apiVersion, kind, namespace, name, uid };
}

export function decisionEvent(workload: WorkloadRecord, event: DecisionEvent): EventSpec {
  return { subject: subjectOf(workload), type: event.type, reason: event.reason, action: 'Decide', message: event.message };
}

/** `main: cpu 500m → 120m` */
export function stepSummary({ containers }: ResizeStep): string {
  const valuesOf = (side: 'from' | 'to') => new Map(containers.map((change) => [change.name, change[side]]));
  return changeSummary(valuesOf('from'), valuesOf('to'));
}

/** null for outcomes without an Event: only done and refused have one. */
export function resizeEvent(workload: WorkloadRecord, step: ResizeStep, outcome: WriteOutcome): EventSpec | null {
  const change = `${step.pod.name}: ${stepSummary(step)}`;
  if (outcome.kind === 'done') {
    const reason = step.kind === 'revert' ? EVENT_REASON.resizeReverted : EVENT_REASON.resized;
    return { subject: subjectOf(workload), type: 'Normal', reason, action: 'Resize', message: `${change} (${step.reason})` };
  }
  if (outcome.kind !== 'refused') return null;
  return {
    subject: subjectOf(workload),
    type: 'Warning',
    reason: EVENT_REASON.resizeRefused,
    action: 'Resize',
    message: `${change}: ${outcome.message}`,
  };
}
