import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { boundedFetch } from './bounded-fetch.ts';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';

const DEADLINE_MS = 2 * 60_000;
const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/readyz`;
}

test('a response has its status and its whole text', async () => {
  const url = await serve((_request, response) => response.writeHead(503).end('not ready'));
  const timer = new FakeClock();
  expect(await boundedFetch(url, 'readiness', {}, timer)).toEqual({ status: 503, text: 'not ready' });
  expect(timer.waiting).toBe(0);
});

test.each<[string, RequestListener]>([
  ['never answers', () => undefined],
  ['never ends its answer', (_request, response) => void response.writeHead(200).write('part of it')],
])('a server that %s: the error names the URL and the awaited state', async (_what, answer) => {
  const asked = Promise.withResolvers<undefined>();
  const url = await serve((request, response) => {
    answer(request, response);
    asked.resolve(undefined);
  });
  const timer = new FakeClock();
  const failure = boundedFetch(url, 'the readiness of the follower', {}, timer).catch((err: unknown) => err);
  await asked.promise;
  await timer.advance(DEADLINE_MS);
  expect(String(await failure)).toBe(`Error: GET ${url}: waited for the readiness of the follower: no whole answer within 120 s`);
});

test('a connection that is refused: the error names the URL and the reason', async () => {
  const url = await serve(() => undefined);
  for (const cleanup of cleanups.splice(0)) cleanup();
  await expect(boundedFetch(url, 'readiness', { method: 'POST' })).rejects.toThrow(
    new RegExp(`^POST ${url}: waited for readiness: fetch failed: .*ECONNREFUSED`),
  );
});
