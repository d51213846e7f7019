import { describe, expect, test } from '@jest/globals';
import { annotationAfter, effectiveSpec, overrideFaults, readPolicyOverrides, valueOfField } from './policy-overrides.ts';
import { mergePatchFrom } from './merge-patch-from.ts';

const NOW = Date.UTC(2026, 10, 20);
const written = (overrides: object) => ({ 'evenkeel.io/overrides': JSON.stringify(overrides) });

describe('overrides are validated by the schema of the kind', () => {
  test.each([
    ['PodResizePolicy', 'mode', 'Recommend'],
    ['PodResizePolicy', 'cooldown', '2h'],
    ['PodResizePolicy', 'cpu.min', '100m'],
    ['PodResizePolicy', 'maxConcurrent', '25%'],
    ['PodResizePolicy', 'paused', true],
    ['PodResizePolicy', 'windows', [{ start: '0 2 * * *', duration: '4h' }]],
    ['NodeScalingPolicy', 'maxNodes', 12],
    ['NodeScalingPolicy', 'consolidation.enabled', false],
    ['RebalancePolicy', 'thresholds.imbalanceScore', 35],
    ['RebalancePolicy', 'dryRun', true],
  ] as const)('%s %s = %j', (kind, field, value) => {
    expect(overrideFaults(kind, field, value)).toEqual([]);
  });

  test.each([
    ['PodResizePolicy', 'mode', 'Sometimes', 'value', /one of Observe, Recommend/],
    ['PodResizePolicy', 'cooldown', 'soon', 'value', /write a duration such as/],
    ['PodResizePolicy', 'memory.min', '100m', 'value', /memory below 1Mi is too small/],
    ['PodResizePolicy', 'memory.min', 512, 'value', /memory below 1Mi is too small/],
    ['PodResizePolicy', 'cpu.min', -1, 'value', /write a quantity such as/],
    ['PodResizePolicy', 'maxConcurrent', 1.5, 'value', /whole number/],
    ['PodResizePolicy', 'maxConcurrent', 0, 'value', /at least 1/],
    ['PodResizePolicy', 'maxConcurrent', '200%', 'value', /write a count such as 5/],
    ['PodResizePolicy', 'minConfidence', 2, 'value', /at most 1/],
    ['PodResizePolicy', 'windows', [{ duration: '4h' }], 'value', /required/],
    ['PodResizePolicy', 'windows', 'always', 'value', /list/],
    ['PodResizePolicy', 'cpu.mim', '1', 'field', /no spec.cpu.mim; its fields are .*cpu.min/],
    ['PodResizePolicy', '__proto__', {}, 'field', /no spec/],
    ['PodResizePolicy', 'paused', false, 'value', /only be overridden to true/],
    ['RebalancePolicy', 'dryRun', false, 'value', /only be overridden to true/],
    ['RebalancePolicy', 'respectPDB', true, 'field', /never/],
  ] as const)('%s %s = %j is refused', (kind, field, value, of, message) => {
    expect(overrideFaults(kind, field, value)[0]).toMatchObject({ of, message: expect.stringMatching(message) });
  });
});

describe('the annotation', () => {
  test('has no effect after its expiry, even if it was not removed', () => {
    const annotations = written({
      cooldown: { value: '2h', by: 'ann', at: '2026-11-19T00:00:00.000Z', expiresAt: '2026-11-20T00:00:01.000Z', reason: 'sale' },
    });
    const before = readPolicyOverrides('PodResizePolicy', annotations, NOW);
    expect(before.inForce).toEqual([
      { field: 'cooldown', value: '2h', by: 'ann', at: NOW - 86_400_000, expiresAt: NOW + 1000, reason: 'sale' },
    ]);
    expect(before.nextExpiry).toBe(NOW + 1000);
    const after = readPolicyOverrides('PodResizePolicy', annotations, NOW + 1000);
    expect([after.inForce.length, after.expired.length, after.nextExpiry]).toEqual([0, 1, null]);
  });

  test('is applied without invalid overrides, which are reported', () => {
    const { inForce, problems } = readPolicyOverrides(
      'PodResizePolicy',
      written({ mode: { value: 'Sometimes' }, cooldown: { value: '2h' }, goal: 'Safe', interval: { value: '1m', expiresAt: 'later' } }),
      NOW,
    );
    expect(inForce.map(({ field }) => field)).toEqual(['cooldown']);
    expect(problems).toEqual([expect.stringContaining("'goal'"), expect.stringContaining("'interval'"), expect.stringContaining("'mode'")]);
  });

  test.each(['{', '[]', '"x"', 'null'])('%s is reported and ignored', (text) => {
    const read = readPolicyOverrides('PodResizePolicy', { 'evenkeel.io/overrides': text }, NOW);
    expect([read.inForce, read.problems.length]).toEqual([[], 1]);
    expect(annotationAfter(text, 'mode', null).kind).toBe('unreadable');
  });

  test('keeps invalid overrides when another one is set or removed', () => {
    const text = '{"goal":"Safe","cooldown":{"value":"2h"}}';
    expect(annotationAfter(text, 'cooldown', null)).toEqual({ kind: 'annotation', text: '{"goal":"Safe"}' });
    expect(annotationAfter('{"cooldown":{"value":"2h"}}', 'cooldown', null)).toEqual({ kind: 'annotation', text: null });
  });
});

describe('the effective spec', () => {
  const override = (field: string, value: unknown) => ({ field, value, by: null, at: null, expiresAt: null, reason: null });
  const spec = { mode: 'Auto', cpu: { min: '10m', limit: { rule: 'Keep' } } };

  test('has the overrides applied, nested fields last', () => {
    expect(effectiveSpec(spec, [override('cpu.limit.ratio', 2), override('cpu', { max: '1' }), override('memory.min', '64Mi')])).toEqual({
      mode: 'Auto',
      cpu: { max: '1', limit: { ratio: 2 } },
      memory: { min: '64Mi' },
    });
    expect(spec).toEqual({ mode: 'Auto', cpu: { min: '10m', limit: { rule: 'Keep' } } });
    expect([valueOfField(spec, 'cpu.limit.rule'), valueOfField(spec, 'cpu.limit.ratio'), valueOfField(spec, 'mode.x')]).toEqual([
      'Keep',
      null,
      null,
    ]);
  });

  test('differs from the spec by a merge patch', () => {
    const after = effectiveSpec(spec, [override('cpu', { max: '1' }), override('mode', 'Off')]);
    expect(mergePatchFrom(spec, after)).toEqual({ mode: 'Off', cpu: { min: null, limit: null, max: '1' } });
    expect(mergePatchFrom(spec, spec)).toEqual({});
  });
});
