// Finds changed, removed, inserted and reordered events of one chain.

import { canonicalText, eventId, GENESIS, type ChainPoint, type HashText, type StoredAccessEvent } from './event-chain.ts';

/** What is wrong with a chain, and where. */
export interface ChainFault {
  /** `head`: the record of the last event is missing, or its signature is not valid. */
  readonly kind: 'changed' | 'removed' | 'inserted' | 'reordered' | 'head';
  readonly writer: string;
  /** The position from which on the chain is wrong. */
  readonly sequence: number;
  /** The event at the position; null: it is missing. */
  readonly id: string | null;
  readonly message: string;
}

/** What is known of a chain apart from its events. */
export interface KnownChain {
  readonly writer: string;
  /** The last event that retention has removed; null: none. */
  readonly anchor: ChainPoint | null;
  /** The last event, as recorded beside the events; null: not recorded. */
  readonly head: ChainPoint | null;
  /** Earlier ends of the chain that are recorded elsewhere, in ascending order. */
  readonly witnesses: readonly ChainPoint[];
}

/** Faults beyond these are omitted: the first shows where the chain is wrong. */
const MAX_FAULTS = 20;
/** How far an event is searched from its position. */
const MAX_SHIFT = 64;

/**
 * Verifies the events of one chain, given in the order of their sequences.
 *
 * An event with a valid hash at another position was moved, or the ones between were removed or inserted: the event after it decides which.
 * The faults are found for one change at a time; where many events are wrong, the first fault is exact.
 */
export class ChainVerifier {
  readonly faults: ChainFault[] = [];
  readonly #known: KnownChain;
  readonly #hashOf: HashText;
  /** End of the verified part; its hash is null where the next event cannot be compared with it. */
  #last: { readonly sequence: number; readonly hash: string | null };
  #lastId: string | null = null;
  /** What is subtracted from a stored sequence to get the original one, after events were inserted or removed. */
  #shift = 0;
  #held: StoredAccessEvent | null = null;
  #events = 0;

  constructor(known: KnownChain, hashOf: HashText) {
    this.#known = known;
    this.#hashOf = hashOf;
    this.#last = known.anchor ?? GENESIS;
  }

  get events(): number {
    return this.#events;
  }

  /** Takes the next event. It is verified with the one after it. */
  add(event: StoredAccessEvent): void {
    this.#events += 1;
    const held = this.#held;
    this.#held = event;
    if (held !== null) this.#verify(held, event);
  }

  /** Verifies the last event, and the end of the chain against its head and witnesses. */
  end(): readonly ChainFault[] {
    const held = this.#held;
    this.#held = null;
    if (held !== null) this.#verify(held, null);
    this.#verifyEnd();
    return this.faults;
  }

