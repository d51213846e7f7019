// What people ask for reaches pods, and nothing else does: approve, reject, roll back, leave alone, pause.

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
let here: ConstantWorld;

beforeAll(async () => {
  fixture = new TestFixture();
  here = await ConstantWorld.start(fixture, [
    aWorkload('asking', TOO_LARGE),
    aWorkload('unwanted', TOO_LARGE),
    aWorkload('left-alone', TOO_LARGE),
    aWorkload('stopped', TOO_LARGE),
  ]);
}, HANG_TEST_MS);
afterAll(() => fixture.tearDown());

const said = (app: string, verb: string, body: unknown, method = 'POST') =>
  send<Recommendation>(here.controller.dashboard, method, `recommendations/${NAMESPACE}/${app}/${verb}`, body);

/** For CPU and memory: on a busy machine memory is known first, and what is approved then leaves CPU as it is. */
function awaitsApprovalOfAll({ reason, containers = [] }: RecommendationStatus): boolean {
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
    'nothing is done before a person approves, then exactly what was approved; and a roll-back takes it back',
    async () => {
      const before = await here.resourcesOf('asking');
      await here.createPolicy('asking', { mode: 'Approve' });
      const { containers = [] } = await here.recommendationOf(
        'asking',
        'awaits approval: the policy is in mode Approve',
        awaitsApprovalOfAll,
      );
      await here.cycles('asking', 3);
      expect(await here.resourcesOf('asking')).toEqual(before);

      const [app] = containers;
      const seen = { name: 'app', ...readRequestsAndLimits(app?.recommended) };
      const outdated = { ...seen, requests: { ...seen.requests, cpuMillicores: 1 } };
      expect(await said('asking', 'approve', { containers: [outdated] })).toMatchObject({
        status: 409,
        envelope: { error: { code: 'conflict' } },
      });
      expect((await said('asking', 'approve', { containers: [seen] })).status).toBe(200);
      const { lastApplied } = await here.recommendationOf('asking', 'is applied: it was approved', ({ state }) => state === 'applied');
      expect(lastApplied?.by).not.toBe('evenkeel');
      // Applied counts the pods whose node reports usage: a busy machine may miss one for a moment.
      const approved = JSON.stringify(readRequestsAndLimits(app?.recommended));
      await eventuallyReads(
        'the approved values on every pod: one that was missed gets them when its kubelet answers again',
        HANG_MS,
        () => here.resourcesOf('asking'),
        (all) => all.every((resources) => JSON.stringify(readRequestsAndLimits(resources)) === approved),
      );

      expect((await said('asking', 'rollback', { reason: 'not on a Friday' })).status).toBe(200);
      await eventuallyReads(
        'the values before: the roll-back was accepted',
        HANG_MS,
        () => here.resourcesOf('asking'),
        (now) => JSON.stringify(now) === JSON.stringify(before),
      );
      const rolledBack = await here.recommendationOf(
        'asking',
        'reports the roll-back: every pod has its old values',
        ({ reason }) => reason === 'hold',
      );
      expect(rolledBack.state).toBe('awaiting');
      await here.cycles('asking', 3);
      expect(await here.resourcesOf('asking')).toEqual(before);
    },
    HANG_TEST_MS,
  );

  test(
    'rejected values are not offered again',
    async () => {
      const before = await here.resourcesOf('unwanted');
      await here.createPolicy('unwanted', { mode: 'Approve' });
      await here.recommendationOf('unwanted', 'awaits approval: the policy is in mode Approve', awaitsApprovalOfAll);
      expect((await said('unwanted', 'reject', { reason: 'it starts slowly' })).status).toBe(200);
      expect(
        await here.recommendationOf('unwanted', 'reports the rejection: its values were rejected', ({ reason }) => reason === 'rejected'),
      ).toMatchObject({ state: 'optimal' });
      await here.cycles('unwanted', 3);
      expect(await here.resourcesOf('unwanted')).toEqual(before);
    },
    HANG_TEST_MS,
  );
});

test(
  'A workload that is set to Off is left alone, whatever its policy says, until that is taken back',
  async () => {
    const before = await here.resourcesOf('left-alone');
    expect((await said('left-alone', 'mode', { mode: 'Off' }, 'PUT')).status).toBe(200);
    await here.createPolicy('left-alone');
    await here.cycles('left-alone', 5);
    expect(await here.resourcesOf('left-alone')).toEqual(before);
    expect(await here.detailOf('left-alone')).toMatchObject({ state: 'excluded', mode: 'Off' });

    expect((await said('left-alone', 'mode', { mode: null }, 'PUT')).status).toBe(200);
    await eventuallyReads('its change: nothing blocks it any more', HANG_MS, () => here.resourcesOf('left-alone'), lowerThan(before));
  },
  HANG_TEST_MS,
);

test(
  'While the ConfigMap evenkeel-pause is there nothing is changed; when it is gone the work goes on',
  async () => {
    const configMaps = '/api/v1/namespaces/evenkeel-system/configmaps';
    const before = await here.resourcesOf('stopped');
    await here.cluster.create(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'evenkeel-pause' },
      data: { reason: 'an incident' },
    });
    await here.createPolicy('stopped');
    const { message } = await here.recommendationOf(
      'stopped',
      'is paused: the ConfigMap evenkeel-pause exists',
      ({ reason }) => reason === 'paused',
    );
    expect(message).toContain('an incident');
    await here.cycles('stopped', 3);
    expect(await here.resourcesOf('stopped')).toEqual(before);

    await here.cluster.delete(`${configMaps}/evenkeel-pause`);
    await eventuallyReads('its change: nothing blocks it any more', HANG_MS, () => here.resourcesOf('stopped'), lowerThan(before));
  },
  HANG_TEST_MS,
);
