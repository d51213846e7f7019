// kill -9 during Evenkeel's work costs time only. `make soak` makes 1,000 kills at random moments.

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { RecommendationDetail } from '../../src/apis/http/types.generated.ts';
import { MiB } from '#kube/units';
import { NAMESPACE } from './constant-cluster.ts';
import { type Controller, logged, runController, startController } from './controller-process.ts';
import { read } from './dashboard.ts';
import { HANG_TEST_MS } from '../eventually.ts';
import { CONTAINERS, type EndState, CrashWorld } from './crash-world.ts';
import { TestFixture } from './processes.ts';

describe('kill -9', () => {
  let fixture: TestFixture;
  beforeEach(() => {
    fixture = new TestFixture();
  });
  afterEach(() => fixture.tearDown());

  test(
    'repeatedly during a cycle: the same end as without kills, no partial change, no unpublished value, history kept',
    async () => {
      const [undisturbedEnd, killedEnd] = await Promise.all([undisturbed(fixture), killedOften(fixture)]);
      expect(killedEnd).toEqual(undisturbedEnd);
      // Usage is 130m and 210Mi; a histogram bucket adds at most 3 %, the margin 20 %, and the sum is rounded up.
      const wanted = { requests: { cpuMillicores: 165, memoryBytes: 262 * MiB }, limits: { cpuMillicores: null, memoryBytes: null } };
      expect(undisturbedEnd.pods['web/app']).toEqual(Array(4).fill(wanted));
    },
    HANG_TEST_MS,
  );
});

async function undisturbed(fixture: TestFixture): Promise<EndState> {
  const world = await CrashWorld.start(fixture, 'undisturbed');
  await startController(fixture, world.settings);
  await world.createPolicy();
  await world.waitUntilApplied();
  await world.expectPodsIntact();
  return world.readEndState();
}

async function killedOften(fixture: TestFixture): Promise<EndState> {
  const world = await CrashWorld.start(fixture, 'killed');
  const start = (): Promise<Controller> => startController(fixture, world.settings);

  let controller = await start();
  await world.createPolicy();
  const { watch } = world;
  const caught: boolean[] = [];
  const reach = async (moment: string, isMet: () => boolean): Promise<void> => void caught.push(await world.waitForMoment(moment, isMet));
  await reach('a change decided and not made yet', () => watch.recommendations.some(({ status }) => status?.apply !== undefined));
  await controller.process.kill();
  controller = await start();
  await reach('a first pod changed, which its Recommendation does not report yet', () => watch.changes > 0);
  await controller.process.kill();
  // Killed again before the initial lists: each start logs this line first.
  const short = runController(fixture, world.settings);
  await short.line('stderr', /"message":"Following the virtual clock/);
  await short.kill();
  controller = await start();
  await reach('half of the pods changed', () => watch.recommendations.some(({ status }) => status?.apply?.stage === 'Half'));
  await controller.process.kill();
  // A kill after all changes proves nothing. The first moment precedes any change, so every machine catches it.
  expect(caught).toContain(true);
  controller = await start();
  await world.waitUntilApplied();
  await world.expectPodsIntact();
  await expectHistoryKept(controller);
  return world.readEndState();
}

async function expectHistoryKept({ process, dashboard }: Controller): Promise<void> {
  expect(logged(process, 'Restored checkpoints')).toMatchObject([{ containers: CONTAINERS, unreadable: 0 }]);
  const { history } = (await read<RecommendationDetail>(dashboard, `recommendations/${NAMESPACE}/web`)).audit;
  // Four pods with one change each. Changes before a kill are recorded too, except one whose record the kill prevented.
  const pods = history?.filter(({ outcome }) => outcome === 'applied').map(({ pod }) => pod);
  expect(new Set(pods).size).toBeGreaterThanOrEqual(2);
}
