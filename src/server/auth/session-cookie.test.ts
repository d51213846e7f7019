import { expect, test } from '@jest/globals';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import { CLOCK_DIFFERENCE_MS, DEFAULT_SESSION_LIMITS } from '../../core/access/session-limits.ts';
import { newSession, openSession, sealSession } from './session-cookie.ts';

const KEYS = [{ id: '1', bytes: Buffer.alloc(32, 1) }];
const NOW = Date.UTC(2026, 10, 27, 12);

test.each<[string, { readonly begunWith: number; readonly lifetimeMs: number; readonly endsAfter: number }]>([
  ['its lifetime', { begunWith: 12 * HOUR_MS, lifetimeMs: 12 * HOUR_MS, endsAfter: 12 * HOUR_MS }],
  ['a lifetime that became shorter', { begunWith: 12 * HOUR_MS, lifetimeMs: 2 * HOUR_MS, endsAfter: 2 * HOUR_MS }],
  [
    'the lifetime with which it began, where the setting became longer',
    { begunWith: HOUR_MS, lifetimeMs: 12 * HOUR_MS, endsAfter: HOUR_MS },
  ],
])('a session in use ends after %s', (_what, { begunWith, lifetimeMs, endsAfter }) => {
  const session = newSession('ana@example.com', NOW, { lifetimeMs: begunWith });
  const openAfter = (elapsed: number) => {
    const cookie = sealSession({ ...session, seenAt: NOW + elapsed }, KEYS);
    return openSession(cookie, KEYS, NOW + elapsed, { lifetimeMs, idleMs: HOUR_MS })?.endsAt ?? null;
  };
  expect([openAfter(0), openAfter(endsAfter - 1), openAfter(endsAfter)]).toEqual([NOW + endsAfter, NOW + endsAfter, null]);
});

test('a session that has ended for this replica is opened for its sign-out: another replica may have a longer lifetime', () => {
  const cookie = sealSession(newSession('ana@example.com', NOW), KEYS);
  expect(openSession(cookie, KEYS, NOW + 3 * HOUR_MS, { lifetimeMs: HOUR_MS, idleMs: HOUR_MS })).toBeNull();
  expect(openSession(cookie, KEYS, NOW + 3 * HOUR_MS, null)?.sealedEndsAt).toBe(NOW + 12 * HOUR_MS);
  expect(openSession(cookie, KEYS, NOW + 12 * HOUR_MS, null)).toBeNull();
});

test.each([HOUR_MS, 5 * MINUTE_MS])('a session without a request for %d ms has ended', (idleMs) => {
  const cookie = sealSession(newSession('ana@example.com', NOW), KEYS);
  const isOpenAfter = (elapsed: number) => openSession(cookie, KEYS, NOW + elapsed, { ...DEFAULT_SESSION_LIMITS, idleMs }) !== null;
  expect([isOpenAfter(idleMs - 1), isOpenAfter(idleMs)]).toEqual([true, false]);
});

test('a session of a replica with a faster clock is valid, within the tolerated difference', () => {
  const isOpen = (ahead: number) =>
    openSession(sealSession(newSession('ana@example.com', NOW + ahead), KEYS), KEYS, NOW, DEFAULT_SESSION_LIMITS) !== null;
  expect([isOpen(CLOCK_DIFFERENCE_MS), isOpen(CLOCK_DIFFERENCE_MS + 1)]).toEqual([true, false]);
});
