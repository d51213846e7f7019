import { describe, expect, test } from '@jest/globals';
import { MiB } from '#kube/units';
import { containerRules, sourcedRules, wideningOverrides, type RuleSources } from './container-rules.ts';
import { NO_AUTOSCALER_LEASE } from './autoscaler-lease.ts';
import { DEFAULT_POLICY_RULES, containerMode, containerPolicyOf, modeInForce, paceInForce, findDailyReason } from './policy-rules.ts';
import { readPolicy } from './read-policy.ts';
import { readOverrides } from './workload-overrides.ts';
import type { PodResizePolicySpec } from '../../../apis/v1alpha1/index.ts';

function rulesOf(spec: PodResizePolicySpec) {
  const reading = readPolicy(
    { apiVersion: 'evenkeel.io/v1alpha1', kind: 'PodResizePolicy', metadata: { name: 'p' }, spec },
    { admission: true, prometheus: true },
  );
  if (!reading.ok) throw new Error(reading.message);
  return reading.rules;
}

const none = readOverrides({});
const allPolicy: RuleSources = { of: () => 'policy' };
const node = { cpuMillicores: 8000, memoryBytes: 32768 * MiB };
const nodes = { largestNode: node, nodesFollow: false };

describe('reading a policy', () => {
  test('an empty policy has the default rules', () => {
    expect(rulesOf({})).toEqual({ ...DEFAULT_POLICY_RULES, name: 'p' });
  });

  test('minConfidence is one number; its default is higher for memory', () => {
    expect(rulesOf({}).minConfidence).toEqual({ cpu: 0.6, memory: 0.8 });
    expect(rulesOf({ minConfidence: 0.5 }).minConfidence).toEqual({ cpu: 0.5, memory: 0.5 });
  });

  test('maxConcurrent is a count or a percentage', () => {
    expect(rulesOf({}).maxConcurrent).toEqual({ kind: 'percent', ratio: 0.1 });
    expect(rulesOf({ maxConcurrent: '25%' }).maxConcurrent).toEqual({ kind: 'percent', ratio: 0.25 });
    expect(rulesOf({ maxConcurrent: 3 }).maxConcurrent).toEqual({ kind: 'count', count: 3 });
    expect(() => rulesOf({ maxConcurrent: '0%' })).toThrow(/^spec.maxConcurrent: '0%' is neither a count nor a percentage; write /);
  });

  test('the goal decides minChangeRatio unless the policy sets it', () => {
    expect(rulesOf({ goal: 'Savings' }).container.cpu.minChangeRatio).toBe(0.05);
    expect(rulesOf({ goal: 'Savings', cpu: { goal: 'Safe' } }).container.cpu.minChangeRatio).toBe(0.15);
    expect(rulesOf({ goal: 'Savings', cpu: { goal: 'Safe', minChangeRatio: 0.3 } }).container.cpu.minChangeRatio).toBe(0.3);
  });

  test('the first matching container override applies, and fields that it omits come from the policy', () => {
    const rules = rulesOf({
      cpu: { max: '2' },
      containers: [
        { name: 'istio-*', mode: 'Off' },
        { name: '*', cpu: { min: '100m' } },
      ],
    });
    expect(containerPolicyOf(rules, 'istio-proxy').mode).toBe('Off');
    expect(containerPolicyOf(rules, 'web').cpu).toMatchObject({ min: 100, max: 2000 });
  });

  test.each([
    ['Hourly', 'InPlace', 'Auto', true, 'Hourly'],
    ['Hourly', 'InPlace', 'Auto', false, 'Daily'],
    ['Hourly', 'InPlace', 'Approve', true, 'Daily'],
    ['Hourly', 'InPlace', 'Recommend', true, 'Daily'],
    ['Hourly', 'OnRestart', 'Auto', true, 'Daily'],
    ['Hourly', 'InPlaceOrEvict', 'Auto', true, 'Daily'],
    ['Daily', 'InPlace', 'Auto', true, 'Daily'],
  ] as const)('pace %s with %s in mode %s, nodes that follow the hour: %s, acts as %s', (pace, apply, mode, nodesFollow, expected) => {
    expect(paceInForce({ ...DEFAULT_POLICY_RULES, pace, apply }, mode, nodesFollow)).toBe(expected);
  });

  test('pace Hourly acts as Daily unless evenkeel-autoscaler holds its lease', () => {
    expect(rulesOf({}).pace).toBe('Daily');
    const hourly = rulesOf({ mode: 'Auto', pace: 'Hourly' });
    const paceOf = (nodesFollow: boolean) => containerRules(hourly, none, 'web', node, null, nodesFollow).pace;
    expect([paceOf(false), paceOf(true)]).toEqual(['Daily', 'Hourly']);
    expect(sourcedRules(hourly, none, 'web', { largestNode: node, nodesFollow: true, sources: allPolicy })).toContainEqual({
      name: 'pace',
      value: 'Hourly',
      source: 'policy',
    });
  });

  test.each(['Approve', 'Recommend'] as const)('a container in mode %s of a workload with pace Hourly has Daily values', (mode) => {
    const hourly = rulesOf({ mode: 'Auto', pace: 'Hourly', containers: [{ name: 'web', mode }] });
    const paceOf = (container: string) => containerRules(hourly, none, container, node, null, true).pace;
    expect([paceOf('web'), paceOf('worker')]).toEqual(['Daily', 'Hourly']);
    expect(sourcedRules(hourly, none, 'web', { largestNode: node, nodesFollow: true, sources: allPolicy })).toContainEqual({
      name: 'pace',
      value: 'Daily',
      source: 'default',
    });
  });

  test.each([
    ['Hourly', 'InPlace', 'Auto', false, 'evenkeel-autoscaler holds no lease: it is not running or has no leader'],
    ['Hourly', 'InPlace', 'Recommend', true, 'mode Recommend makes no hourly changes'],
    ['Hourly', 'OnRestart', 'Auto', true, 'apply OnRestart would re-create pods every hour'],
    ['Hourly', 'InPlace', 'Auto', true, null],
    ['Daily', 'InPlace', 'Auto', false, null],
  ] as const)('pace %s with %s in mode %s, lease held: %s, acts as Daily because: %s', (pace, apply, mode, isHeld, expected) => {
    const lease = isHeld ? { isHeld } : NO_AUTOSCALER_LEASE;
    expect(findDailyReason({ ...DEFAULT_POLICY_RULES, pace, apply, mode }, lease)).toBe(expected);
    expect(paceInForce({ ...DEFAULT_POLICY_RULES, pace, apply }, mode, isHeld) === pace).toBe(expected === null);
  });

  test('the mode of a container can only be more restrictive than that of its workload', () => {
    const policy = { ...DEFAULT_POLICY_RULES.container, mode: 'Auto' as const };
    expect(containerMode(policy, 'Recommend')).toBe('Recommend');
    expect(containerMode({ ...policy, mode: 'Off' }, 'Auto')).toBe('Off');
    expect(containerMode({ ...policy, mode: null }, 'Auto')).toBe('Auto');
  });

  test('a whole number is a quantity, and a fraction of a byte is refused with the amount that was meant', () => {
    const read = (spec: PodResizePolicySpec) =>
      readPolicy(
        { apiVersion: 'evenkeel.io/v1alpha1', kind: 'PodResizePolicy', metadata: { name: 'p' }, spec },
        { admission: false, prometheus: false },
      );
    expect(read({ cpu: { min: 2 } })).toMatchObject({ ok: true, rules: { container: { cpu: { min: 2000 } } } });
    expect(read({ memory: { min: '100m' } })).toMatchObject({
      ok: false,
      message: 'spec.memory.min: 100m is a tenth of a byte; write 100Mi',
    });
  });

  test('every problem is reported at once', () => {
    const reading = readPolicy(
      {
        apiVersion: 'evenkeel.io/v1alpha1',
        kind: 'PodResizePolicy',
        metadata: { name: 'p' },
        spec: { cooldown: '1x', interval: '999ms', cpu: { min: 'lots' }, namespaces: ['A'] },
      },
      { admission: false, prometheus: false },
    );
    expect(reading).toMatchObject({ ok: false, reason: 'InvalidSpec' });
    for (const field of ['spec.cooldown', 'spec.interval', 'spec.cpu.min', 'spec.namespaces[0]'])
      expect(reading).toMatchObject({ message: expect.stringContaining(field) });
  });
});

