// Invalid objects, quotas, deleted objects and unavailable endpoints that the controller meets in a cluster.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PodResizePolicySpec } from '../../src/apis/v1alpha1/index.ts';
import { aPolicy, PATHS } from './cluster-client.ts';
import { NAMESPACE } from './constant-cluster.ts';
import { aWorkload, ConstantWorld, lowerThan, mebibytes, TOO_LARGE, TOO_SMALL } from './constant-world.ts';
import { logged } from './controller-process.ts';
import { ask, read } from './dashboard.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import { eventually, eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { TestFixture } from './processes.ts';

let fixture: TestFixture;
let world: ConstantWorld;

beforeAll(async () => {
  fixture = new TestFixture();
  world = await ConstantWorld.start(fixture, [
    aWorkload('misruled', TOO_LARGE),
    aWorkload('squeezed', TOO_SMALL),
    aWorkload('vanishing', TOO_LARGE),
    aWorkload('unmeasured', TOO_LARGE),
  ]);
}, HANG_TEST_MS);
afterAll(() => fixture.tearDown());

describe('A wrong PodResizePolicy', () => {
  test.each<[string, PodResizePolicySpec | Record<string, unknown>, RegExp]>([
    ['min above max', { cpu: { min: '2', max: '1' } }, /spec\.cpu\.min.*min must not be greater than max/],
    ['an unknown mode', { mode: 'Always' }, /spec\.mode.*supported values: .*"Observe".*"Auto"/],
    ['an invalid duration', { cooldown: 'soon' }, /spec\.cooldown.*write a duration such as 90s/],
    ['a ratio out of range', { minConfidence: 2 }, /spec\.minConfidence.*less than or equal to 1/],
    [
      'a string that is neither a count nor a percentage',
      { maxConcurrent: 'two' },
      /spec\.maxConcurrent.*write a count such as 5 or a percentage/,
    ],
  ])('with %s is refused, and the error names field and remedy', async (_what, spec, words) => {
    await expect(world.cluster.create(PATHS.policies, aPolicy('refused', spec as PodResizePolicySpec))).rejects.toThrow(words);
  });

  test(
    'that only the controller can check is accepted, has Ready=False with field and remedy, and has no effect until it is corrected',
    async () => {
      const windows = [{ start: '99 3 * * *', duration: '1h', timeZone: 'Europe/Vienna' }];
      const before = await world.resourcesOf('misruled');
      await world.createPolicy('misruled', { windows });
      const ready = await eventuallyReads(
        'a Ready condition: the policy is validated at each cycle',
        HANG_MS,
        async () => (await world.cluster.policy('misruled')).status?.conditions?.find(({ type }) => type === 'Ready'),
        (condition) => condition?.status === 'False',
      );
      expect(ready?.reason).toBe('InvalidSpec');
      expect(ready?.message).toMatch(/^spec\.windows\[0\]\.start.*99/);
      const status = await world.recommendationOf('misruled', 'is blocked: the policy is invalid', ({ state }) => state === 'blocked');
      const [problem, effect] = ready?.message.split('; until it is valid, ') ?? [];
      expect(effect).toMatch(/^1 workload that it governs get no new sizes/);
      expect(status).toMatchObject({ reason: 'invalid-policy', message: expect.stringContaining(problem ?? '?') });
      await world.cycles('misruled', 3);
      expect(await world.resourcesOf('misruled')).toEqual(before);

      await world.cluster.merge(`${PATHS.policies}/misruled`, { spec: { windows: null } });
      await eventuallyReads('changed pods: the policy is valid again', HANG_MS, () => world.resourcesOf('misruled'), lowerThan(before));
      expect((await world.cluster.policy('misruled')).status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'True', reason: 'InForce' }),
      );
    },
    HANG_TEST_MS,
  );
});

test(
  'A quota that refuses an increase is reported by name, and the increase is made once the quota is lifted',
  async () => {
    const quotas = `/api/v1/namespaces/${NAMESPACE}/resourcequotas`;
    const before = await world.resourcesOf('squeezed');
    await world.cluster.create(quotas, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'tight' },
      spec: { hard: { 'requests.memory': '1' } },
    });
    try {
      await world.createPolicy('squeezed');
      const status = await world.recommendationOf('squeezed', 'awaits the quota: it is used up', ({ reason }) => reason === 'quota');
      expect(status.state).toBe('awaiting');
      expect(status.message).toMatch(/ResourceQuota tight .*memory requests/);
      await world.cycles('squeezed', 3);
      expect(await world.resourcesOf('squeezed')).toEqual(before);
    } finally {
      await world.cluster.delete(`${quotas}/tight`);
    }
    await world.recommendationOf('squeezed', 'is applied: the quota is gone', ({ state }) => state === 'applied');
    // Applied counts the pods with usage from their node: a busy machine may miss one for a moment.
    await eventuallyReads(
      'more memory for every pod: the quota is gone',
      HANG_MS,
      () => world.resourcesOf('squeezed'),
      (after) => after.every(({ requests }, pod) => mebibytes(requests) > mebibytes(before[pod]?.requests)),
    );
  },
  HANG_TEST_MS,
);

