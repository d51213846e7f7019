import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { demoToItsEnd, type DemoSummary } from './demo-process.ts';
import { HANG_TEST_MS } from './eventually.ts';
import { Workshop } from './processes.ts';

describe('evenkeel demo --speed max', () => {
  let workshop: Workshop;
  beforeEach(() => {
    workshop = new Workshop();
  });
  afterEach(() => workshop.end());

  test(
    'the same seed ends the same, another seed otherwise',
    async () => {
      const run = async (seed: string, span: string): Promise<Omit<DemoSummary, 'wallSeconds'>> => {
        const told = await demoToItsEnd(workshop, ['--speed', 'max', '--for', span, '--seed', seed]);
        const { wallSeconds, ...same } = told as DemoSummary;
        expect(wallSeconds).toBeGreaterThan(0);
        return same;
      };
      // Side by side, so that the two race the machine differently.
      const [first, second, other] = await Promise.all([run('7', '2d'), run('7', '2d'), run('8', '1m')]);
      expect(second).toEqual(first);
      expect(first.resizes).toBeGreaterThan(0);
      expect(other.start).not.toEqual(first.start);
    },
    HANG_TEST_MS,
  );
});