describe('bounds', () => {
  const bounds = (spec: PodResizePolicySpec, annotations: Record<string, string> = {}) => {
    const { cpu } = containerRules(rulesOf(spec), readOverrides(annotations), 'main', node);
    return [cpu.min, cpu.max];
  };

  test.each<[string, PodResizePolicySpec, Record<string, string>, [number, number]]>([
    ['by default the recommender’s floor and the largest node', {}, {}, [10, 8000]],
    ['of the policy', { cpu: { min: '50m', max: '2' } }, {}, [50, 2000]],
    [
      'of annotations take precedence',
      { cpu: { min: '50m', max: '2' } },
      { 'evenkeel.io/floor': '{"*":{"cpu":"20m"}}', 'evenkeel.io/ceiling': '{"main":{"cpu":"3"}}' },
      [20, 3000],
    ],
    ['a floor above the policy’s max raises it', { cpu: { max: '1' } }, { 'evenkeel.io/floor': '{"main":{"cpu":"1500m"}}' }, [1500, 1500]],
    ['a ceiling below the policy’s min lowers it', { cpu: { min: '1' } }, { 'evenkeel.io/ceiling': '{"main":{"cpu":"200m"}}' }, [200, 200]],
    ['never above the largest node', { cpu: { max: '64' } }, {}, [10, 8000]],
  ])('%s', (_, spec, annotations, expected) => {
    expect(bounds(spec, annotations)).toEqual(expected);
  });

  test.each<[string, PodResizePolicySpec, Record<string, string>, [number, number]]>([
    ['ceiling above max', { cpu: { min: '50m', max: '2' } }, { 'evenkeel.io/ceiling': '{"main":{"cpu":"3"}}' }, [50, 2000]],
    ['ceiling below max', { cpu: { min: '50m', max: '2' } }, { 'evenkeel.io/ceiling': '{"main":{"cpu":"1"}}' }, [50, 1000]],
    ['floor below min', { cpu: { min: '50m', max: '2' } }, { 'evenkeel.io/floor': '{"*":{"cpu":"20m"}}' }, [50, 2000]],
    ['floor above max', { cpu: { max: '1' } }, { 'evenkeel.io/floor': '{"main":{"cpu":"1500m"}}' }, [10, 1000]],
    ['floor above min', { cpu: { min: '50m', max: '1' } }, { 'evenkeel.io/floor': '{"main":{"cpu":"500m"}}' }, [500, 1000]],
  ])('annotations only narrow a policy with workloadOverrides: Stricter: %s', (_, spec, annotations, expected) => {
    expect(bounds({ ...spec, workloadOverrides: 'Stricter' }, annotations)).toEqual(expected);
  });

  test('the mode annotation applies only where it is more restrictive, with workloadOverrides: Stricter', () => {
    const modeOf = (mode: string, workloadOverrides: 'All' | 'Stricter') =>
      modeInForce(rulesOf({ mode: 'Approve', workloadOverrides }), readOverrides({ 'evenkeel.io/mode': mode }));
    expect([modeOf('Auto', 'All'), modeOf('Auto', 'Stricter'), modeOf('Recommend', 'Stricter')]).toEqual(['Auto', 'Approve', 'Recommend']);
  });

  test.each<[string, Record<string, string>, readonly string[]]>([
    ['a mode nearer to Auto', { 'evenkeel.io/mode': 'Auto' }, ['mode Auto, where it has Approve']],
    ['a more restrictive mode', { 'evenkeel.io/mode': 'Off' }, []],
    ['a floor above max', { 'evenkeel.io/floor': '{"main":{"cpu":"3"}}' }, ['floor of 3 CPU for main']],
    ['a ceiling above max, of all containers', { 'evenkeel.io/ceiling': '{"*":{"memory":"8Gi"}}' }, ['ceiling of 8Gi memory for *']],
    ['bounds inside the policy’s', { 'evenkeel.io/floor': '{"*":{"cpu":"1"}}', 'evenkeel.io/ceiling': '{"*":{"cpu":"2"}}' }, []],
  ])('annotations that would widen a policy with workloadOverrides: Stricter are listed: %s', (_, annotations, expected) => {
    const spec: PodResizePolicySpec = { mode: 'Approve', cpu: { max: '2' }, memory: { max: '4Gi' } };
    expect(wideningOverrides(rulesOf({ ...spec, workloadOverrides: 'Stricter' }), readOverrides(annotations))).toEqual(expected);
    expect(wideningOverrides(rulesOf({ ...spec, workloadOverrides: 'All' }), readOverrides(annotations))).toEqual([]);
  });

  test('each rule is listed with its source', () => {
    const overrides = readOverrides({ 'evenkeel.io/floor': '{"main":{"cpu":"20m"}}' });
    const rules = sourcedRules(rulesOf({ cpu: { max: '2' } }), overrides, 'main', { ...nodes, sources: allPolicy });
    expect(rules).toContainEqual({ name: 'main.cpu.min', value: '20m', source: 'floor' });
    expect(rules).toContainEqual({ name: 'main.cpu.max', value: '2', source: 'policy' });
    expect(rules).toContainEqual({ name: 'main.memory.max', value: '32Gi', source: 'node' });
    expect(
      sourcedRules(DEFAULT_POLICY_RULES, none, 'main', { largestNode: null, nodesFollow: false, sources: { of: () => 'default' } }),
    ).toContainEqual({
      name: 'main.cpu.min',
      value: '10m',
      source: 'default',
    });
  });
});

