import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { TEST_EPOCH } from '../../../testing/manual-clock.ts';
import type { Autoscaler, ScalingRules } from '../wire/autoscaler.ts';
import { NO_MEMORY, behaviorOf, rateLimited, stabilized } from './scaling-behavior.ts';

const NOW = TEST_EPOCH;
const BOUNDS = { min: 1, max: 100 };

function behavior(scaleUp: ScalingRules = {}, scaleDown: ScalingRules = {}): ReturnType<typeof behaviorOf> {
  return behaviorOf({ spec: { behavior: { scaleUp, scaleDown } } } as unknown as Autoscaler);
}

const ago = (seconds: number, replicas: number): { at: number; replicas: number } => ({ at: NOW - seconds * 1000, replicas });

describe('stabilization', () => {
  test.each([
    ['follows up at once by default', 3, 9, [], 9, null],
    ['keeps the most that was asked for in five minutes when it goes down', 9, 3, [ago(200, 7)], 7, 'ScaleDownStabilized'],
    ['forgets what was asked for before that', 9, 3, [ago(400, 7)], 3, null],
  ])('%s', (_, current, wanted, past, expected, by) => {
    expect(stabilized(current, wanted, behavior(), [...past, { at: NOW, replicas: wanted }], NOW)).toEqual({ replicas: expected, by });
  });

  test('up takes the minimum of its window', () => {
    const rules = behavior({ stabilizationWindowSeconds: 60 });
    expect(stabilized(3, 9, rules, [ago(30, 4), { at: NOW, replicas: 9 }], NOW)).toEqual({ replicas: 4, by: 'ScaleUpStabilized' });
  });
});

describe('the rate of scaling', () => {
  test.each<[string, number, number, ScalingRules, ScalingRules, number, string | null]>([
    ['doubles at most, by default', 10, 50, {}, {}, 20, 'ScaleUpLimit'],
    ['or adds four where that is more', 1, 50, {}, {}, 5, 'ScaleUpLimit'],
    ['takes the lesser policy with selectPolicy Min', 10, 50, { selectPolicy: 'Min' }, {}, 14, 'ScaleUpLimit'],
    ['goes nowhere where it is disabled', 10, 50, { selectPolicy: 'Disabled' }, {}, 10, 'ScaleUpLimit'],
    ['goes down freely by default', 10, 2, {}, {}, 2, null],
    ['goes down by pods', 10, 2, {}, { policies: [{ type: 'Pods', value: 3, periodSeconds: 60 }] }, 7, 'ScaleDownLimit'],
    ['goes down by percent', 10, 2, {}, { policies: [{ type: 'Percent', value: 10, periodSeconds: 60 }] }, 9, 'ScaleDownLimit'],
    ['stops at the greatest size', 90, 500, {}, {}, 100, 'TooManyReplicas'],
    ['stops at the least size', 10, 0, {}, {}, 1, 'TooFewReplicas'],
  ])('%s', (_, current, wanted, up, down, expected, by) => {
    expect(rateLimited(current, wanted, BOUNDS, behavior(up, down), NO_MEMORY, NOW)).toEqual({ replicas: expected, by });
  });

  test('counts the changes since the period started', () => {
    const rules = behavior({ policies: [{ type: 'Pods', value: 4, periodSeconds: 60 }] });
    const memory = { ...NO_MEMORY, added: [ago(30, 3)] };
    expect(rateLimited(10, 50, BOUNDS, rules, memory, NOW).replicas).toBe(11);
    expect(rateLimited(10, 50, BOUNDS, rules, memory, NOW + 40_000).replicas).toBe(14);
  });

  test('never exceeds the bounds, and never reverses the direction', () => {
    const size = fc.integer({ min: 1, max: 100 });
    fc.assert(
      fc.property(size, fc.integer({ min: 0, max: 500 }), size, (current, wanted, added) => {
        const { replicas } = rateLimited(current, wanted, BOUNDS, behavior(), { ...NO_MEMORY, added: [ago(5, added)] }, NOW);
        const between = replicas >= Math.min(current, Math.max(1, wanted)) && replicas <= Math.max(current, wanted);
        return between && replicas >= 1 && replicas <= 100;
      }),
    );
  });
});
