import { describe, expect, test } from '@jest/globals';
import { aSample, FIVE_MINUTES, MONDAY } from '../../../test/builders/usage.ts';
import { DAY_MS, MiB } from '../model/units.ts';
import { DEFAULT_RECOMMENDER_RULES, type Goal, type ResourceAdvice } from './advice.ts';
import { ContainerModel } from './container-model.ts';

const DAYS = 8;
const NOW = MONDAY + DAYS * DAY_MS + 31_000;

/** Eight days of a working set of about 1000 MiB, of which so much is anonymous. */
function learned(rssMiB: number | null): ContainerModel {
  const model = new ContainerModel();
  for (let index = 1; index <= DAYS * 288; index++) {
    const sample = aSample(MONDAY + index * FIVE_MINUTES, 100, 980 + (index % 20));
    model.observe('p', rssMiB === null ? sample : { ...sample, memoryRssBytes: (rssMiB + (index % 10)) * MiB });
  }
  return model;
}

function memoryOf(model: ContainerModel | null, goal: Goal): ResourceAdvice | null | undefined {
  const memory = { ...DEFAULT_RECOMMENDER_RULES.memory, goal };
  return model?.advise('app', NOW, { ...DEFAULT_RECOMMENDER_RULES, memory })?.memory;
}

describe('a container whose memory is mostly page cache', () => {
  test('needs, with goal Savings, its own memory and a margin; and is told so', () => {
    const memory = memoryOf(learned(200), 'Savings');
    expect((memory?.target ?? 0) / MiB).toBeGreaterThan(209 * 1.2);
    expect((memory?.target ?? 0) / MiB).toBeLessThan(209 * 1.2 + 209 * 0.25 + 3);
    expect(memory?.steps.some(({ detail }) => detail.includes('page cache'))).toBe(true);
    expect(memory?.steps.reduce((sum, { value }) => sum + value, 0)).toBe(memory?.target);
    expect(memory?.lowerBound).toBeLessThanOrEqual(memory?.target ?? 0);
  });

  test.each<[string, number | null, Goal]>([
    ['with a more careful goal', 200, 'Balanced'],
    ['where most of it is its own', 800, 'Savings'],
    ['where nobody tells what is cache', null, 'Savings'],
  ])('%s its whole working set counts', (_, rssMiB, goal) => {
    expect(memoryOf(learned(rssMiB), goal)?.target).toBeGreaterThanOrEqual(999 * MiB);
  });

  test('that was killed all the same keeps its whole working set', () => {
    const model = learned(200);
    model.observeOom(NOW - 60_000, 1000 * MiB);
    expect(memoryOf(model, 'Savings')?.target).toBeGreaterThan(1000 * MiB);
  });

  test('is remembered over a restart', () => {
    const model = learned(200);
    expect(memoryOf(ContainerModel.restore(model.checkpoint()), 'Savings')?.target).toBe(memoryOf(model, 'Savings')?.target);
  });
});