describe('the source of the mode in force', () => {
  const modeOf = (spec: PodResizePolicySpec, annotations: Record<string, string>) =>
    sourcedRules(rulesOf(spec), readOverrides(annotations), 'main', { ...nodes, sources: allPolicy })[0];
  const strict = { mode: 'Recommend', workloadOverrides: 'Stricter' } as const;

  test.each<[string, PodResizePolicySpec, Record<string, string>, string, string]>([
    ['the policy', { mode: 'Auto' }, {}, 'Auto', 'policy'],
    ['the annotation', { mode: 'Auto' }, { 'evenkeel.io/mode': 'Approve' }, 'Approve', 'annotation'],
    ['the exclusion', { mode: 'Auto' }, { 'evenkeel.io/exclude': 'true' }, 'Off', 'annotation'],
    ['the policy that ignores the annotation', strict, { 'evenkeel.io/mode': 'Auto' }, 'Recommend', 'policy'],
    [
      'the container’s entry that is more restrictive than the annotation',
      { mode: 'Auto', containers: [{ name: 'main', mode: 'Off' }] },
      { 'evenkeel.io/mode': 'Approve' },
      'Off',
      'policy',
    ],
  ])('%s', (_, spec, annotations, value, source) => {
    expect(modeOf(spec, annotations)).toEqual({ name: 'main.mode', value, source });
  });
});

