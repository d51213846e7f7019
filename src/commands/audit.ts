import type { EventSubject } from '../ports/cluster/event-recorder.ts';
import { isoTime } from '#kube/time/iso-time';
import type { Caller, CommandPorts } from './context.ts';

/** One user request, for the audit log and the object's Events. */
export interface AuditEntry {
  readonly action: string;
  readonly eventReason: string;
  readonly subject: EventSubject;
  readonly message: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly outcome: 'allowed' | 'error';
  /** The changed object, where it is not the subject of the Event. */
  readonly target?: string;
}

/** Writes the audit line, the access event, and an Event for a request that was written. A dry run has no Event. */
export function recordAudit(ports: CommandPorts, caller: Caller, audit: AuditEntry): void {
  const { subject, outcome, before, after } = audit;
  const target = audit.target ?? [subject.kind, subject.namespace, subject.name].filter((part) => part !== null).join('/');
  ports.logger.info('audit', {
    at: isoTime(ports.clock.now()),
    actor: caller.scope.actor,
    action: audit.action,
    target,
    outcome,
    before,
    after,
    dryRun: caller.dryRun,
    requestId: caller.requestId,
    address: caller.address,
  });
  caller.trail?.audit({ target, outcome, before, after }, caller.dryRun);
  if (caller.dryRun || audit.outcome === 'error') return;
  ports.events.record({ subject, type: 'Normal', reason: audit.eventReason, action: audit.action, message: audit.message });
}
