import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { T0 } from '../../../../test/builders/rightsizing.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../model/units.ts';
import { NO_MEMORY, type ResizeMemory } from './situation.ts';
import { withoutTimesToCome } from './turned-back-clock.ts';

const around = fc.integer({ min: T0 - DAY_MS, max: T0 + DAY_MS });

const memories: fc.Arbitrary<ResizeMemory> = fc
  .record({ applied: around, previous: around, rolledBack: around, failed: around, lowered: around })
  .map(({ applied, previous, rolledBack, failed, lowered }) => ({
    ...NO_MEMORY,
    lastApplied: { at: applied, by: 'evenkeel', reason: '', pods: 1, values: new Map() },
    previous: { at: previous, values: new Map() },
    rolledBack: {
      at: rolledBack,
      heldUntil: rolledBack + DAY_MS,
      reason: '',
      message: '',
      count: 1,
      requestedAt: rolledBack,
      values: new Map(),
    },
    failures: [{ pod: 'web-1', uid: 'u', state: 'deferred', since: failed, message: '', values: new Map() }],
    memoryLimitLoweredAt: new Map([['main', lowered]]),
  }));

function timesOf({ lastApplied, previous, rolledBack, failures, memoryLimitLoweredAt }: ResizeMemory): readonly number[] {
  return [lastApplied!.at, previous!.at, rolledBack!.at, failures[0]!.since, memoryLimitLoweredAt.get('main')!];
}

test('nothing that is remembered is to come, what has come stays, and their order stays', () => {
  fc.assert(
    fc.property(memories, (memory) => {
      const after = withoutTimesToCome(memory, T0);
      const [before, now] = [timesOf(memory), timesOf(after)];
      expect(Math.max(...now)).toBeLessThanOrEqual(T0 + 2 * MINUTE_MS);
      for (const [index, at] of before.entries()) {
        if (at <= T0) expect(now[index]).toBe(at);
        for (const [other, later] of before.entries()) if (at > T0 && at <= later) expect(now[index]).toBeLessThanOrEqual(now[other]!);
      }
      expect(after.rolledBack!.heldUntil - after.rolledBack!.at).toBe(DAY_MS);
      // A wish of a person is told by it.
      expect(after.rolledBack!.requestedAt).toBe(memory.rolledBack!.requestedAt);
      expect(withoutTimesToCome(after, T0)).toEqual(after);
    }),
    { numRuns: 200 },
  );
});

test('clocks of replicas that differ a little move nothing', () => {
  const memory: ResizeMemory = { ...NO_MEMORY, previous: { at: T0 + MINUTE_MS, values: new Map() } };
  expect(withoutTimesToCome(memory, T0)).toBe(memory);
  expect(withoutTimesToCome({ ...NO_MEMORY, classes: new Map([['s', memory]]) }, T0 - HOUR_MS).classes?.get('s')?.previous?.at).toBe(
    T0 - HOUR_MS,
  );
});
