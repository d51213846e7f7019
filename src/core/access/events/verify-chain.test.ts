import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { AccessEvent } from './access-event.ts';
import { canonicalText, eventId, GENESIS, GENESIS_HASH, linkEvent, type ChainPoint, type StoredAccessEvent } from './event-chain.ts';
import { ChainVerifier, type KnownChain } from './verify-chain.ts';

const WRITER = 'evenkeel-controller-0_ab12cd34';
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const anEvent = (index: number): AccessEvent => ({
  at: 1_000 * index,
  actor: { email: 'ana@example.com', via: 'session', keyId: null },
  action: 'setBounds',
  target: `Deployment/shop/web-${index}`,
  outcome: 'allowed',
  before: null,
  after: { floor: index },
  requestId: `r${index}`,
  address: '10.0.0.1',
});

/** A chain of ten events. */
function aChain(): StoredAccessEvent[] {
  const events: StoredAccessEvent[] = [];
  let last: ChainPoint = GENESIS;
  for (let index = 1; index <= 10; index += 1) {
    const event = linkEvent(anEvent(index), WRITER, last, hashOf);
    events.push(event);
    last = event;
  }
  return events;
}

const CHAIN = aChain();
const at = (position: number): StoredAccessEvent => CHAIN[position - 1]!;
const HEAD: ChainPoint = at(10);
const rehash = (event: StoredAccessEvent): StoredAccessEvent => ({ ...event, hash: hashOf(canonicalText(event)) });
/** Gives events the positions in which they are listed, with their ids or without. */
const renumber = (events: readonly StoredAccessEvent[], ids = true): readonly StoredAccessEvent[] =>
  events.map((event, index) => ({ ...event, sequence: index + 1, id: ids ? eventId(WRITER, index + 1) : event.id }));
const without = (...positions: readonly number[]): readonly StoredAccessEvent[] =>
  CHAIN.filter(({ sequence }) => !positions.includes(sequence));
const swapped = (a: number, b: number): readonly StoredAccessEvent[] =>
  CHAIN.map((event, index) => (index + 1 === a ? at(b) : index + 1 === b ? at(a) : event));
/** A forged event that follows the fourth one. */
const forged = linkEvent({ ...anEvent(99), outcome: 'denied' }, WRITER, at(4), hashOf);

function faultsOf(events: readonly StoredAccessEvent[], known: Partial<KnownChain> = {}): readonly (readonly [string, number])[] {
  const verifier = new ChainVerifier({ writer: WRITER, anchor: null, head: HEAD, witnesses: [], ...known }, hashOf);
  for (const event of events) verifier.add(event);
  return verifier.end().map(({ kind, sequence }) => [kind, sequence]);
}

describe('A chain', () => {
  test('starts at the genesis hash, and is intact as it was written', () => {
    expect(at(1)).toMatchObject({ sequence: 1, previousHash: GENESIS_HASH, id: `${WRITER}-000000001` });
    expect(faultsOf(CHAIN)).toEqual([]);
  });

  test('is intact after retention has removed its first events, or all', () => {
    expect(faultsOf(CHAIN.slice(4), { anchor: at(4) })).toEqual([]);
    expect(faultsOf([], { anchor: HEAD })).toEqual([]);
  });

  test('depends on the form of its text', () => {
    expect(canonicalText(at(2))).toBe(
      `[1,"${WRITER}",2,"${at(1).hash}",2000,"ana@example.com","session",null,"setBounds","Deployment/shop/web-2","allowed","null","{\\"floor\\":2}","r2","10.0.0.1"]`,
    );
  });
});

