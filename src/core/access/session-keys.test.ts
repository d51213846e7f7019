import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#kube/units';
import { dueRotation, ROTATE_EVERY_MS, sealingKey, sessionKeyKeptMs, sessionKeyName } from './session-keys.ts';
import { DEFAULT_SESSION_LIMITS } from './session-limits.ts';

const KEPT_MS = sessionKeyKeptMs(DEFAULT_SESSION_LIMITS.lifetimeMs);
const NOW = Date.UTC(2026, 10, 27, 9, 30);
const named = (ago: number): string => sessionKeyName(NOW - ago);
const seals = (...names: readonly string[]): string | undefined => sealingKey(names.map((id) => ({ id })), NOW)?.id; // prettier-ignore

describe('the key that seals', () => {
  test.each<[string, readonly string[], string | undefined]>([
    ['is none without keys', [], undefined],
    ['is the only one, however new', [named(0)], named(0)],
    ['is the newest', [named(DAY_MS), named(HOUR_MS)], named(HOUR_MS)],
    ['is the one before a key that not every replica may have read', [named(DAY_MS), named(MINUTE_MS - 1)], named(DAY_MS)],
    ['is the newest after a minute', [named(DAY_MS), named(MINUTE_MS)], named(MINUTE_MS)],
    ['is one that a user named otherwise, where it sorts last', [named(DAY_MS), 'mine'], 'mine'],
    ['is one named by a far time, where it sorts last', [named(DAY_MS), '20990101T000000000Z'], '20990101T000000000Z'],
  ])('%s', (_what, names, expected) => {
    expect(seals(...names)).toBe(expected);
  });
});

describe('a rotation', () => {
  test.each<[string, readonly string[], boolean, readonly string[]]>([
    ['adds the first key', [], true, []],
    ['adds none within a week', [named(ROTATE_EVERY_MS - 1)], false, []],
    ['adds one after a week', [named(ROTATE_EVERY_MS)], true, []],
    ['adds one to a name that is no time, since its age is unknown', ['1'], true, []],
    ['adds none that would sort before the newest', [named(ROTATE_EVERY_MS), 'mine'], false, []],
    ['keeps a key until its last session has ended', [named(DAY_MS), named(KEPT_MS - 1)], false, []],
    ['removes a key after that', [named(2 * DAY_MS), named(DAY_MS), named(KEPT_MS)], false, [named(2 * DAY_MS), named(DAY_MS)]],
    ['never removes the only key', [named(365 * DAY_MS)], true, []],
    ['removes none before one whose age is unknown', [named(365 * DAY_MS), 'mine'], false, []],
  ])('%s', (_what, names, isAdded, remove) => {
    expect(dueRotation(names, NOW, DEFAULT_SESSION_LIMITS.lifetimeMs)).toEqual({ add: isAdded ? named(0) : null, remove });
  });
});

test('every session opens until it ends, on replicas that read keys late and by clocks that differ, and no key outlives its use', () => {
  const skew = fc.integer({ min: -2 * MINUTE_MS, max: 2 * MINUTE_MS });
  const steps = fc.array(fc.integer({ min: 10 * SECOND_MS, max: 6 * HOUR_MS }), { minLength: 100, maxLength: 200 });
  const lifetimes = fc.constantFrom(15 * MINUTE_MS, DEFAULT_SESSION_LIMITS.lifetimeMs, DAY_MS);
  fc.assert(
    fc.property(skew, skew, steps, lifetimes, (leader, follower, waits, lifetimeMs) => {
      let now = NOW;
      let names: readonly string[] = [];
      let known = names;
      const sealed: { readonly key: string; readonly at: number }[] = [];
      for (const wait of waits) {
        now += wait;
        // A replica reads the keys at least every ten seconds: here exactly before the leader changes them.
        known = names;
        const { add, remove } = dueRotation(names, now + leader, lifetimeMs);
        names = [...names.filter((name) => !remove.includes(name)), ...(add === null ? [] : [add])];
        for (const [keys, clock] of [
          [names, leader],
          [known, follower],
        ] as const) {
          const key = sealingKey(keys.map((id) => ({ id })), now + clock); // prettier-ignore
          if (key !== undefined) sealed.push({ key: key.id, at: now });
        }
        const open = sealed.filter(({ at }) => at + lifetimeMs > now).map(({ key }) => key);
        expect(open.filter((key) => !names.includes(key) || (known.length > 0 && !known.includes(key)))).toEqual([]);
        expect(names.length).toBeLessThanOrEqual(2 + Math.ceil(sessionKeyKeptMs(lifetimeMs) / ROTATE_EVERY_MS));
      }
      expect(new Set(sealed.map(({ key }) => key)).size).toBeGreaterThanOrEqual(Math.floor((now - NOW) / (2 * ROTATE_EVERY_MS)));
    }),
    { numRuns: 20 },
  );
});
