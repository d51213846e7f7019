import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { LoopbackClient } from '../../../test/fakes/clients/loopback-client.ts';
import { boundPipelining } from './bound-pipelining.ts';

const cleanup: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanup.splice(0)) clean();
});

/** A server whose responses the test ends, and a connection to it. */
async function aConnection(): Promise<{ client: LoopbackClient; started: ServerResponse[]; refusals: string[]; first: Promise<unknown> }> {
  const started: ServerResponse[] = [];
  const refusals: string[] = [];
  const server: Server = createServer(
    boundPipelining(
      (_, response) => void started.push(response),
      (kind, reason) => refusals.push(`${kind} ${reason}`),
    ),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const first = once(server, 'request');
  const client = new LoopbackClient((server.address() as AddressInfo).port);
  cleanup.push(
    () => client.close(),
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return { client, started, refusals, first };
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

test('a few requests in one packet are answered in order', async () => {
  const { client, started, refusals, first } = await aConnection();
  client.write(REQUEST.repeat(4));
  await first;
  for (const [index, response] of started.entries()) response.end(`answer ${index}`);
  expect(await client.reads('answer 3')).toMatch(/answer 0[^]*answer 1[^]*answer 2[^]*answer 3/);
  expect(refusals).toEqual([]);
});

test('more than four requests in one packet close the connection', async () => {
  const { client, started, refusals } = await aConnection();
  client.write(REQUEST.repeat(1_000));
  expect(await client.ended()).toBe('');
  expect([started.length, refusals]).toEqual([4, ['request pipelined']]);
});

test('any number of sequential requests is answered', async () => {
  const { client, started, first } = await aConnection();
  for (let count = 0; count < 5; count += 1) {
    const answer = client.get('/');
    if (count === 0) await first;
    while (started.length <= count) await new Promise((resolve) => setImmediate(resolve));
    started[count]?.end('ok');
    expect(await answer).toContain('200 OK');
  }
});
