// Problems that users of VPA report about restarts: thousands of pods replaced within minutes after its components started.
// kubernetes/autoscaler#2178, #2180, #9362.

import { describe, expect, test } from '@jest/globals';
import { HANG_TEST_MS } from '../../eventually.ts';
import { MINUTE_MS } from '#kube/units';
import { anAdvice, aPodRecord, aWorkloadRecord } from '../../builders/rightsizing.ts';
import { ResizeWorld } from '../../fakes/worlds/resize-world.ts';

const WORKLOADS = 120;
const PODS_EACH = 20;
const WARM_UP_MS = 10 * MINUTE_MS;
const MAX_A_MINUTE = 50;

/** Thousands of pods that request five times their need, in many namespaces. */
function driftingWorld(): ResizeWorld {
  const world = new ResizeWorld({ warmUpMs: WARM_UP_MS });
  for (let index = 0; index < WORKLOADS; index++) {
    const [namespace, name] = [`team-${index % 20}`, `app-${index}`];
    const replicas = { desired: PODS_EACH, current: PODS_EACH, ready: PODS_EACH };
    const pods = Array.from({ length: PODS_EACH }, (_, pod) =>
      aPodRecord({ namespace, name: `${name}-${pod}`, uid: `uid-${name}-${pod}` }),
    );
    world.addWorkload(aWorkloadRecord({ namespace, name, uid: `uid-${name}`, replicas }), pods);
    world.advice.set(`${namespace}/Deployment/${name}`, [anAdvice({ lastSampleAt: world.clock.now() })]);
  }
  world.setPolicy('all', { mode: 'Auto', maxConcurrent: 200 });
  return world;
}

describe('after a restart with thousands of over-provisioned pods', () => {
  test(
    'nothing is reduced for ten minutes, then at most fifty pods a minute',
    async () => {
      const world = driftingWorld();
      const startedAt = world.clock.now();
      const lowered: number[] = [];
      world.refuse = () => {
        lowered.push(world.clock.now() - startedAt);
        return null;
      };
      world.start();
      await world.run(14 * MINUTE_MS);
      expect(lowered.length).toBeGreaterThan(MAX_A_MINUTE);
      expect(Math.min(...lowered)).toBeGreaterThanOrEqual(WARM_UP_MS);
      for (const [index, at] of lowered.entries()) {
        expect(lowered.slice(index).filter((later) => later - at < MINUTE_MS).length).toBeLessThanOrEqual(MAX_A_MINUTE);
      }
    },
    HANG_TEST_MS,
  );
});
