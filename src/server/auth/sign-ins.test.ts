import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import express, { type NextFunction, type Request, type Response } from 'express';
import { dashboardWorld, type DashboardWorld } from '../../../test/builders/dashboard-world.ts';
import { FakeAccessStore } from '../../../test/fakes/fake-access-store.ts';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import type { Problem } from '../problem.ts';
import { Authentication } from './authentication.ts';
import { DEFAULT_SESSION_LIMITS } from '../../core/access/session-limits.ts';
import { newSession, openSession, sealSession, type Session } from './session-cookie.ts';
import { SignIns, type SignInEvent, type VerifiedUser } from './sign-ins.ts';

const NOW = Date.UTC(2026, 10, 27, 12);
const ANA: VerifiedUser = { email: 'ana@example.com', name: 'Ana', via: 'oidc' };
const BEN: VerifiedUser = { email: 'ben@example.com', name: 'Ben', via: 'local' };

let world: DashboardWorld;
let store: FakeAccessStore;
let signIns: SignIns;
let events: SignInEvent[];
let server: Server;
beforeEach(async () => {
  world = dashboardWorld();
  store = new FakeAccessStore();
  const { timer, sources } = world;
  const dependencies = {
    store,
    sessions: DEFAULT_SESSION_LIMITS,
    timer,
    clock: sources.clock,
    logger: sources.logger,
    now: () => NOW,
    publicUrl: null,
    isLocalEnabled: false,
    proxy: null,
    rates: { limitCredential: () => undefined },
    maxFailuresPerMinute: 10,
  };
  signIns = new SignIns(new Authentication(dependencies), dependencies);
  events = [];
  signIns.subscribe((event) => void events.push(event));
  const app = express();
  app.get('/in', async (request, response) => void response.json(await signIns.complete(ANA, request, response)));
  app.get('/other', async (request, response) => void response.json(await signIns.complete(BEN, request, response)));
  app.get('/out', async (request, response) => void response.json(await signIns.signOut(request, response)));
  app.get('/refused', (request, response) => {
    signIns.refuse('oidc', 'unverified-email', request);
    response.end();
  });
  app.use((error: Problem, _request: Request, response: Response, _next: NextFunction) => void response.status(error.status).end());
  server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** The Set-Cookie value of the answer. */
const call = async (path: string, cookie = ''): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { headers: { cookie } });
  await response.text();
  expect(response.status).toBe(200);
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
};
const sessionIn = (cookie: string): Session | null =>
  openSession(cookie.slice('evenkeel='.length), store.keys, NOW, DEFAULT_SESSION_LIMITS);

test('the session records how and as whom the user signed in', async () => {
  expect(sessionIn(await call('/in'))).toMatchObject({ email: ANA.email, name: 'Ana', via: 'oidc', createdAt: NOW, seenAt: NOW });
});

test('every sign-in has a new session id, and ends the session that the browser had', async () => {
  const first = await call('/in');
  const second = await call('/in', first);
  const [before, after] = [sessionIn(first)!, sessionIn(second)!];
  expect(after.id).not.toBe(before.id);
  expect([store.ended.has(before.id), store.ended.has(after.id)]).toEqual([true, false]);
});

test('a user who signs in again and again is refused, until the next of twelve an hour, and others are not', async () => {
  const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)).status;
  for (let session = 0; session < 20; session += 1) await call('/in');
  expect([await statusOf('/in'), await statusOf('/other')]).toEqual([429, 200]);
  world.timer.advance(5 * MINUTE_MS);
  expect([await statusOf('/in'), await statusOf('/in')]).toEqual([200, 429]);
});

test('an ended session is stored until its end for every replica, also where this one takes it for idle or ended', async () => {
  const session = newSession(ANA.email, NOW - 3 * HOUR_MS);
  const cookie = `evenkeel=${sealSession(session, store.keys)}`;
  expect(sessionIn(cookie)).toBeNull();
  await call('/out', cookie);
  expect(store.ended.get(session.id)).toBe(session.createdAt + DEFAULT_SESSION_LIMITS.lifetimeMs);
});

test('listeners and the log get each outcome', async () => {
  const cookie = await call('/in');
  await call('/out', cookie);
  await call('/out', cookie);
  await call('/refused');
  const address = '127.0.0.1';
  expect(events).toEqual([
    { outcome: 'signed-in', via: 'oidc', email: ANA.email, address, reason: null },
    { outcome: 'signed-out', via: 'oidc', email: ANA.email, address, reason: null },
    { outcome: 'refused', via: 'oidc', email: null, address, reason: 'unverified-email' },
  ]);
  const log = JSON.stringify(world.logger);
  for (const text of ['Signed in', 'Signed out', 'Sign-in failed', 'unverified-email']) expect(log).toContain(text);
});
