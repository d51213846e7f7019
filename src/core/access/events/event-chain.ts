// The hash chain of access events: each event has the hash of the one before, so that a change of one shows in all that follow.

import type { AccessEvent, ChainedAccessEvent } from './access-event.ts';

/** Lower-case hex SHA-256 of a text in UTF-8. An argument, because `core` imports no Node API. */
export type HashText = (text: string) => string;

/** A position in a chain. */
export interface ChainPoint {
  readonly sequence: number;
  readonly hash: string;
}

/** `previousHash` of the first event of every chain. */
export const GENESIS_HASH = '0'.repeat(64);
/** The point before the first event. */
export const GENESIS: ChainPoint = { sequence: 0, hash: GENESIS_HASH };

/** An event as it is stored: its values as JSON texts. */
export interface StoredAccessEvent extends Omit<ChainedAccessEvent, 'before' | 'after'> {
  readonly before: string;
  readonly after: string;
}

/**
 * The text whose SHA-256 is the event's hash: a JSON array without white space, as `JSON.stringify` writes it (half of a surrogate pair as
 * `\udXXX`), of
 *
 * `[1, writer, sequence, previousHash, at, email, via, keyId, action, target, outcome, before, after, requestId, address]`
 *
 * `1` is the version of this form. `at` is in whole Unix milliseconds. `before` and `after` are strings: the JSON texts as they are stored.
 * `email` and `keyId` may be null.
 */
export function canonicalText(event: Omit<StoredAccessEvent, 'hash' | 'id'>): string {
  const { writer, sequence, previousHash, at, actor, action, target, outcome, before, after, requestId, address } = event;
  const { email, via, keyId } = actor;
  const fields = [1, writer, sequence, previousHash, at, email, via, keyId, action, target, outcome, before, after, requestId, address];
  return JSON.stringify(fields);
}

/** Unique over all writers; sorts by position within one. */
export function eventId(writer: string, sequence: number): string {
  return `${writer}-${String(sequence).padStart(9, '0')}`;
}

/** Appends an event to the chain that ends at `last`. */
export function linkEvent(event: AccessEvent, writer: string, last: ChainPoint, hashOf: HashText): StoredAccessEvent {
  const sequence = last.sequence + 1;
  const linked = {
    ...event,
    at: Math.floor(event.at),
    before: JSON.stringify(event.before),
    after: JSON.stringify(event.after),
    id: eventId(writer, sequence),
    writer,
    sequence,
    previousHash: last.hash,
  };
  return { ...linked, hash: hashOf(canonicalText(linked)) };
}
