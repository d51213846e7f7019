import type { EventSubject } from '../ports/event-recorder.ts';
import { isoTime } from '#kube/time/iso-time';
import type { Caller, CommandPorts } from './context.ts';

/** One thing that a person asked for, for the trail and for the object's Events. */
export interface Deed {
  readonly action: string;
  readonly eventReason: string;
  readonly subject: EventSubject;
  readonly message: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly outcome: 'allowed' | 'error';
}

/** Writes the audit line, and for what was carried out the Kubernetes Event. A dry run leaves a line and no Event. */
export function recordDeed(ports: CommandPorts, caller: Caller, deed: Deed): void {
  const { subject } = deed;
  ports.logger.info('audit', {
    at: isoTime(ports.clock.now()),
    actor: caller.scope.actor,
    action: deed.action,
    target: [subject.kind, subject.namespace, subject.name].filter((part) => part !== null).join('/'),
    outcome: deed.outcome,
    before: deed.before,
    after: deed.after,
    dryRun: caller.dryRun,
    requestId: caller.requestId,
    address: caller.address,
  });
  if (caller.dryRun || deed.outcome === 'error') return;
  ports.events.record({ subject, type: 'Normal', reason: deed.eventReason, action: deed.action, message: deed.message });
}
