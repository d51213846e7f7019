import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MINUTE_MS } from '#kube/units';
import { INCREASE, REDUCING_ROLL_BACK, REDUCTION } from './effect.ts';
import {
  judgeEffect,
  nextWarmUp,
  recentReductions,
  reductionsPerMinute,
  findStaleSource,
  type GateInputs,
  type JudgedEffect,
} from './gate.ts';

const now = Date.parse('2026-11-20T12:00:00Z');
const fresh = { name: 'usage' as const, confirmedAt: now - MINUTE_MS, periodMs: MINUTE_MS, problem: null };
const informers = { ...fresh, name: 'informers' as const };
const inputs: GateInputs = {
  now,
  leader: true,
  dryRun: false,
  pause: null,
  sources: [informers, fresh],
  warmUpUntil: null,
};
const reduction: JudgedEffect = { ...REDUCTION, dryRun: false };

describe('the gate', () => {
  test.each<[string, Partial<GateInputs>, Partial<JudgedEffect>, string, string | null]>([
    ['passes an effect without a blocker', {}, {}, 'pass', null],
    ['blocks a replica that is not the leader', { leader: false }, {}, 'blocked', 'not-leader'],
    ['blocks while paused', { pause: { reason: 'x', until: null } }, {}, 'blocked', 'paused'],
    ['blocks on stale data', { sources: [informers, { ...fresh, confirmedAt: now - 2 * MINUTE_MS - 1 }] }, {}, 'blocked', 'stale-data'],
    ['passes a roll-back on stale usage', { sources: [informers, { ...fresh, confirmedAt: 0 }] }, REDUCING_ROLL_BACK, 'pass', null],
    ['passes a raise after an OOM kill on stale usage', { sources: [informers, { ...fresh, confirmedAt: 0 }] }, INCREASE, 'pass', null],
    [
      'blocks a roll-back on a stale status of pods',
      {
        sources: [
          { ...fresh, confirmedAt: 0 },
          { ...fresh, name: 'informers', confirmedAt: 0 },
        ],
      },
      REDUCING_ROLL_BACK,
      'blocked',
      'stale-data',
    ],
    ['blocks an effect that relies on a source that is not read', { sources: [informers] }, {}, 'blocked', 'stale-data'],
    ['blocks before the first data', { sources: [informers, { ...fresh, confirmedAt: 0 }] }, {}, 'blocked', 'stale-data'],
    ['passes on data of two periods ago', { sources: [informers, { ...fresh, confirmedAt: now - 2 * MINUTE_MS }] }, {}, 'pass', null],
    ['blocks a reduction during the warm-up', { warmUpUntil: now + 1 }, {}, 'blocked', 'warm-up'],
    ['passes a raise during the warm-up', { warmUpUntil: now + 1 }, INCREASE, 'pass', null],
    ['makes every effect a dry run', { dryRun: true }, {}, 'dry-run', null],
    ['makes an effect of a policy a dry run', {}, { dryRun: true }, 'dry-run', null],
    ['blocks a dry run like an effect', { dryRun: true, pause: { reason: 'x', until: null } }, {}, 'blocked', 'paused'],
  ])('%s', (_, changed, effect, kind, reason) => {
    const verdict = judgeEffect({ ...inputs, ...changed }, { ...reduction, ...effect });
    expect([verdict.kind, 'reason' in verdict ? verdict.reason : null]).toEqual([kind, reason]);
  });

  test('an effect blocked by stale data reports the problem of its source, truncated for a status', () => {
    const problem = `podresizepolicies.evenkeel.io: not permitted to list and watch ${'x'.repeat(1_000)}`;
    const verdict = judgeEffect({ ...inputs, sources: [{ ...informers, confirmedAt: now - 5 * MINUTE_MS, problem }, fresh] }, reduction);
    const { message } = verdict as { message: string };
    expect(message).toContain('informers: last confirmed 5m ago (podresizepolicies.evenkeel.io: not permitted to list and watch x');
    expect(message.length).toBeLessThan(400);
  });

  test('the warm-up begins with the first fresh data, continues while data is fresh, and begins again after an outage', () => {
    const stale = { now, sources: [{ ...fresh, confirmedAt: 0 }] };
    expect(nextWarmUp(null, stale)).toBeNull();
    expect(nextWarmUp(null, inputs)).toBe(now);
    expect(nextWarmUp(now - 5, inputs)).toBe(now - 5);
    expect(nextWarmUp(now - 5, stale)).toBeNull();
  });

  test.each<[string, number, boolean]>([
    ['a little in the future is fresh because of clock skew', MINUTE_MS, false],
    ['an hour in the future is stale: the clock was set back', 60 * MINUTE_MS, true],
  ])('a source confirmed %s', (_, aheadMs, isStale) => {
    const reported = findStaleSource({ now, sources: [{ ...fresh, confirmedAt: now + aheadMs }] });
    expect(reported !== null).toBe(isStale);
    if (isStale) expect(reported?.message).toContain('usage: last confirmed in the future: the clock was set back');
  });

  test('a clock that is set back prolongs the warm-up and the budget by no more than their length', () => {
    const HOUR = 60 * MINUTE_MS;
    expect(nextWarmUp(now + HOUR, inputs)).toBe(now);
    const recent = recentReductions(
      Array.from({ length: 50 }, () => now + HOUR),
      now,
    );
    expect(recent).toHaveLength(50);
    expect(recentReductions(recent, now + MINUTE_MS)).toEqual([]);
  });

  test('with any clock changes a minute of machine time has no more reductions than the budget', () => {
    const jump = fc.integer({ min: -3_600_000, max: 3_600_000 });
    const look = fc.record({
      jump: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { arbitrary: jump, weight: 1 }),
      wait: fc.nat(5_000),
    });
    const budget = 4;
    fc.assert(
      fc.property(fc.array(look, { maxLength: 200 }), (looks) => {
        let [wall, machine] = [now, 0];
        let sentAt: readonly number[] = [];
        const passed: number[] = [];
        let forward = 0;
        for (const { jump: offset, wait } of looks) {
          wall += offset + wait;
          machine += wait;
          if (offset > 0) forward += 1;
          sentAt = recentReductions(sentAt, wall);
          if (sentAt.length >= budget) continue;
          sentAt = [...sentAt, wall];
          passed.push(machine);
        }
        // Each time the clock is set forward a minute passes at once.
        for (const at of passed) {
          expect(passed.filter((other) => other > at - MINUTE_MS && other <= at).length).toBeLessThanOrEqual(budget * (1 + forward));
        }
      }),
      { numRuns: 100 },
    );
  });

  test('the budget is one reduction a minute for each node, at least 50, or the setting', () => {
    expect([reductionsPerMinute(0, 3), reductionsPerMinute(0, 400), reductionsPerMinute(20, 400)]).toEqual([50, 400, 20]);
  });
});
