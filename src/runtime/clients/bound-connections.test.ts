import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { LoopbackClient } from '../../../test/fakes/clients/loopback-client.ts';
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

/** Opens a connection that stays open after its first response. */
async function openConnection(address: string): Promise<LoopbackClient> {
  const client = connectFrom(address);
  expect(await client.get('/')).toContain('200 OK');
  return client;
}

test('an address gets a quarter of the connections; the next one is answered 429 before its request, and closed', async () => {
  for (let count = 0; count < PER_CLIENT; count += 1) await openConnection(FLOOD);
  expect(await connectFrom(FLOOD).ended()).toMatch(/^HTTP\/1\.1 429 [^]*Too many connections are open from this address/);
  expect(refusals).toEqual(['connection client']);
  await openConnection('127.0.0.1');
});

test('a closed connection makes room for another', async () => {
  await openConnection(FLOOD);
  const leaving = await openConnection(FLOOD);
  leaving.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  await leaving.ended();
  await openConnection(FLOOD);
});

test('when all are taken, an address without a connection displaces the oldest one of the address with the most', async () => {
  const oldest = await openConnection('127.0.0.2');
  for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.3', '127.0.0.4', '127.0.0.4', '127.0.0.5', '127.0.0.5'])
    await openConnection(address);
  await openConnection('127.0.0.1');
  await oldest.ended();
  expect(refusals).toEqual(['connection displaced']);
});

test('when all addresses have one connection, the next one is answered 503', async () => {
  for (let count = 0; count < MAX; count += 1) await openConnection(`127.0.1.${count + 1}`);
  expect(await connectFrom('127.0.0.1').ended()).toMatch(/^HTTP\/1\.1 503 /);
  expect(refusals).toEqual(['connection total']);
});

test('connections of a trusted proxy count separately', async () => {
  for (let count = 0; count < MAX; count += 1) await openConnection(PROXY);
  expect(refusals).toEqual([]);
});
