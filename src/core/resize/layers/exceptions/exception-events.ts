// Kubernetes Events about limit exceptions: one when an exception opens, closes, or when demand exceeds the overage.

import type { ResourceName } from '#kube/records/resources';
import type { DecisionEvent } from '../../model/decision-event.ts';
import { amount } from './evidence.ts';
import { exceptionKey, type LimitException } from '../../model/limit-exception.ts';
import { isRecurring } from './next-exception.ts';

export function listExceptionEvents(
  before: ReadonlyMap<string, LimitException>,
  after: readonly LimitException[],
): readonly DecisionEvent[] {
  return after.flatMap((exception): DecisionEvent[] => {
    const earlier = before.get(exceptionKey(exception));
    const what = `${exception.resource} of ${exception.container}`;
    if (exception.state === 'open' && (earlier?.state !== 'open' || earlier.openedAt !== exception.openedAt)) {
      const proposed = exception.proposed === null ? '' : `; proposed: ${amount(exception.resource, exception.proposed)}`;
      const reason = exception.bound === 'ceiling' ? 'CeilingReached' : 'LimitExceeded';
      const opened: DecisionEvent = { type: 'Warning', reason, message: `${what}: ${exception.evidence}${proposed}`.slice(0, 1024) };
      return isRecurring(exception)
        ? [opened, { type: 'Warning', reason: 'LimitExceptionRecurs', message: `${what}: ${exception.openCount.length} times in 7 days` }]
        : [opened];
    }
    if (earlier === undefined) return [];
    if (exception.ceilingReached && !earlier.ceilingReached)
      return [{ type: 'Warning', reason: 'CeilingReached', message: `${what}: ${exception.evidence}` }];
    if (earlier.state === 'open' && exception.state !== 'open') return [closingEvent(exception, what)];
    return [];
  });
}

function closingEvent({ state, evidence, decided, resource }: LimitException, what: string): DecisionEvent {
  switch (state) {
    case 'approved':
      return {
        type: 'Normal',
        reason: 'LimitExceptionApproved',
        message: `${what}: ${formatDecided(resource, decided?.value ?? null)} is the approved baseline, approved by ${decided?.by ?? ''}`,
      };
    case 'rejected':
      return { type: 'Normal', reason: 'LimitExceptionRejected', message: `${what}: rejected by ${decided?.by ?? ''}` };
    case 'open':
    case 'resolved':
      return { type: 'Normal', reason: 'LimitExceptionResolved', message: `${what}: ${evidence}`.slice(0, 1024) };
  }
}

function formatDecided(resource: ResourceName, value: number | null): string {
  return value === null ? 'the proposed value' : amount(resource, value);
}
