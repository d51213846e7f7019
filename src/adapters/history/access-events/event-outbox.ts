import { createHash } from 'node:crypto';
import { DROPPED_ACTION, type AccessEvent } from '../../../core/access/events/access-event.ts';
import { GENESIS, linkEvent, type ChainPoint, type StoredAccessEvent } from '../../../core/access/events/event-chain.ts';
import type { AccessEventHead } from '../../../ports/store/access-events.ts';

/** Events that wait while the store is unavailable: at most 40 MB, as an event has up to 8 kB. Beyond, the oldest are dropped. */
export const MAX_WAITING_EVENTS = 5_000;

export const hashOf = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/**
 * Access events that wait to be written, and the end of this process's chain. Events are linked when they are first written and stay linked:
 * a write whose answer was lost is repeated with the same rows. Dropped events have no place in the chain; an event with their number has.
 */
export class EventOutbox {
  readonly #writer: string;
  #waiting: AccessEvent[] = [];
  #linked: readonly StoredAccessEvent[] = [];
  #last: ChainPoint = GENESIS;
  #written: AccessEventHead | null = null;
  #dropped = 0;
  /** Dropped events that the chain does not report yet. */
  #unreported: { count: number; readonly from: number; until: number } | null = null;

  constructor(writer: string) {
    this.#writer = writer;
  }

  get size(): number {
    return this.#waiting.length + this.#linked.length;
  }

  /** Events dropped since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** The last written event; null: none. */
  get head(): AccessEventHead | null {
    return this.#written;
  }

  /** Returns the number of events that were dropped for it. */
  add(event: AccessEvent): number {
    this.#waiting.push(event);
    if (this.#waiting.length <= MAX_WAITING_EVENTS) return 0;
    const oldest = this.#waiting.shift();
    if (oldest === undefined) return 0;
    this.#dropped += 1;
    this.#unreported ??= { count: 0, from: oldest.at, until: oldest.at };
    this.#unreported.count += 1;
    this.#unreported.until = oldest.at;
    return 1;
  }

  /** The rows to write: those of a write that was not confirmed, else all waiting ones. */
  link(): readonly StoredAccessEvent[] {
    if (this.#linked.length > 0 || this.size === 0) return this.#linked;
    const events = this.#unreported === null ? this.#waiting : [droppedEvent(this.#unreported), ...this.#waiting];
    this.#unreported = null;
    this.#waiting = [];
    let last = this.#last;
    this.#linked = events.map((event) => {
      const linked = linkEvent(event, this.#writer, last, hashOf);
      last = linked;
      return linked;
    });
    return this.#linked;
  }

  /** The linked rows are stored. */
  confirm(): void {
    const last = this.#linked.at(-1);
    this.#linked = [];
    if (last === undefined) return;
    const { writer, sequence, hash, at } = last;
    this.#last = { sequence, hash };
    this.#written = { writer, sequence, hash, at };
  }
}

function droppedEvent({ count, from, until }: { readonly count: number; readonly from: number; readonly until: number }): AccessEvent {
  return {
    at: until,
    actor: { email: null, via: 'anonymous', keyId: null },
    action: DROPPED_ACTION,
    target: '',
    outcome: 'error',
    before: null,
    after: { dropped: count, from: new Date(from).toISOString(), until: new Date(until).toISOString() },
    requestId: '',
    address: '',
  };
}
