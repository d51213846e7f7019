import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import express, { type NextFunction, type Request, type Response } from 'express';
import { LoopbackClient } from '../../../test/fakes/clients/loopback-client.ts';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { Problem } from '../problem.ts';
import { RequestBounds } from './request-bounds.ts';

const REQUESTS = 256;
const PER_ADDRESS = REQUESTS / 4;

let server: Server;
let refusals: string[];
const clients: LoopbackClient[] = [];

/** Answers only `/`; other requests stay in flight. */
beforeEach(async () => {
  refusals = [];
  const bounds = new RequestBounds(new ManualClock(), (kind, reason) => refusals.push(`${kind} ${reason}`));
  const app = express();
  app.use(bounds.admit);
  app.get('/', (_request, response) => void response.end('ok'));
  app.get('/unanswered', (_request, response) => {
    response.writeContinue();
  });
  app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
    if (error instanceof Problem) response.status(error.status).end(error.message);
    else next(error);
  });
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await new Promise((resolve) => server.close(resolve));
});

async function ask(address: string, path: string): Promise<{ readonly client: LoopbackClient; readonly head: string }> {
  const client = new LoopbackClient((server.address() as AddressInfo).port, address);
  clients.push(client);
  return { client, head: await client.get(path) };
}

test('one address may have a quarter of the requests in flight, and other clients are answered', async () => {
  for (let count = 0; count < PER_ADDRESS; count += 1) expect((await ask('127.0.0.2', '/unanswered')).head).toContain(' 100 ');
  expect((await ask('127.0.0.2', '/')).head).toContain(' 429 ');
  expect((await ask('127.0.0.1', '/')).head).toContain(' 200 ');
  expect(refusals).toEqual(['request client']);
});

test('when the maximum is in flight, an address without a request displaces the oldest of an address with the most', async () => {
  const oldest = await ask('127.0.0.2', '/unanswered');
  for (let at = 1; at < REQUESTS; at += 1) await ask(`127.0.0.${2 + (at % 4)}`, '/unanswered');
  expect((await ask('127.0.0.1', '/')).head).toContain(' 200 ');
  await oldest.client.ended();
  expect(refusals).toEqual(['request displaced']);
});

test('an answered request frees its slot', async () => {
  for (let count = 0; count < 2 * PER_ADDRESS; count += 1) expect((await ask('127.0.0.2', '/')).head).toContain(' 200 ');
  expect(refusals).toEqual([]);
});
