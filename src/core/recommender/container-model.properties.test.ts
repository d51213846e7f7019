import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aSample, FIVE_MINUTES, MONDAY } from '../../../test/builders/usage.ts';
import { MiB } from '#kube/units';
import { DEFAULT_RECOMMENDER_RULES as RULES, type Goal, type Pace, type RecommenderRules } from './advice.ts';
import { ContainerModel } from './container-model.ts';

const GOALS: readonly Goal[] = ['Savings', 'Balanced', 'Safe'];
/** 30 to 200 points of 5 minutes: steady, in bursts, or anything. */
const usage = fc
  .tuple(fc.constantFrom(5, 50, 3000), fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 30, maxLength: 200 }))
  .map(([range, values]) => values.map((value) => value % range));

const paces = fc.constantFrom<Pace>('Daily', 'Hourly');

function rulesFor(goal: Goal, pace: Pace): RecommenderRules {
  return { ...RULES, pace, cpu: { ...RULES.cpu, goal }, memory: { ...RULES.memory, goal } };
}

function learned(values: readonly number[]): { readonly model: ContainerModel; readonly now: number } {
  const model = new ContainerModel();
  for (const [index, value] of values.entries()) model.observe('p', aSample(MONDAY + (index + 1) * FIVE_MINUTES, value, value));
  return { model, now: MONDAY + values.length * FIVE_MINUTES + 31_000 };
}

describe('advice on any usage', () => {
  test('is never lower for a goal with a higher weight of shortfall, at either pace', () => {
    fc.assert(
      fc.property(usage, paces, (values, pace) => {
        const { model, now } = learned(values);
        const targets = GOALS.map((goal) => model.advise('app', now, rulesFor(goal, pace)));
        for (const resource of ['cpu', 'memory'] as const) {
          const [savings, balanced, safe] = targets.map((advice) => advice?.[resource]?.target ?? 0);
          expect([savings, balanced, safe]).toEqual([savings, balanced, safe].sort((a, b) => (a ?? 0) - (b ?? 0)));
        }
      }),
      { numRuns: 60 },
    );
  });

  test('is never below the floor, above the ceiling, or unbounded by usage', () => {
    fc.assert(
      fc.property(usage, paces, fc.integer({ min: 1, max: 900 }), fc.integer({ min: 900, max: 2000 }), (values, pace, min, max) => {
        const { model, now } = learned(values);
        const bounded = { ...rulesFor('Balanced', pace), cpu: { ...RULES.cpu, min, max } };
        const cpu = model.advise('app', now, bounded)?.cpu;
        expect(cpu?.target).toBeGreaterThanOrEqual(min);
        expect(cpu?.target).toBeLessThanOrEqual(max);
        const free = model.advise('app', now, rulesFor('Safe', pace));
        expect(free?.cpu?.target).toBeLessThanOrEqual(Math.max(10, ...values.map((value) => value * 1.2 + 10)));
        expect(free?.memory?.target).toBeLessThanOrEqual(Math.max(16, ...values.map((value) => value * 1.2 + 2)) * MiB);
      }),
      { numRuns: 60 },
    );
  });

  test('does not depend on the order in which replicas are read, nor on their names', () => {
    const replicas = fc.array(fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 1, max: 3000 })), {
      minLength: 2,
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.array(replicas, { minLength: 24, maxLength: 48 }), paces, (slots, pace) => {
        const targets = [false, true].map((reversed) => {
          const model = new ContainerModel();
          for (const [index, pods] of slots.entries()) {
            const order = reversed ? [...pods].reverse() : pods;
            for (const [name, [cpu, memory]] of order.entries()) {
              model.observe(`${reversed ? 'q' : 'p'}-${name}`, aSample(MONDAY + (index + 1) * FIVE_MINUTES, cpu, memory));
            }
          }
          const advice = model.advise('app', MONDAY + slots.length * FIVE_MINUTES + 31_000, rulesFor('Balanced', pace));
          return [advice?.cpu?.target, advice?.memory?.target, advice?.memoryEvidence?.peakEver];
        });
        expect(targets[0]).toEqual(targets[1]);
      }),
      { numRuns: 40 },
    );
  });

  test('CPU above the request raises it at once, at either pace, and memory is never below usage', () => {
    fc.assert(
      fc.property(usage, paces, fc.integer({ min: 4000, max: 5000 }), (values, pace, burst) => {
        const fullHours = values.slice(0, values.length - (values.length % 12));
        const { model } = learned(fullHours);
        model.observe('p', aSample(MONDAY + (fullHours.length + 1) * FIVE_MINUTES, burst, burst));
        const after = model.advise('app', MONDAY + (fullHours.length + 1) * FIVE_MINUTES + 31_000, rulesFor('Balanced', pace));
        expect(after?.cpu?.target).toBeGreaterThanOrEqual(Math.round(burst * 1.1));
        expect(after?.cpu?.increase?.until).toBeGreaterThan(MONDAY + fullHours.length * FIVE_MINUTES);
        expect(after?.cpu?.base).toBeLessThan(burst);
        expect(after?.memory?.target).toBeGreaterThanOrEqual(burst * MiB);
      }),
      { numRuns: 40 },
    );
  });
});