describe('A changed event is found', () => {
  const changes: Readonly<Record<string, Partial<StoredAccessEvent>>> = {
    at: { at: 5_001 },
    email: { actor: { ...at(5).actor, email: 'ben@example.com' } },
    via: { actor: { ...at(5).actor, via: 'api-key' } },
    keyId: { actor: { ...at(5).actor, keyId: 'k' } },
    action: { action: 'removeBounds' },
    target: { target: '' },
    outcome: { outcome: 'denied' },
    before: { before: ' null' },
    after: { after: '{}' },
    requestId: { requestId: '' },
    address: { address: '' },
    id: { id: eventId(WRITER, 50) },
    previousHash: { previousHash: GENESIS_HASH },
    hash: { hash: GENESIS_HASH },
  };
  test.each(Object.keys(changes))('by its %s', (field) => {
    expect(faultsOf(CHAIN.with(4, { ...at(5), ...changes[field] }))).toEqual([['changed', 5]]);
  });

  test('with its hash computed again', () => {
    expect(faultsOf(CHAIN.with(4, rehash({ ...at(5), target: '' })))).toEqual([['changed', 5]]);
    expect(faultsOf(CHAIN.with(9, rehash({ ...at(10), target: '' })))).toEqual([['changed', 10]]);
    expect(faultsOf(CHAIN.with(0, rehash({ ...at(1), target: '' })))).toEqual([['changed', 1]]);
  });

  test('with all later hashes computed again, by the head, or by an earlier one that is recorded elsewhere', () => {
    const events = [...CHAIN.slice(0, 4)];
    for (let position = 5; position <= 10; position += 1) {
      events.push(linkEvent(position === 5 ? anEvent(99) : anEvent(position), WRITER, events.at(-1)!, hashOf));
    }
    expect(faultsOf(events)).toEqual([['changed', 10]]);
    expect(faultsOf(events, { head: events.at(-1)! })).toEqual([]);
    expect(faultsOf(events, { head: events.at(-1)!, witnesses: [at(3), at(7)] })).toEqual([['changed', 7]]);
  });
});

describe('A removed event is found', () => {
  test.each([
    ['first', [1]],
    ['one in the middle', [5]],
    ['several', [5, 6, 7]],
    ['last', [10]],
    ['the last three', [8, 9, 10]],
  ])('%s', (_what, positions) => {
    expect(faultsOf(without(...positions))).toEqual([['removed', positions[0]]]);
  });

  test('where the later ones were renumbered', () => {
    expect(faultsOf(renumber(without(5)))).toEqual([['removed', 5]]);
    expect(faultsOf(renumber(without(5, 6)))).toEqual([['removed', 5]]);
    expect(faultsOf(renumber(without(5), false))).toEqual([['removed', 5]]);
  });

  test('with all others', () => {
    expect(faultsOf([])).toEqual([['removed', 1]]);
    expect(faultsOf([], { head: null, witnesses: [at(6)] })).toEqual([['removed', 1]]);
  });

  test('at the end, where the head was set back, by what is recorded elsewhere', () => {
    expect(faultsOf(CHAIN.slice(0, 6), { head: at(6) })).toEqual([]);
    expect(faultsOf(CHAIN.slice(0, 6), { head: at(6), witnesses: [at(8)] })).toEqual([['removed', 7]]);
  });

  test('by retention, and inserted again', () => {
    expect(faultsOf(CHAIN.slice(3), { anchor: at(5) })).toEqual([
      ['inserted', 4],
      ['inserted', 5],
    ]);
  });
});

describe('An inserted event is found', () => {
  test('in the middle, with a valid hash or without', () => {
    const inserted = renumber([...CHAIN.slice(0, 4), forged, ...CHAIN.slice(4)]);
    expect(faultsOf(inserted)).toEqual([['inserted', 5]]);
    expect(faultsOf(inserted.with(4, { ...inserted[4]!, hash: GENESIS_HASH }))).toEqual([['inserted', 5]]);
  });

  test('at the end', () => {
    expect(faultsOf([...CHAIN, linkEvent(anEvent(11), WRITER, at(10), hashOf)])).toEqual([['inserted', 11]]);
  });
});

describe('A reordered event is found', () => {
  test.each([
    ['neighbours', 5, 6],
    ['the first two', 1, 2],
    ['the last two', 9, 10],
    ['distant ones', 3, 8],
  ])('%s', (_what, a, b) => {
    for (const ids of [true, false]) expect(faultsOf(renumber(swapped(a, b), ids))[0]).toEqual(['reordered', a]);
  });
});