test(
  'A workload that is deleted while its pods are resized leaves nothing behind: no errors, no queued work, no Recommendation',
  async () => {
    const before = world.watch.changesOf('vanishing');
    await world.createPolicy('vanishing');
    await world.watch.until('its first pod changed: the load is constant', HANG_MS, () => world.watch.changesOf('vanishing') > before);
    await world.cluster.delete(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/vanishing`);
    await eventuallyReads(
      'no pod and no Recommendation of it: their owner is gone',
      HANG_MS,
      namesOfVanishing,
      (names) => names.length === 0,
    );
    // A write that was in flight when its object was deleted may fail once.
    await world.cycles('vanishing', 1);
    const failures = failedReconciles('vanishing').length;
    await world.cycles('vanishing', 3);
    expect(failedReconciles('vanishing')).toHaveLength(failures);
    expect(await queued()).toBe(0);
    expect((await ask(world.controller.dashboard, `recommendations/${NAMESPACE}/vanishing`)).status).toBe(404);
  },
  HANG_TEST_MS,
);

test(
  'While no kubelet responds nothing is reduced and responses are marked stale; when they respond again the reduction is made',
  async () => {
    await eventually(
      'usage of it: its kubelet responds',
      HANG_MS,
      async () => (await world.detailOf('unmeasured')).audit.containers[0]?.inputs.enoughHistory !== null,
    );
    const before = await world.resourcesOf('unmeasured');
    await world.world.shutKubelets();
    try {
      await eventually(
        'answers marked stale: no kubelet confirms them',
        HANG_MS,
        async () => (await ask(world.controller.dashboard, 'recommendations')).envelope.meta.stale,
      );
      await world.createPolicy('unmeasured');
      const status = await world.recommendationOf(
        'unmeasured',
        'awaits usage: no kubelet responds',
        ({ reason }) => reason === 'stale-data',
      );
      expect(status).toMatchObject({ state: 'awaiting', message: expect.stringContaining('usage') });
      await world.cycles('unmeasured', 5);
      expect(await world.resourcesOf('unmeasured')).toEqual(before);
      const health = await read<readonly { readonly name: string; readonly status: string }[]>(world.controller.dashboard, 'health');
      expect(health).toContainEqual(expect.objectContaining({ name: 'usage-source', status: 'failed' }));
    } finally {
      await world.world.openKubelets();
    }
    await eventuallyReads('reduced pods: kubelets respond again', HANG_MS, () => world.resourcesOf('unmeasured'), lowerThan(before));
    await eventually(
      'nothing stale: every kubelet responds',
      HANG_MS,
      async () => (await ask(world.controller.dashboard, 'recommendations')).envelope.meta.stale === undefined,
    );
  },
  HANG_TEST_MS,
);

test(
  'While the API server is unreachable reads continue and are marked stale; when it is back all changes are processed',
  async () => {
    const named = async (): Promise<readonly string[]> =>
      (await read<readonly { readonly name: string }[]>(world.controller.dashboard, 'recommendations')).map(({ name }) => name);
    const before = await named();
    await world.world.shutApi();
    try {
      const stale = await eventually('reads marked stale: the API server confirms nothing', HANG_MS, async () => {
        const answer = await ask<readonly unknown[]>(world.controller.dashboard, 'recommendations');
        return answer.envelope.meta.stale === true && answer;
      });
      expect([stale.status, stale.envelope.data.length]).toEqual([200, before.length]);
      await eventually(
        'not ready: no informer is confirmed',
        HANG_MS,
        async () => (await boundedFetch(`${world.controller.probes}/readyz`, 'readiness of the controller')).status === 503,
      );
      expect((await boundedFetch(`${world.controller.probes}/healthz`, 'liveness of the controller')).status).toBe(200);
      await world.cluster.create(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments`, aLateDeployment());
    } finally {
      await world.world.openApi();
    }
    await eventually(
      'ready again: the API server answers',
      HANG_MS,
      async () => (await boundedFetch(`${world.controller.probes}/readyz`, 'readiness of the controller')).status === 200,
    );
    await eventuallyReads('what was created meanwhile: it is listed again', HANG_MS, named, (names) => names.includes('late'));
    await eventually(
      'nothing stale: the API server answers',
      HANG_MS,
      async () => (await ask(world.controller.dashboard, 'recommendations')).envelope.meta.stale === undefined,
    );
    await world.cycles('unmeasured', 2);
    expect(world.controller.process.isRunning).toBe(true);
  },
  HANG_TEST_MS,
);

async function namesOfVanishing(): Promise<readonly string[]> {
  const all = [...(await world.cluster.pods(NAMESPACE)), ...(await world.cluster.recommendations())];
  return all.map(({ metadata }) => metadata.name).filter((name) => name.includes('vanishing'));
}

/** Failed reconciles of one workload: a slow request for another workload does not count. */
function failedReconciles(workload: string): readonly object[] {
  const failed = ['Reconcile failed; will retry', 'Reconcile failed; not retrying before the object changes'];
  return failed
    .flatMap((message) => logged(world.controller.process, message))
    .filter(({ object }) => typeof object === 'string' && object.endsWith(`/${workload}`));
}

async function queued(): Promise<number> {
  return eventuallyReads(
    'an empty queue: what is queued is done between two cycles',
    HANG_MS,
    () => sumOf(/^evenkeel_workqueue_depth\{.*\} (\d+)/gm),
    (depth) => depth === 0,
  );
}

async function sumOf(pattern: RegExp): Promise<number> {
  const { text } = await boundedFetch(world.controller.metrics, 'metrics of the controller');
  return [...text.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
}

function aLateDeployment(): object {
  const labels = { app: 'late' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'late', labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'registry.example/app:1', resources: TOO_LARGE }] } },
    },
  };
}
