// What is worth a Kubernetes Event: that an exception opened, closed, or that even the overage is too little. Once each.

import type { ResourceName } from '#kube/records/resources';
import type { DecisionNote } from '../../model/decision-note.ts';
import { amount } from './evidence.ts';
import { exceptionKey, type LimitException } from '../../model/limit-exception.ts';
import { isRecurring } from './next-exception.ts';

export function notesOn(before: ReadonlyMap<string, LimitException>, after: readonly LimitException[]): readonly DecisionNote[] {
  return after.flatMap((exception): DecisionNote[] => {
    const earlier = before.get(exceptionKey(exception));
    const what = `${exception.resource} of ${exception.container}`;
    if (exception.state === 'open' && (earlier?.state !== 'open' || earlier.openedAt !== exception.openedAt)) {
      const proposed = exception.proposed === null ? '' : `; proposed: ${amount(exception.resource, exception.proposed)}`;
      const reason = exception.bound === 'ceiling' ? 'CeilingReached' : 'LimitExceeded';
      const told: DecisionNote = { type: 'Warning', reason, message: `${what}: ${exception.evidence}${proposed}`.slice(0, 1024) };
      return isRecurring(exception)
        ? [told, { type: 'Warning', reason: 'LimitExceptionRecurs', message: `${what}: ${exception.openCount.length} times in 7 days` }]
        : [told];
    }
    if (earlier === undefined) return [];
    if (exception.ceilingReached && !earlier.ceilingReached)
      return [{ type: 'Warning', reason: 'CeilingReached', message: `${what}: ${exception.evidence}` }];
    if (earlier.state === 'open' && exception.state !== 'open') return [closingNote(exception, what)];
    return [];
  });
}

function closingNote({ state, evidence, decided, resource }: LimitException, what: string): DecisionNote {
  switch (state) {
    case 'approved':
      return {
        type: 'Normal',
        reason: 'LimitExceptionApproved',
        message: `${what}: ${wordOf(resource, decided?.value ?? null)} is the new normal, approved by ${decided?.by ?? ''}`,
      };
    case 'rejected':
      return { type: 'Normal', reason: 'LimitExceptionRejected', message: `${what}: rejected by ${decided?.by ?? ''}` };
    case 'open':
    case 'resolved':
      return { type: 'Normal', reason: 'LimitExceptionResolved', message: `${what}: ${evidence}`.slice(0, 1024) };
  }
}

function wordOf(resource: ResourceName, value: number | null): string {
  return value === null ? 'what was proposed' : amount(resource, value);
}