  #verify(event: StoredAccessEvent, next: StoredAccessEvent | null): void {
    const { anchor } = this.#known;
    const sequence = event.sequence - this.#shift;
    const last = this.#last;
    if (anchor !== null && event.sequence <= anchor.sequence) {
      this.#report('inserted', event, `was removed by retention up to position ${anchor.sequence}, and has been inserted again`);
      return;
    }
    if (next !== null && this.#isInserted(event, next)) {
      this.#report('inserted', event, `was inserted: the event after it, ${next.id}, follows the event before it`);
      this.#shift += 1;
      return;
    }
    const isValid = this.#isValidAt(event, sequence);
    if (!isValid && this.#isMoved(event, sequence, next)) return;
    if (sequence > last.sequence + 1) this.#reportRemoved(last.sequence + 1, sequence - 1, event.id);
    if (!isValid) {
      this.#report('changed', event, 'was changed: its hash does not match its content');
      this.#accept(event, sequence, null);
      return;
    }
    if (sequence === last.sequence + 1 && last.hash !== null && event.previousHash !== last.hash) {
      const changed = this.#lastId ?? event.id;
      this.#add({
        kind: 'changed',
        writer: event.writer,
        sequence: last.sequence,
        id: changed,
        message: `${changed} was changed, with its hash: the event after it, ${event.id}, has the original one`,
      });
    }
    this.#accept(event, sequence, event.hash);
  }

  /** Whether the next event follows the one before, so that this one was not there. Of two swapped events, this one follows the next. */
  #isInserted(event: StoredAccessEvent, next: StoredAccessEvent): boolean {
    if (this.#last.hash === null || next.previousHash !== this.#last.hash || event.previousHash === next.hash) return false;
    return this.#isValidAt(next, next.sequence - this.#shift - 1);
  }

  /** Whether the event is valid at another position: reports why, and goes on behind it. */
  #isMoved(event: StoredAccessEvent, sequence: number, next: StoredAccessEvent | null): boolean {
    const original = this.#findPosition(event, sequence);
    if (original === null) return false;
    const isNextInPlace = next === null || this.#isValidAt(next, next.sequence - this.#shift);
    const isSwapped = next !== null && this.#isValidAt(next, sequence);
    if (original > sequence && !isNextInPlace && !isSwapped) {
      this.#reportRemoved(this.#last.sequence + 1, original - 1, event.id);
      this.#shift = event.sequence - original;
      this.#accept(event, original, event.hash);
      return true;
    }
    this.#report('reordered', event, `was moved: its original position is ${original}`);
    this.#accept(event, sequence, null);
    return true;
  }

  #accept(event: StoredAccessEvent, sequence: number, hash: string | null): void {
    this.#last = { sequence, hash };
    this.#lastId = event.id;
    for (const witness of this.#known.witnesses) {
      if (witness.sequence === sequence && hash !== null && witness.hash !== hash) {
        this.#report(
          'changed',
          event,
          'or an event before it was changed: the end of the chain that was recorded outside of the store had another hash here',
        );
      }
    }
  }

  #verifyEnd(): void {
    const { writer, head, witnesses } = this.#known;
    const { sequence, hash } = this.#last;
    const ends = [...(head === null ? [] : [head]), ...witnesses];
    const furthest = ends.reduce<ChainPoint>((end, point) => (point.sequence > end.sequence ? point : end), GENESIS);
    if (furthest.sequence > sequence) this.#reportRemoved(sequence + 1, furthest.sequence, null);
    if (head === null) return;
    const id = this.#lastId ?? eventId(writer, sequence);
    if (head.sequence < sequence) {
      const message = `the events after ${eventId(writer, head.sequence)} were inserted: the chain ended there`;
      this.#add({ kind: 'inserted', writer, sequence: head.sequence + 1, id: eventId(writer, head.sequence + 1), message });
    } else if (head.sequence === sequence && hash !== null && head.hash !== hash) {
      this.#add({
        kind: 'changed',
        writer,
        sequence,
        id,
        message: `${id}, or an event before it, was changed: the head of the chain has another hash`,
      });
    }
  }

  #findPosition(event: StoredAccessEvent, sequence: number): number | null {
    for (let distance = 1; distance <= MAX_SHIFT; distance += 1) {
      for (const position of [sequence + distance, sequence - distance]) {
        if (position > 0 && this.#isValidAt(event, position)) return position;
      }
    }
    // The id has the original position where only the sequence was changed.
    const byId = Number(/-(\d+)$/.exec(event.id)?.[1]);
    return Number.isSafeInteger(byId) && this.#isValidAt(event, byId) ? byId : null;
  }

  #isValidAt(event: StoredAccessEvent, sequence: number): boolean {
    if (event.hash !== this.#hashOf(canonicalText({ ...event, sequence }))) return false;
    return sequence !== event.sequence || event.id === eventId(event.writer, sequence);
  }

  #report(kind: ChainFault['kind'], { writer, sequence, id }: StoredAccessEvent, what: string): void {
    this.#add({ kind, writer, sequence, id, message: `${id} ${what}` });
  }

  #reportRemoved(from: number, to: number, before: string | null): void {
    const { writer } = this.#known;
    const names = from === to ? `${eventId(writer, from)} was` : `${eventId(writer, from)} to ${eventId(writer, to)} were`;
    const where = before === null ? 'from the end of the chain' : `before ${before}`;
    this.#add({ kind: 'removed', writer, sequence: from, id: null, message: `${names} removed ${where}` });
  }

  #add(fault: ChainFault): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push(fault);
  }
}
