import { describe, expect, test } from '@jest/globals';
import { ClientTable } from './client-table.ts';

const table = (maxClients: number): ClientTable<number> => new ClientTable((weight) => weight, maxClients);

describe('a table of clients', () => {
  test('has at most as many entries as its limit', () => {
    const clients = table(100);
    for (let id = 0; id < 1000; id += 1) clients.set(`client ${id}`, 1);
    expect(clients.size).toBe(100);
  });

  test('drops the one with the smallest weight of the 16 that were unused for longest', () => {
    const clients = table(20);
    for (let id = 0; id < 20; id += 1) clients.set(`client ${id}`, id === 7 ? 1 : 5);
    clients.set('client 0', 0);
    clients.set('new', 5);
    expect([clients.get('client 7'), clients.get('client 0'), clients.get('client 1')]).toEqual([undefined, 0, 5]);
  });

  test('keeps an entry with a large weight, however many others with a small one follow', () => {
    const clients = table(100);
    clients.set('heavy', 1000);
    for (let id = 0; id < 10_000; id += 1) clients.set(`client ${id}`, 1);
    expect(clients.get('heavy')).toBe(1000);
  });

  test('replaces the value of a client without dropping another', () => {
    const clients = table(2);
    clients.set('a', 1);
    clients.set('b', 1);
    clients.set('a', 2);
    expect([clients.get('a'), clients.get('b')]).toEqual([2, 1]);
  });
});
