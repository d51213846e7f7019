import { describe, expect, test } from '@jest/globals';
import { aSample, FIVE_MINUTES, MONDAY } from '../../../test/builders/usage.ts';
import { DEFAULT_RECOMMENDER_RULES as RULES, type RecommenderRules, type ResourceAdvice } from './advice.ts';
import { ContainerModel } from './container-model.ts';

const SLOTS_PER_DAY = 288;
const LASTING: RecommenderRules = { ...RULES, lasting: true };

/** CPU advice after every slot from `fromDay` on. @param usage millicores by slot of the day */
function adviceOver(
  days: number,
  fromDay: number,
  usage: (slotOfDay: number) => number,
  rules: RecommenderRules,
): readonly ResourceAdvice[] {
  const model = new ContainerModel();
  const all: ResourceAdvice[] = [];
  for (let slot = 1; slot <= days * SLOTS_PER_DAY; slot++) {
    const at = MONDAY + slot * FIVE_MINUTES;
    model.observe('p', aSample(at, usage((slot - 1) % SLOTS_PER_DAY), 100));
    const advice = slot < fromDay * SLOTS_PER_DAY ? null : model.advise('app', at + 31_000, rules);
    if (advice?.cpu) all.push(advice.cpu);
  }
  return all;
}

/** 60m, and 700m for half an hour at seven. */
const bursty = (slotOfDay: number): number => (slotOfDay >= 84 && slotOfDay < 90 ? 700 : 60);
const targetsOf = (all: readonly ResourceAdvice[]): number[] => all.map(({ target }) => target);

describe('A CPU value that a person applies', () => {
  test.each([
    ['two hours, which it covers', 24, 690],
    ['half an hour, which it does not', 6, 60],
  ])('does not move with a daily burst of %s', (_, slots, least) => {
    const bursts = (slotOfDay: number): number => (slotOfDay >= 84 && slotOfDay < 84 + slots ? 700 : 60);
    const targets = targetsOf(adviceOver(21, 7, bursts, LASTING));
    expect(Math.min(...targets)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...targets)).toBeLessThanOrEqual(1.1 * Math.min(...targets));
  });

  test('does not rise with a burst of each week: an approval would lapse each time', () => {
    const weekly = (slot: number): number => (slot % (7 * SLOTS_PER_DAY) < 24 ? 700 : 60);
    const model = new ContainerModel();
    const targets: number[] = [];
    for (let slot = 1; slot <= 28 * SLOTS_PER_DAY; slot++) {
      const at = MONDAY + slot * FIVE_MINUTES;
      model.observe('p', aSample(at, weekly(slot), 100));
      if (slot > 14 * SLOTS_PER_DAY && slot % 12 === 0) targets.push(model.advise('app', at + 31_000, LASTING)!.cpu!.target);
    }
    expect(Math.max(...targets)).toBeLessThanOrEqual(1.1 * Math.min(...targets));
  });

  test('grows with the goal, and is explained by it', () => {
    const noise = (slotOfDay: number): number => 100 + ((slotOfDay * 7919) % SLOTS_PER_DAY);
    const [savings, balanced, safe] = (['Savings', 'Balanced', 'Safe'] as const).map((goal) =>
      adviceOver(15, 15, noise, { ...LASTING, cpu: { ...RULES.cpu, goal } }).at(-1)!,
    );
    expect(savings!.target).toBeLessThanOrEqual(balanced!.target);
    expect(balanced!.target).toBeLessThanOrEqual(safe!.target);
    const steps = adviceOver(16, 16, bursty, { ...LASTING, cpu: { ...RULES.cpu, goal: 'Safe' } }).at(-1)!.steps;
    expect(steps.find(({ step }) => step === 'bursts')?.detail).toMatch(/^usage that is reached in one hour a day \(goal Safe\)/);
  });

  test('is the policy’s own percentile where it sets one', () => {
    const rules = { ...LASTING, cpu: { ...RULES.cpu, percentile: 0.5, margin: 0 } };
    expect(adviceOver(15, 15, bursty, rules).at(-1)!.target).toBeLessThan(70);
  });
});
