import { describe, expect, test } from '@jest/globals';
import { FairShare, type ShareRefusal } from './fair-share.ts';

const TOTAL = 8;
const PER_CLIENT = 2;

function aShare() {
  const share = new FairShare(TOTAL);
  const displaced: string[] = [];
  const take = (client: string, name = client, amount = 1): (() => void) | ShareRefusal => {
    return share.take(client, amount, () => displaced.push(name));
  };
  return { take, displaced };
}

describe('a client', () => {
  test('takes no more than a quarter of the total', () => {
    const { take } = aShare();
    for (let count = 0; count < PER_CLIENT; count += 1) expect(take('a')).toBeInstanceOf(Function);
    expect(take('a')).toBe('client');
    expect(take('b')).toBeInstanceOf(Function);
  });

  test('may take again what it has released, once for each release', () => {
    const { take } = aShare();
    const release = take('a') as () => void;
    take('a');
    release();
    release();
    expect(take('a')).toBeInstanceOf(Function);
    expect(take('a')).toBe('client');
  });

  test('takes at least one of a total below four', () => {
    const share = new FairShare(3);
    expect(share.take('a', 1, () => undefined)).toBeInstanceOf(Function);
  });
});

describe('when all is taken', () => {
  test('a client with less displaces the oldest holding of the client with the most', () => {
    const { take, displaced } = aShare();
    for (const client of ['a', 'b', 'c', 'd']) for (const age of ['old', 'new']) take(client, `${client}-${age}`);
    expect(take('e')).toBeInstanceOf(Function);
    expect(displaced).toEqual(['a-old']);
  });

  test('a client that would get as much as the others is refused', () => {
    const { take, displaced } = aShare();
    for (let client = 0; client < TOTAL; client += 1) take(`client-${client}`);
    expect([take('another'), displaced]).toEqual(['total', []]);
  });

  test('a displaced holding is released once', () => {
    const { take } = aShare();
    const first = take('a') as () => void;
    for (const client of ['a', 'b', 'b', 'c', 'c', 'd', 'd']) take(client);
    take('e');
    first();
    expect(take('a')).toBe('total');
  });
});

test('amounts count, not the number of holdings', () => {
  const { take, displaced } = aShare();
  expect(take('a', 'a', 3)).toBe('client');
  for (const client of ['a', 'b', 'c', 'd']) take(client, client, 2);
  expect(take('e', 'e', 1)).toBeInstanceOf(Function);
  expect(displaced).toEqual(['a']);
});
