import { COUNTED_ACTION, COUNTED_READS_ACTION, type AccessEvent } from '../core/access/events/access-event.ts';
import { storedText, storedValue } from '../core/access/events/event-values.ts';
import { ANONYMOUS, type Scope } from '../core/access/scope.ts';
import { isoTime } from '#kube/time/iso-time';
import { MINUTE_MS } from '#kube/units';
import type { Clock, MachineTimer } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { AccessEventWriter } from '../ports/store/access-events.ts';

/** Denied requests that are recorded one by one in a minute, for each reason. The others are counted in one event. */
export const MAX_DENIALS_PER_MINUTE = 10;
/**
 * Reads that are recorded one by one in a minute, for each actor. The others are counted in one event: a client that reads without a pause would
 * otherwise push changes out of the trail.
 */
export const MAX_READS_PER_MINUTE = 10;

export interface AccessEventLogDependencies {
  readonly writer: AccessEventWriter;
  readonly clock: Clock;
  readonly timer: MachineTimer;
  readonly logger: Logger;
}

/** A request that was denied. */
export interface Denial extends Pick<AccessEvent, 'actor' | 'action' | 'target' | 'requestId' | 'address'> {
  /** Error code of the answer, or of a refused sign-in. */
  readonly code: string;
  /** Denials are bounded by code, separately for reads and changes, so that many reads do not hide a change. */
  readonly isChange: boolean;
}

/** Denials of one reason since the first of them. */
interface Recent {
  recorded: number;
  counted: number;
  readonly cancel: () => void;
}

/** Reads of one actor since the first of them. */
interface RecentReads {
  recorded: number;
  /** Reads that were not recorded, by action. */
  readonly counts: Map<string, number>;
  readonly cancel: () => void;
  /** Records what was counted. */
  readonly end: () => void;
}

/** Records access events: bounded, without secrets, and in the log unless an audit line has the same. */
export class AccessEventLog {
  readonly #dependencies: AccessEventLogDependencies;
  readonly #recent = new Map<string, Recent>();
  readonly #reads = new Map<string, RecentReads>();

  constructor(dependencies: AccessEventLogDependencies) {
    this.#dependencies = dependencies;
  }

  record(event: Omit<AccessEvent, 'at'>, { isLogged = false } = {}): void {
    const { writer, clock, logger } = this.#dependencies;
    const at = clock.now();
    const { actor, action, requestId, address } = event;
    const stored: AccessEvent = {
      ...event,
      at,
      actor: { ...actor, email: actor.email === null ? null : storedText(actor.email) },
      action: storedText(action),
      target: storedText(event.target),
      before: storedValue(event.before),
      after: storedValue(event.after),
      requestId: storedText(requestId),
      address: storedText(address),
    };
    writer.appendAccessEvent(stored);
    if (!isLogged) logger.info('access event', { ...stored, at: isoTime(at) });
  }

  /** Records a read, or counts it where its actor reads too often. */
  read(event: Omit<AccessEvent, 'at' | 'before'>): void {
    const { actor, action } = event;
    const key = actor.keyId ?? actor.email ?? '';
    const reads = this.#reads.get(key) ?? this.#beginReads(key, actor);
    if (reads.recorded >= MAX_READS_PER_MINUTE) {
      reads.counts.set(action, (reads.counts.get(action) ?? 0) + 1);
      return;
    }
    reads.recorded += 1;
    // A line in the log for every read would hide the changes there.
    this.record({ ...event, before: null }, { isLogged: true });
  }

  #beginReads(key: string, actor: AccessEvent['actor']): RecentReads {
    const end = (): void => this.#endReads(key, actor);
    const reads: RecentReads = { recorded: 0, counts: new Map(), cancel: this.#dependencies.timer.setTimer(MINUTE_MS, end), end };
    this.#reads.set(key, reads);
    return reads;
  }

  #endReads(key: string, actor: AccessEvent['actor']): void {
    const counts = this.#reads.get(key)?.counts ?? new Map<string, number>();
    this.#reads.delete(key);
    if (counts.size === 0) return;
    const counted = { action: COUNTED_READS_ACTION, target: '', outcome: 'allowed', requestId: '', address: '' } as const;
    this.record({ ...counted, actor, before: null, after: Object.fromEntries(counts) }, { isLogged: true });
  }

  /** Records a denied request, or counts it where its reason has too many. */
  deny({ code, isChange, ...request }: Denial): void {
    const reason = `${isChange ? 'change' : 'read'} ${code}`;
    const recent = this.#recent.get(reason) ?? this.#begin(reason);
    if (recent.recorded >= MAX_DENIALS_PER_MINUTE) {
      recent.counted += 1;
      return;
    }
    recent.recorded += 1;
    this.record({ ...request, outcome: 'denied', before: null, after: { code } });
  }

  /** Records what was counted. */
  close(): void {
    for (const { cancel } of this.#recent.values()) cancel();
    for (const reason of [...this.#recent.keys()]) this.#end(reason);
    for (const { cancel, end } of [...this.#reads.values()]) {
      cancel();
      end();
    }
  }

  #begin(reason: string): Recent {
    const cancel = this.#dependencies.timer.setTimer(MINUTE_MS, () => this.#end(reason));
    const recent: Recent = { recorded: 0, counted: 0, cancel };
    this.#recent.set(reason, recent);
    return recent;
  }

  #end(reason: string): void {
    const counted = this.#recent.get(reason)?.counted ?? 0;
    this.#recent.delete(reason);
    if (counted === 0) return;
    const [requests, code] = reason.split(' ');
    this.record({
      actor: { email: null, ...ANONYMOUS },
      action: COUNTED_ACTION,
      target: '',
      outcome: 'denied',
      before: null,
      after: { code, requests, count: counted },
      requestId: '',
      address: '',
    });
  }
}

/** The actor of a caller's events. */
export function eventActor({ actor, credential }: Scope): AccessEvent['actor'] {
  return { email: credential.via === 'anonymous' ? null : actor, ...credential };
}