describe('annotations of a workload', () => {
  test.each([
    ['floor', '{"main":', 'not JSON'],
    ['floor', '["a"]', 'not an object'],
    ['floor', '{"main":{"cpu":"much"}}', "'much' is not a quantity"],
    ['floor', '{"main":{"gpu":"1"}}', 'only cpu and memory'],
    ['ceiling', '{"main":"1"}', "'main' is not an object"],
    ['mode', 'Sometimes', 'none of Off, Observe, Recommend, Approve, Auto'],
    ['held-until', 'tomorrow', 'not a time'],
    ['exclude', 'yes', 'write "true" to exclude the workload, or "false"'],
  ])('evenkeel.io/%s: %s is reported with the remedy', (name, value, words) => {
    expect(readOverrides({ [`evenkeel.io/${name}`]: value }).problems.join()).toContain(words);
  });

  test.each([
    ['true', true],
    ['True ', true],
    ['false', false],
    ['', false],
  ])('evenkeel.io/exclude: "%s" is valid', (text, excluded) => {
    expect(readOverrides({ 'evenkeel.io/exclude': text })).toMatchObject({ excluded, problems: [] });
  });

  test('a floor above the ceiling is a problem', () => {
    const overrides = readOverrides({ 'evenkeel.io/floor': '{"*":{"memory":"2Gi"}}', 'evenkeel.io/ceiling': '{"main":{"memory":"1Gi"}}' });
    expect(overrides.problems).toEqual([expect.stringContaining("the floor of 'main' is above its ceiling")]);
  });

  test('valid values are read', () => {
    const overrides = readOverrides({
      'evenkeel.io/mode': 'auto',
      'evenkeel.io/exclude': 'true',
      'evenkeel.io/held-until': '2026-11-21T10:00:00Z',
    });
    expect(overrides).toMatchObject({ mode: 'Auto', excluded: true, heldUntil: Date.parse('2026-11-21T10:00:00Z'), problems: [] });
  });
});
