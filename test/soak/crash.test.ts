// kill -9 at random moments, a thousand times; a new cluster every few kills, so that each kill interrupts work.

import { setTimeout as after } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { SeededRandom } from '../../src/runtime/random.ts';
import { logged, runController, startController } from '../e2e/controller-process.ts';
import { type EndState, CrashWorld } from '../e2e/crash-world.ts';
import { TestFixture } from '../e2e/processes.ts';
import { numberFrom } from './settings.ts';

const KILLS = numberFrom('SOAK_KILLS', 1000);
const SEED = numberFrom('SOAK_SEED', Math.floor(Math.random() * 2 ** 31), 0);
/** Resizing three workloads takes about as many restarts. */
const KILLS_PER_CLUSTER = 8;
/** From a start that has not listed any object yet, to several minutes of cluster time later. */
const MAX_ALIVE_MS = 8_000;
/** Upper bound of the writes of pods and Recommendations during the change of one cluster. */
const MAX_EVENTS = 60;
/** A cluster takes a minute on an idle machine, and ten on a busy one. */
const TEST_MS = Math.ceil(KILLS / KILLS_PER_CLUSTER) * 10 * 60_000 + 20 * 60_000;

describe('kill -9 at random moments', () => {
  test(
    `${KILLS} times (SOAK_KILLS), with seed ${SEED} (SOAK_SEED): the same end as without`,
    async () => {
      const { end: undisturbed } = await endAfter(SEED, 0);
      let amid = 0;
      for (let done = 0, round = 0; done < KILLS; done += KILLS_PER_CLUSTER, round++) {
        const kills = Math.min(KILLS_PER_CLUSTER, KILLS - done);
        const seed = SEED + round;
        const { end, amidChanges } = await endAfter(seed, kills);
        expect({ seed, end }).toEqual({ seed, end: undisturbed });
        amid += amidChanges;
        process.stdout.write(`${done + kills} of ${KILLS} kills, ${amid} of them while changes were under way\n`);
      }
      // Kills after the last change prove nothing.
      expect(amid).toBeGreaterThan(0);
    },
    TEST_MS,
  );
});

/** Kills a controller at random moments on a new cluster. `amidChanges` counts the kills before every workload had its recommended size. */
async function endAfter(seed: number, kills: number): Promise<{ readonly end: EndState; readonly amidChanges: number }> {
  const fixture = new TestFixture();
  try {
    const random = new SeededRandom(seed);
    const world = await CrashWorld.start(fixture, 'cluster');
    let controller = (await startController(fixture, world.settings)).process;
    await world.createPolicy();
    let amidChanges = 0;
    for (let kill = 0; kill < kills; kill++) {
      await randomMoment(world, random);
      if (!world.isApplied) amidChanges += 1;
      await controller.kill();
      controller = runController(fixture, world.settings);
    }
    await world.waitUntilApplied();
    await world.expectPodsIntact();
    expect(logged(controller, 'Restored checkpoints').filter(({ unreadable }) => unreadable !== 0)).toEqual([]);
    return { end: await world.readEndState(), amidChanges };
  } finally {
    await fixture.tearDown();
  }
}

/** A random number of writes, or a random time, whichever comes first; the kill may coincide with a write. */
async function randomMoment({ watch }: CrashWorld, random: SeededRandom): Promise<void> {
  const over = new AbortController();
  await Promise.race([
    watch.events(1 + Math.floor(random.next() * MAX_EVENTS), over.signal),
    after(random.next() * MAX_ALIVE_MS, undefined, { signal: over.signal }),
  ]);
  over.abort();
}
