// User requests reach pods, and no other change does: approve, reject, roll back, mode Off, pause.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Recommendation } from '../../src/apis/http/types.generated.ts';
import type { RecommendationStatus } from '../../src/apis/v1alpha1/index.ts';
import { readRequestsAndLimits } from '../../src/core/recommendations/quantities.ts';
import { NAMESPACE } from './constant-cluster.ts';
import { aWorkload, ConstantWorld, lowerThan, TOO_LARGE } from './constant-world.ts';
import { send } from './dashboard.ts';
import { eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { TestFixture } from './processes.ts';

let fixture: TestFixture;
let world: ConstantWorld;

beforeAll(async () => {
  fixture = new TestFixture();
  world = await ConstantWorld.start(fixture, [
    aWorkload('asking', TOO_LARGE),
    aWorkload('unwanted', TOO_LARGE),
    aWorkload('left-alone', TOO_LARGE),
    aWorkload('stopped', TOO_LARGE),
  ]);
}, HANG_TEST_MS);
afterAll(() => fixture.tearDown());

const request = (app: string, verb: string, body: unknown, method = 'POST') =>
  send<Recommendation>(world.controller.dashboard, method, `recommendations/${NAMESPACE}/${app}/${verb}`, body);

/** Whether CPU and memory await approval: on a busy machine memory is known first, and approving it would leave CPU unchanged. */
function isAwaitingApprovalOfAll({ reason, containers = [] }: RecommendationStatus): boolean {
  return (
    reason === 'approval' &&
    containers.every(({ current, recommended }) => {
      const [from, to] = [readRequestsAndLimits(current).requests, readRequestsAndLimits(recommended).requests];
      return from.cpuMillicores !== to.cpuMillicores && from.memoryBytes !== to.memoryBytes;
    })
  );
}

describe('In mode Approve', () => {
  test(
    'nothing is changed before a user approves, then exactly the approved values are applied; a roll-back reverts them',
    async () => {
      const before = await world.resourcesOf('asking');
      await world.createPolicy('asking', { mode: 'Approve' });
      const { containers = [] } = await world.recommendationOf(
        'asking',
        'awaits approval: the policy is in mode Approve',
        isAwaitingApprovalOfAll,
      );
      await world.cycles('asking', 3);
      expect(await world.resourcesOf('asking')).toEqual(before);

      const [app] = containers;
      const shown = { name: 'app', ...readRequestsAndLimits(app?.recommended) };
      const outdated = { ...shown, requests: { ...shown.requests, cpuMillicores: 1 } };
      expect(await request('asking', 'approve', { containers: [outdated] })).toMatchObject({
        status: 409,
        envelope: { error: { code: 'conflict' } },
      });
      expect((await request('asking', 'approve', { containers: [shown] })).status).toBe(200);
      const { lastApplied } = await world.recommendationOf('asking', 'is applied: it was approved', ({ state }) => state === 'applied');
      expect(lastApplied?.by).not.toBe('evenkeel');
      // Applied counts the pods with usage from their node: a busy machine may miss one for a moment.
      const approved = JSON.stringify(readRequestsAndLimits(app?.recommended));
      await eventuallyReads(
        'the approved values on every pod: one that was missed gets them when its kubelet responds again',
        HANG_MS,
        () => world.resourcesOf('asking'),
        (all) => all.every((resources) => JSON.stringify(readRequestsAndLimits(resources)) === approved),
      );

      expect((await request('asking', 'rollback', { reason: 'not on a Friday' })).status).toBe(200);
      await eventuallyReads(
        'the values before: the roll-back was accepted',
        HANG_MS,
        () => world.resourcesOf('asking'),
        (now) => JSON.stringify(now) === JSON.stringify(before),
      );
      const rolledBack = await world.recommendationOf(
        'asking',
        'reports the roll-back: every pod has its old values',
        ({ reason }) => reason === 'hold',
      );
      expect(rolledBack.state).toBe('awaiting');
      await world.cycles('asking', 3);
      expect(await world.resourcesOf('asking')).toEqual(before);
    },
    HANG_TEST_MS,
  );

  test(
    'rejected values are not offered again',
    async () => {
      const before = await world.resourcesOf('unwanted');
      await world.createPolicy('unwanted', { mode: 'Approve' });
      await world.recommendationOf('unwanted', 'awaits approval: the policy is in mode Approve', isAwaitingApprovalOfAll);
      expect((await request('unwanted', 'reject', { reason: 'it starts slowly' })).status).toBe(200);
      expect(
        await world.recommendationOf('unwanted', 'reports the rejection: its values were rejected', ({ reason }) => reason === 'rejected'),
      ).toMatchObject({ state: 'optimal' });
      await world.cycles('unwanted', 3);
      expect(await world.resourcesOf('unwanted')).toEqual(before);
    },
    HANG_TEST_MS,
  );
});

test(
  'A workload in mode Off is not changed, whatever its policy, until the mode is removed',
  async () => {
    const before = await world.resourcesOf('left-alone');
    expect((await request('left-alone', 'mode', { mode: 'Off' }, 'PUT')).status).toBe(200);
    await world.createPolicy('left-alone');
    await world.cycles('left-alone', 5);
    expect(await world.resourcesOf('left-alone')).toEqual(before);
    expect(await world.detailOf('left-alone')).toMatchObject({ state: 'excluded', mode: 'Off' });

    expect((await request('left-alone', 'mode', { mode: null }, 'PUT')).status).toBe(200);
    await eventuallyReads('its change: nothing blocks it any more', HANG_MS, () => world.resourcesOf('left-alone'), lowerThan(before));
  },
  HANG_TEST_MS,
);

test(
  'While the ConfigMap evenkeel-pause exists nothing is changed; work continues when it is deleted',
  async () => {
    const configMaps = '/api/v1/namespaces/evenkeel-system/configmaps';
    const before = await world.resourcesOf('stopped');
    await world.cluster.create(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'evenkeel-pause' },
      data: { reason: 'an incident' },
    });
    await world.createPolicy('stopped');
    const { message } = await world.recommendationOf(
      'stopped',
      'is paused: the ConfigMap evenkeel-pause exists',
      ({ reason }) => reason === 'paused',
    );
    expect(message).toContain('an incident');
    await world.cycles('stopped', 3);
    expect(await world.resourcesOf('stopped')).toEqual(before);

    await world.cluster.delete(`${configMaps}/evenkeel-pause`);
    await eventuallyReads('its change: nothing blocks it any more', HANG_MS, () => world.resourcesOf('stopped'), lowerThan(before));
  },
  HANG_TEST_MS,
);
