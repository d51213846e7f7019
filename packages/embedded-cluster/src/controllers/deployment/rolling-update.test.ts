import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newRevisionReplicas, oldRevisionReplicas, proportionalReplicas, rolloutBounds } from './rolling-update.ts';

const settings = fc.record({
  maxSurge: fc.oneof(
    fc.integer({ min: 0, max: 10 }),
    fc.integer({ min: 0, max: 100 }).map((percent) => `${String(percent)}%`),
  ),
  maxUnavailable: fc.oneof(
    fc.integer({ min: 0, max: 10 }),
    fc.integer({ min: 0, max: 100 }).map((percent) => `${String(percent)}%`),
  ),
});

describe('rolloutBounds', () => {
  test.each([
    ['rounds surge up and unavailability down', 10, { maxSurge: '25%', maxUnavailable: '25%' }, 3, 2],
    ['takes plain counts as they are', 10, { maxSurge: 4, maxUnavailable: 1 }, 4, 1],
    ['lets one pod be missing where nothing could move', 3, { maxSurge: 0, maxUnavailable: 0 }, 0, 1],
    ['defaults to a quarter each', 8, undefined, 2, 2],
  ])('%s', (_, replicas, given, maxSurge, maxUnavailable) => {
    expect(rolloutBounds(replicas, given)).toEqual({ replicas, maxSurge, maxUnavailable });
  });
});

describe('a rolling update', () => {
  test('always completes, and respects its bounds at every step', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        settings,
        fc.infiniteStream(fc.integer({ min: 0, max: 40 })),
        (replicas, given, arrivals) => {
          const bounds = rolloutBounds(replicas, given);
          let old = { name: 'old', replicas, available: replicas };
          let fresh = { name: 'new', replicas: 0, available: 0 };
          for (let step = 0; step < 500; step += 1) {
            const total = old.replicas + fresh.replicas;
            fresh = { ...fresh, replicas: newRevisionReplicas(bounds, fresh.replicas, total) };
            const kept = oldRevisionReplicas(bounds, fresh, [old]).get('old') ?? 0;
            old = { ...old, replicas: kept, available: Math.min(kept, old.available) };
            expect(old.replicas + fresh.replicas).toBeLessThanOrEqual(replicas + bounds.maxSurge);
            expect(old.available + fresh.available).toBeGreaterThanOrEqual(replicas - bounds.maxUnavailable);
            if (old.replicas === 0 && fresh.available === replicas) return true;
            const arriving = Math.max(1, arrivals.next().value);
            fresh = { ...fresh, available: Math.min(fresh.replicas, fresh.available + arriving) };
          }
          return false;
        },
      ),
    );
  });

  test('removes unavailable pods before available ones', () => {
    const bounds = rolloutBounds(10, { maxSurge: 2, maxUnavailable: 2 });
    const sizes = oldRevisionReplicas(bounds, { name: 'new', replicas: 0, available: 0 }, [
      { name: 'sick', replicas: 3, available: 1 },
      { name: 'well', replicas: 7, available: 7 },
    ]);
    expect(Object.fromEntries(sizes)).toEqual({ sick: 1, well: 7 });
  });
});

describe('proportionalReplicas', () => {
  test('distributes a change so that the sum is exact', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), settings, sizes, (replicas, given, before) => {
        const bounds = rolloutBounds(replicas, given);
        const total = before.reduce((sum, size) => sum + size, 0);
        const shares = [...before]
          .sort((a, b) => b - a)
          .map((size, index) => ({ name: `rs${String(index)}`, replicas: size, maxReplicasBefore: total }));
        const after = proportionalReplicas(bounds, shares);
        expect([...after.values()].reduce((sum, size) => sum + size, 0)).toBe(replicas + bounds.maxSurge);
        expect(Math.min(...after.values())).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
