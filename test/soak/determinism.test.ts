import { expect, test } from '@jest/globals';
import { SeededRandom } from '../../src/runtime/random.ts';
import { demoToItsEnd, type DemoSummary } from '../e2e/demo-process.ts';
import { HANG_TEST_MS } from '../eventually.ts';
import { TestFixture } from '../e2e/processes.ts';
import { numberFrom } from './settings.ts';

const SEEDS = numberFrom('SOAK_SEEDS', 10);
const SEED = numberFrom('SOAK_SEED', Math.floor(Math.random() * 2 ** 31), 0);

const random = new SeededRandom(SEED);
const starts: DemoSummary['start'][] = [];
const seeds = Array.from({ length: SEEDS }, () => String(Math.floor(random.next() * 2 ** 31)));

test.each(seeds)(
  `evenkeel demo --speed max --seed %s has the same end in two runs, and another end with another seed (of ${SEEDS}, SOAK_SEEDS, drawn by ${SEED}, SOAK_SEED)`,
  async (seed) => {
    const fixture = new TestFixture();
    try {
      const run = async (): Promise<Omit<DemoSummary, 'wallSeconds'>> => {
        const summary = await demoToItsEnd(fixture, ['--speed', 'max', '--for', '2d', '--seed', seed]);
        const { wallSeconds: _ofTheMachine, ...same } = summary as DemoSummary;
        return same;
      };
      // Run concurrently, so that machine load affects the two differently.
      const [first, second] = await Promise.all([run(), run()]);
      expect(second).toEqual(first);
      expect(first.resizes).toBeGreaterThan(0);
      expect(starts).not.toContainEqual(first.start);
      starts.push(first.start);
    } finally {
      await fixture.tearDown();
    }
  },
  HANG_TEST_MS,
);
