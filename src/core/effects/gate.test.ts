import { describe, expect, test } from '@jest/globals';
import { MINUTE_MS } from '../model/units.ts';
import { DEFAULT_EFFECT_BUDGETS, exhaustedBudget, judgeEffect, nextCalm, type EffectIntent, type GateInputs } from './gate.ts';

const now = Date.parse('2026-11-20T12:00:00Z');
const fresh = { name: 'usage', confirmedAt: now - MINUTE_MS, periodMs: MINUTE_MS, problem: null };
const inputs: GateInputs = { now, leader: true, dryRun: false, pause: null, sources: [fresh], calmUntil: null };
const intent: EffectIntent = { owner: 'shop/Deployment/web', namespace: 'shop', lowers: true, dryRun: false };

describe('the gate', () => {
  test.each<[string, Partial<GateInputs>, Partial<EffectIntent>, string, string | null]>([
    ['lets through', {}, {}, 'pass', null],
    ['only the leader', { leader: false }, {}, 'held', 'not-leader'],
    ['nothing while paused', { pause: { reason: 'x', until: null } }, {}, 'held', 'paused'],
    ['nothing on old data', { sources: [{ ...fresh, confirmedAt: now - 2 * MINUTE_MS - 1 }] }, {}, 'held', 'stale-data'],
    ['nothing before anything is known', { sources: [{ ...fresh, confirmedAt: 0 }] }, {}, 'held', 'stale-data'],
    ['two periods old is fresh', { sources: [{ ...fresh, confirmedAt: now - 2 * MINUTE_MS }] }, {}, 'pass', null],
    ['no reduction while calm', { calmUntil: now + 1 }, {}, 'held', 'calm-start'],
    ['a raise while calm', { calmUntil: now + 1 }, { lowers: false }, 'pass', null],
    ['dry run of everything', { dryRun: true }, {}, 'dry-run', null],
    ['dry run of the policy', {}, { dryRun: true }, 'dry-run', null],
    ['a dry run is held like a real one', { dryRun: true, pause: { reason: 'x', until: null } }, {}, 'held', 'paused'],
  ])('%s', (_, changed, asked, kind, reason) => {
    const verdict = judgeEffect({ ...inputs, ...changed }, { ...intent, ...asked });
    expect([verdict.kind, 'reason' in verdict ? verdict.reason : null]).toEqual([kind, reason]);
  });

  test('what is held by old data says what is wrong with its source, as short as a status can bear', () => {
    const problem = `podresizepolicies.evenkeel.io: not permitted to list and watch ${'x'.repeat(1_000)}`;
    const verdict = judgeEffect(
      { ...inputs, sources: [{ ...fresh, name: 'informers', confirmedAt: now - 5 * MINUTE_MS, problem }] },
      intent,
    );
    const { message } = verdict as { message: string };
    expect(message).toContain('informers: last confirmed 5m ago (podresizepolicies.evenkeel.io: not permitted to list and watch x');
    expect(message.length).toBeLessThan(400);
  });

  test('calm begins with the first fresh data, lasts while it is fresh, and begins again after an outage', () => {
    const stale = { now, sources: [{ ...fresh, confirmedAt: 0 }] };
    expect(nextCalm(null, stale)).toBeNull();
    expect(nextCalm(null, inputs)).toBe(now);
    expect(nextCalm(now - 5, inputs)).toBe(now - 5);
    expect(nextCalm(now - 5, stale)).toBeNull();
  });

  test('budgets count by owner, namespace and cluster', () => {
    const spent = (count: number, owner: string, namespace: string) => Array.from({ length: count }, () => ({ at: now, owner, namespace }));
    const budgets = { perOwner: 2, perNamespace: 3, perCluster: 4 };
    expect(exhaustedBudget(spent(1, intent.owner, 'shop'), intent, budgets)).toBeNull();
    expect(exhaustedBudget(spent(2, intent.owner, 'shop'), intent, budgets)).toContain('on shop/Deployment/web');
    expect(exhaustedBudget(spent(3, 'other', 'shop'), intent, budgets)).toContain('in namespace shop');
    expect(exhaustedBudget(spent(4, 'other', 'other'), intent, budgets)).toContain('in the cluster');
    expect(exhaustedBudget(spent(4, 'other', 'other'), intent, DEFAULT_EFFECT_BUDGETS)).toBeNull();
  });
});
