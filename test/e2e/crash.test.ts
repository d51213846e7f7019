// kill -9 in the middle of what Evenkeel does costs time, and nothing else. 1,000 kills at random moments: make soak.

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { RecommendationDetail } from '../../src/apis/http/types.generated.ts';
import { MiB } from '../../src/core/model/units.ts';
import { NAMESPACE } from './constant-cluster.ts';
import { type Controller, logged, runController, startController } from './controller-process.ts';
import { read } from './dashboard.ts';
import { HANG_TEST_MS } from './eventually.ts';
import { CONTAINERS, type End, KillScene } from './killed-controller.ts';
import { Workshop } from './processes.ts';

describe('kill -9', () => {
  let workshop: Workshop;
  beforeEach(() => {
    workshop = new Workshop();
  });
  afterEach(() => workshop.end());

  test(
    'again and again in the middle of a cycle: the same end as without, nothing left half done, nothing unpromised, history kept',
    async () => {
      const [calm, rough] = await Promise.all([undisturbed(workshop), killedOften(workshop)]);
      expect(rough).toEqual(calm);
      // 130m and 210Mi are used: at most 3 % over that by the width of a histogram's bucket, 20 % on top, rounded up.
      const wanted = { requests: { cpuMillicores: 165, memoryBytes: 262 * MiB }, limits: { cpuMillicores: null, memoryBytes: null } };
      expect(calm.pods['web/app']).toEqual(Array(4).fill(wanted));
    },
    HANG_TEST_MS,
  );
});

async function undisturbed(workshop: Workshop): Promise<End> {
  const scene = await KillScene.start(workshop, 'calm');
  await startController(workshop, scene.settings);
  await scene.govern();
  await scene.settles();
  await scene.expectUnharmed();
  return scene.end();
}

async function killedOften(workshop: Workshop): Promise<End> {
  const scene = await KillScene.start(workshop, 'rough');
  const start = (): Promise<Controller> => startController(workshop, scene.settings);

  let controller = await start();
  await scene.govern();
  const { watch } = scene;
  await scene.reaches('a change decided and not made yet', () => watch.recommendations.some(({ status }) => status?.apply !== undefined));
  await controller.process.kill();
  controller = await start();
  await scene.reaches('a first pod changed, which its Recommendation does not report yet', () => watch.changes > 0);
  await controller.process.kill();
  // Killed again before it has listed anything: each start writes this line first.
  const short = runController(workshop, scene.settings);
  await short.line('stderr', /"message":"Following the virtual clock/);
  await short.kill();
  controller = await start();
  await scene.reaches('half of the pods changed', () => watch.recommendations.some(({ status }) => status?.apply?.stage === 'Half'));
  await controller.process.kill();
  controller = await start();
  await scene.settles();
  await scene.expectUnharmed();
  await expectHistoryKept(controller);
  return scene.end();
}

async function expectHistoryKept({ process, dashboard }: Controller): Promise<void> {
  expect(logged(process, 'Restored what was learnt before')).toMatchObject([{ containers: CONTAINERS, unreadable: 0 }]);
  const { history } = (await read<RecommendationDetail>(dashboard, `recommendations/${NAMESPACE}/web`)).audit;
  // Four pods, one change each. Those before the kills are recorded, too, but for one that a kill fell on before its writing.
  const pods = history?.filter(({ outcome }) => outcome === 'applied').map(({ pod }) => pod);
  expect(new Set(pods).size).toBeGreaterThanOrEqual(2);
}
