import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MINUTE_MS } from '#kube/units';
import { INCREASE, REDUCING_ROLL_BACK, REDUCTION } from './effect.ts';
import { judgeEffect, nextWarmUp, recentReductions, reductionsPerMinute, staleSource, type GateInputs, type JudgedEffect } from './gate.ts';

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
    ['lets through', {}, {}, 'pass', null],
    ['only the leader', { leader: false }, {}, 'blocked', 'not-leader'],
    ['nothing while paused', { pause: { reason: 'x', until: null } }, {}, 'blocked', 'paused'],
    ['nothing on old data', { sources: [informers, { ...fresh, confirmedAt: now - 2 * MINUTE_MS - 1 }] }, {}, 'blocked', 'stale-data'],
    ['a roll-back on old usage', { sources: [informers, { ...fresh, confirmedAt: 0 }] }, REDUCING_ROLL_BACK, 'pass', null],
    ['a raise after an OOM kill on old usage', { sources: [informers, { ...fresh, confirmedAt: 0 }] }, INCREASE, 'pass', null],
    [
      'no roll-back on an old status of pods',
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
    ['nothing that relies on a source that is not read', { sources: [informers] }, {}, 'blocked', 'stale-data'],
    ['nothing before anything is known', { sources: [informers, { ...fresh, confirmedAt: 0 }] }, {}, 'blocked', 'stale-data'],
    ['two periods old is fresh', { sources: [informers, { ...fresh, confirmedAt: now - 2 * MINUTE_MS }] }, {}, 'pass', null],
    ['no reduction during the warm-up', { warmUpUntil: now + 1 }, {}, 'blocked', 'warm-up'],
    ['a raise during the warm-up', { warmUpUntil: now + 1 }, INCREASE, 'pass', null],
    ['dry run of everything', { dryRun: true }, {}, 'dry-run', null],
    ['dry run of the policy', {}, { dryRun: true }, 'dry-run', null],
    ['a dry run is held like a real one', { dryRun: true, pause: { reason: 'x', until: null } }, {}, 'blocked', 'paused'],
  ])('%s', (_, changed, asked, kind, reason) => {
    const verdict = judgeEffect({ ...inputs, ...changed }, { ...reduction, ...asked });
    expect([verdict.kind, 'reason' in verdict ? verdict.reason : null]).toEqual([kind, reason]);
  });

  test('what is held by old data says what is wrong with its source, as short as a status can bear', () => {
    const problem = `podresizepolicies.evenkeel.io: not permitted to list and watch ${'x'.repeat(1_000)}`;
    const verdict = judgeEffect({ ...inputs, sources: [{ ...informers, confirmedAt: now - 5 * MINUTE_MS, problem }, fresh] }, reduction);
    const { message } = verdict as { message: string };
    expect(message).toContain('informers: last confirmed 5m ago (podresizepolicies.evenkeel.io: not permitted to list and watch x');
    expect(message.length).toBeLessThan(400);
  });

  test('the warm-up begins with the first fresh data, lasts while it is fresh, and begins again after an outage', () => {
    const stale = { now, sources: [{ ...fresh, confirmedAt: 0 }] };
    expect(nextWarmUp(null, stale)).toBeNull();
    expect(nextWarmUp(null, inputs)).toBe(now);
    expect(nextWarmUp(now - 5, inputs)).toBe(now - 5);
    expect(nextWarmUp(now - 5, stale)).toBeNull();
  });

  test.each<[string, number, boolean]>([
    ['a little ahead is fresh: clocks of machines differ', MINUTE_MS, false],
    ['an hour ahead is the word of a clock that was put back since', 60 * MINUTE_MS, true],
  ])('what was last confirmed %s', (_, aheadMs, isStale) => {
    const reported = staleSource({ now, sources: [{ ...fresh, confirmedAt: now + aheadMs }] });
    expect(reported !== null).toBe(isStale);
    if (isStale) expect(reported?.message).toContain('usage: last confirmed at a time that has not come yet');
  });

  test('a clock that is put back prolongs neither observation nor what was spent by more than their own time', () => {
    const HOUR = 60 * MINUTE_MS;
    expect(nextWarmUp(now + HOUR, inputs)).toBe(now);
    const recent = recentReductions(
      Array.from({ length: 50 }, () => now + HOUR),
      now,
    );
    expect(recent).toHaveLength(50);
    expect(recentReductions(recent, now + MINUTE_MS)).toEqual([]);
  });

  test('whatever the clock does, a minute as the machine counts it brings no more than the budget', () => {
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
        for (const { jump: by, wait } of looks) {
          wall += by + wait;
          machine += wait;
          if (by > 0) forward += 1;
          sentAt = recentReductions(sentAt, wall);
          if (sentAt.length >= budget) continue;
          sentAt = [...sentAt, wall];
          passed.push(machine);
        }
        // A clock that is put forward lets a minute pass in no time: once each time.
        for (const at of passed) {
          expect(passed.filter((each) => each > at - MINUTE_MS && each <= at).length).toBeLessThanOrEqual(budget * (1 + forward));
        }
      }),
      { numRuns: 100 },
    );
  });

  test('the cluster takes as many reductions a minute as it has nodes, 50 at least, or as many as are set', () => {
    expect([reductionsPerMinute(0, 3), reductionsPerMinute(0, 400), reductionsPerMinute(20, 400)]).toEqual([50, 400, 20]);
  });
});
