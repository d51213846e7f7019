import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { LoopbackClient } from '../../../test/fakes/loopback-client.ts';
import { boundConnections } from './bound-connections.ts';

const MAX = 8;
const PER_CLIENT = 2;
const FLOOD = '127.0.0.2';
const PROXY = '127.0.0.9';

let server: Server;
let refusals: string[];
const clients: LoopbackClient[] = [];

beforeEach(async () => {
  refusals = [];
  server = createServer((_request, response) => response.end('ok'));
  boundConnections(server, {
    maxConnections: MAX,
    refused: (kind, reason) => refusals.push(`${kind} ${reason}`),
    isProxy: (address) => address === PROXY,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
});

function connectFrom(address: string): LoopbackClient {
  const client = new LoopbackClient((server.address() as AddressInfo).port, address);
  clients.push(client);
  return client;
}

/** A connection that stays, once it has been answered. */
async function hold(address: string): Promise<LoopbackClient> {
  const client = connectFrom(address);
  expect(await client.get('/')).toContain('200 OK');
  return client;
}

test('an address has a quarter of the connections; the next is answered 429 before it has asked, and closed', async () => {
  for (let count = 0; count < PER_CLIENT; count += 1) await hold(FLOOD);
  expect(await connectFrom(FLOOD).ended()).toMatch(/^HTTP\/1\.1 429 [^]*Too many connections are open from this address/);
  expect(refusals).toEqual(['connection client']);
  await hold('127.0.0.1');
});

test('a connection that ends leaves room for another', async () => {
  await hold(FLOOD);
  const leaving = await hold(FLOOD);
  leaving.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  await leaving.ended();
  await hold(FLOOD);
});

test('when all are taken, an address without one takes the oldest of an address with most', async () => {
  const oldest = await hold('127.0.0.2');
  for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.3', '127.0.0.4', '127.0.0.4', '127.0.0.5', '127.0.0.5']) await hold(address);
  await hold('127.0.0.1');
  await oldest.ended();
  expect(refusals).toEqual(['connection displaced']);
});

test('when all are taken by addresses with one each, the next is answered 503', async () => {
  for (let count = 0; count < MAX; count += 1) await hold(`127.0.1.${count + 1}`);
  expect(await connectFrom('127.0.0.1').ended()).toMatch(/^HTTP\/1\.1 503 /);
  expect(refusals).toEqual(['connection total']);
});

test('connections of a trusted proxy count each by itself', async () => {
  for (let count = 0; count < MAX; count += 1) await hold(PROXY);
  expect(refusals).toEqual([]);
});
