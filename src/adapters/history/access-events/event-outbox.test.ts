import { describe, expect, test } from '@jest/globals';
import { anAccessEvent } from '../../../../test/builders/access-events.ts';
import { ChainVerifier } from '../../../core/access/events/verify-chain.ts';
import { EventOutbox, hashOf, MAX_WAITING_EVENTS } from './event-outbox.ts';

describe('Waiting access events', () => {
  test('a write that was not confirmed is repeated with the same rows, and later events follow it', () => {
    const outbox = new EventOutbox('w');
    outbox.add(anAccessEvent(1));
    const first = outbox.link();
    outbox.add(anAccessEvent(2));
    expect(outbox.link()).toBe(first);
    expect([outbox.size, outbox.head]).toEqual([2, null]);
    outbox.confirm();
    expect(outbox.head).toMatchObject({ writer: 'w', sequence: 1, hash: first[0]?.hash });
    expect(outbox.link()).toMatchObject([{ sequence: 2, previousHash: first[0]?.hash }]);
  });

  test('above the bound the oldest are dropped, and an event in their place has their number and period', () => {
    const outbox = new EventOutbox('w');
    outbox.add(anAccessEvent(1));
    const written = [...outbox.link()];
    for (let index = 2; index <= MAX_WAITING_EVENTS + 4; index += 1) outbox.add(anAccessEvent(index));
    expect(outbox.dropped).toBe(3);
    outbox.confirm();
    const later = outbox.link();
    written.push(...later);
    expect(later[0]).toMatchObject({ sequence: 2, action: 'dropAccessEvents', outcome: 'error' });
    expect(JSON.parse(later[0]?.after ?? '')).toEqual({ dropped: 3, from: '1970-01-01T00:00:02.000Z', until: '1970-01-01T00:00:04.000Z' });
    expect(later[1]).toMatchObject({ sequence: 3, requestId: 'r5' });
    outbox.confirm();
    const verifier = new ChainVerifier({ writer: 'w', anchor: null, head: outbox.head, witnesses: [] }, hashOf);
    for (const event of written) verifier.add(event);
    expect(verifier.end()).toEqual([]);
  });
});
