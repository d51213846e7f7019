// A session stays open on every replica while the key that seals it is rotated, and ends where its key is removed.

import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { dashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';
import { FakeAccessStore } from '../../test/fakes/fake-access-store.ts';
import { DAY_MS, MINUTE_MS } from '#kube/units';
import { sessionKeyName } from '../core/access/session-keys.ts';
import { newSession, sealSession } from './auth/session-cookie.ts';

const ROOT = 'root@example.com';
let now: number;
let stores: readonly [FakeAccessStore, FakeAccessStore];
let replicas: readonly [DashboardClient, DashboardClient];
const keyOf = (at: number) => ({ id: sessionKeyName(at), bytes: randomBytes(32) });

beforeEach(async () => {
  now = Date.UTC(2026, 10, 27, 12);
  stores = [new FakeAccessStore(), new FakeAccessStore()];
  const old = keyOf(now - 7 * DAY_MS);
  for (const store of stores) {
    store.grant({ email: ROOT, role: 'admin' });
    store.keys = [old];
  }
  const start = (store: FakeAccessStore): Promise<DashboardClient> => {
    const shop = dashboardWorld();
    const world = { ...shop, sources: { ...shop.sources, access: store } };
    return startDashboard(world, {}, { store, now: () => now, isLocalEnabled: true, proxy: null });
  };
  replicas = [await start(stores[0]), await start(stores[1])];
});
afterEach(async () => {
  for (const replica of replicas) await replica.close();
});

/** The next cookie of the session, and whether both replicas open it. */
async function renew(cookie: string): Promise<{ readonly next: string; readonly isOpen: readonly boolean[] }> {
  const isOpen: boolean[] = [];
  let next = cookie;
  for (const replica of replicas) {
    const answer = await replica.get('/api/v1/nodes', { cookie: next });
    isOpen.push(answer.status === 200);
    next = answer.headers.get('set-cookie')?.split(';')[0] ?? next;
  }
  return { next, isOpen };
}

test('a rotation that one replica has not read yet ends no session', async () => {
  const cookie = `evenkeel=${sealSession(newSession(ROOT, now), stores[0].keys)}`;
  const [old] = stores[0].keys;
  const added = keyOf(now + MINUTE_MS);
  now += MINUTE_MS;
  // The other replica reads it up to ten seconds later.
  stores[0].keys = [old!, added];
  const during = await renew(cookie);
  expect(during.isOpen).toEqual([true, true]);
  expect(during.next).toContain(`evenkeel=${old!.id}.`);

  stores[1].keys = [old!, added];
  now += MINUTE_MS;
  const after = await renew(during.next);
  expect(after.isOpen).toEqual([true, true]);
  expect(after.next).toContain(`evenkeel=${added.id}.`);

  for (const store of stores) store.keys = [added];
  expect((await renew(after.next)).isOpen).toEqual([true, true]);
  expect((await renew(during.next)).isOpen).toEqual([false, false]);
});
