// After any sequence of events, an idled workload has its sizes and replicas again once it is in use.

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anAdvice, aPodRecord } from '../../../test/builders/rightsizing.ts';
import { ResizeWorld, WEB } from '../../../test/fakes/worlds/resize-world.ts';
import type { PodResizePolicySpec } from '../../apis/v1alpha1/index.ts';
import { HOUR_MS, MINUTE_MS } from '#kube/units';

const EVENTS = [
  'quiet',
  'load',
  'policy off',
  'policy on',
  'policy allows one replica',
  'policy gone',
  'everything stops',
  'everything goes on',
  'restart',
  'death',
  'roll-out begins',
  'roll-out ends',
  'a pod more',
  'Recommendation deleted',
  'usage grows old',
  'usage is fresh',
] as const;
type WorldEvent = (typeof EVENTS)[number];

const POLICY: PodResizePolicySpec = { mode: 'Auto', idle: { enabled: true, after: '1h', cpuThreshold: '5m', cpu: '10m' } };

function applyEvent(world: ResizeWorld, what: WorldEvent, detail: number): void {
  const now = world.clock.now();
  const reported = new Set(world.cluster.podList.map(({ name }) => name));
  const activity = { maxCpuMillicores: 800, reported };
  switch (what) {
    case 'quiet':
      world.activity.set(WEB, { ...activity, belowThresholdSince: now - 9 * HOUR_MS, cpuMillicores: 1, lastInUseAt: null });
      return;
    case 'load':
      world.activity.set(WEB, { ...activity, belowThresholdSince: null, cpuMillicores: 400, lastInUseAt: now });
      return;
    case 'policy off': {
      world.setPolicy('all', { mode: 'Auto' });
      return;
    }
    case 'policy on': {
      world.setPolicy('all', POLICY);
      return;
    }
    case 'policy allows one replica': {
      world.setPolicy('all', { ...POLICY, idle: { ...POLICY.idle, replicas: 1 } });
      return;
    }
    case 'policy gone':
      if (world.cluster.policyList.length > 0) world.removePolicy('all');
      return;
    case 'everything stops':
      world.pause = { reason: 'test', until: null };
      return;
    case 'everything goes on':
      world.pause = null;
      return;
    case 'restart': {
      world.start();
      return;
    }
    case 'death':
      world.diesAfterWrites = detail;
      return;
    case 'roll-out begins':
    case 'roll-out ends':
      world.cluster.workloadList = world.cluster.workloadList.map((each) => ({ ...each, rolloutInProgress: what === 'roll-out begins' }));
      return;
    case 'a pod more':
      world.cluster.podList = [
        ...world.cluster.podList,
        aPodRecord({ name: `web-${world.cluster.podList.length + 1}`, labels: { workload: 'web' } }),
      ];
      return;
    case 'Recommendation deleted':
      world.cluster.recommendationList = [];
      return;
    case 'usage grows old':
      world.usageConfirmedAt = () => now;
      return;
    case 'usage is fresh':
      world.usageConfirmedAt = null;
      return;
  }
}

test('an idled workload that is in use again has its sizes and replicas, and no annotation, after any sequence of events', async () => {
  const step = fc.record({ what: fc.constantFrom(...EVENTS), detail: fc.nat(6), minutes: fc.constantFrom(1, 5, 30) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const world = new ResizeWorld();
      world.advice.set(WEB, [anAdvice({ cpu: '500m', memory: '512Mi' })]);
      world.setPolicy('all', POLICY);
      // Most runs start with an idled workload, which is the harder case.
      applyEvent(world, 'quiet', 0);
      for (const { what, detail, minutes } of steps) {
        if ((await world.run(minutes * MINUTE_MS)) === 'died') world.start();
        applyEvent(world, what, detail);
      }
      world.start();
      for (const what of ['everything goes on', 'usage is fresh', 'roll-out ends', 'policy on', 'load'] as const)
        applyEvent(world, what, 0);
      await world.run(HOUR_MS);
      expect(world.cpus()).toEqual(world.cpus().map(() => 500));
      expect(world.cluster.workloadList[0]?.replicas.desired).toBe(3);
      expect(world.cluster.workloadList[0]?.annotations).toEqual({});
      expect(world.status().idle).toBeUndefined();
    }),
    { numRuns: 60 },
  );
});
