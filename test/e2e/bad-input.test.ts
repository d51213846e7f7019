// What the controller meets in a cluster: invalid objects, quotas, objects that vanish, endpoints that do not answer.

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
let here: ConstantWorld;

beforeAll(async () => {
  fixture = new TestFixture();
  here = await ConstantWorld.start(fixture, [
    aWorkload('misruled', TOO_LARGE),
    aWorkload('squeezed', TOO_SMALL),
    aWorkload('vanishing', TOO_LARGE),
    aWorkload('unmeasured', TOO_LARGE),
  ]);
}, HANG_TEST_MS);
afterAll(() => fixture.tearDown());

describe('A wrong PodResizePolicy', () => {
  test.each<[string, PodResizePolicySpec | Record<string, unknown>, RegExp]>([
    ['a bound above the other', { cpu: { min: '2', max: '1' } }, /spec\.cpu\.min.*min must not be greater than max/],
    ['an unknown mode', { mode: 'Always' }, /spec\.mode.*supported values: .*"Observe".*"Auto"/],
    ['a duration that is none', { cooldown: 'soon' }, /spec\.cooldown.*should match/],
    ['a ratio out of range', { minConfidence: 2 }, /spec\.minConfidence.*less than or equal to 1/],
    ['text for a count or percentage', { maxConcurrent: 'two' }, /spec\.maxConcurrent.*should match .*%/],
  ])('with %s is refused, and the refusal names field and remedy', async (_what, spec, words) => {
    await expect(here.cluster.create(PATHS.policies, aPolicy('refused', spec as PodResizePolicySpec))).rejects.toThrow(words);
  });

  test(
    'that only a reader can see through is accepted, says Ready=False with field and remedy, and nothing is done until it is mended',
    async () => {
      const windows = [{ start: '99 3 * * *', duration: '1h', timeZone: 'Europe/Vienna' }];
      const before = await here.resourcesOf('misruled');
      await here.createPolicy('misruled', { windows });
      const ready = await eventuallyReads(
        'a Ready condition: the policy is validated at each cycle',
        HANG_MS,
        async () => (await here.cluster.policy('misruled')).status?.conditions?.find(({ type }) => type === 'Ready'),
        (condition) => condition?.status === 'False',
      );
      expect(ready?.reason).toBe('InvalidSpec');
      expect(ready?.message).toMatch(/^spec\.windows\[0\]\.start.*99/);
      const status = await here.recommendationOf('misruled', 'is blocked: the policy is invalid', ({ state }) => state === 'blocked');
      expect(status).toMatchObject({ reason: 'invalid-policy', message: expect.stringContaining(ready?.message ?? '?') });
      await here.cycles('misruled', 3);
      expect(await here.resourcesOf('misruled')).toEqual(before);

      await here.cluster.merge(`${PATHS.policies}/misruled`, { spec: { windows: null } });
      await eventuallyReads('changed pods: the policy is valid again', HANG_MS, () => here.resourcesOf('misruled'), lowerThan(before));
      expect((await here.cluster.policy('misruled')).status?.conditions).toContainEqual(
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
    const before = await here.resourcesOf('squeezed');
    await here.cluster.create(quotas, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'tight' },
      spec: { hard: { 'requests.memory': '1' } },
    });
    try {
      await here.createPolicy('squeezed');
      const status = await here.recommendationOf('squeezed', 'awaits the quota: it has no room', ({ reason }) => reason === 'quota');
      expect(status.state).toBe('awaiting');
      expect(status.message).toMatch(/ResourceQuota tight .*memory requests/);
      await here.cycles('squeezed', 3);
      expect(await here.resourcesOf('squeezed')).toEqual(before);
    } finally {
      await here.cluster.delete(`${quotas}/tight`);
    }
    await here.recommendationOf('squeezed', 'is applied: the quota is gone', ({ state }) => state === 'applied');
    // Applied counts the pods whose node reports usage: a busy machine may miss one for a moment.
    await eventuallyReads(
      'more memory for every pod: the quota is gone',
      HANG_MS,
      () => here.resourcesOf('squeezed'),
      (after) => after.every(({ requests }, pod) => mebibytes(requests) > mebibytes(before[pod]?.requests)),
    );
  },
  HANG_TEST_MS,
);

test(
  'A workload that is deleted while its pods are resized leaves nothing behind: no errors, no work, no recommendation',
  async () => {
    const before = here.watch.changesOf('vanishing');
    await here.createPolicy('vanishing');
    await here.watch.until('its first pod changed: the load is constant', HANG_MS, () => here.watch.changesOf('vanishing') > before);
    await here.cluster.delete(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/vanishing`);
    await eventuallyReads(
      'no pod and no Recommendation of it: their owner is gone',
      HANG_MS,
      namesOfVanishing,
      (names) => names.length === 0,
    );
    // A write that was under way when its object went may fail once.
    await here.cycles('vanishing', 1);
    const failures = failedReconciles('vanishing').length;
    await here.cycles('vanishing', 3);
    expect(failedReconciles('vanishing')).toHaveLength(failures);
    expect(await queued()).toBe(0);
    expect((await ask(here.controller.dashboard, `recommendations/${NAMESPACE}/vanishing`)).status).toBe(404);
  },
  HANG_TEST_MS,
);

test(
  'While no kubelet answers nothing is reduced and answers are marked stale; when they answer again the reduction is made',
  async () => {
    await eventually(
      'usage of it: its kubelet answers',
      HANG_MS,
      async () => (await here.detailOf('unmeasured')).audit.containers[0]?.inputs.enoughHistory !== null,
    );
    const before = await here.resourcesOf('unmeasured');
    await here.world.shutKubelets();
    try {
      await eventually(
        'answers marked stale: no kubelet confirms them',
        HANG_MS,
        async () => (await ask(here.controller.dashboard, 'recommendations')).envelope.meta.stale,
      );
      await here.createPolicy('unmeasured');
      const status = await here.recommendationOf('unmeasured', 'awaits usage: no kubelet answers', ({ reason }) => reason === 'stale-data');
      expect(status).toMatchObject({ state: 'awaiting', message: expect.stringContaining('usage') });
      await here.cycles('unmeasured', 5);
      expect(await here.resourcesOf('unmeasured')).toEqual(before);
      const health = await read<readonly { readonly name: string; readonly status: string }[]>(here.controller.dashboard, 'health');
      expect(health).toContainEqual(expect.objectContaining({ name: 'usage-source', status: 'failed' }));
    } finally {
      await here.world.openKubelets();
    }
    await eventuallyReads('reduced pods: kubelets answer again', HANG_MS, () => here.resourcesOf('unmeasured'), lowerThan(before));
    await eventually(
      'nothing stale: every kubelet answers',
      HANG_MS,
      async () => (await ask(here.controller.dashboard, 'recommendations')).envelope.meta.stale === undefined,
    );
  },
  HANG_TEST_MS,
);

test(
  'While the API server is out of reach reads go on and are marked stale; when it is back everything is caught up with',
  async () => {
    const named = async (): Promise<readonly string[]> =>
      (await read<readonly { readonly name: string }[]>(here.controller.dashboard, 'recommendations')).map(({ name }) => name);
    const before = await named();
    await here.world.shutApi();
    try {
      const stale = await eventually('reads marked stale: the API server confirms nothing', HANG_MS, async () => {
        const answer = await ask<readonly unknown[]>(here.controller.dashboard, 'recommendations');
        return answer.envelope.meta.stale === true && answer;
      });
      expect([stale.status, stale.envelope.data.length]).toEqual([200, before.length]);
      await eventually(
        'not ready: no informer is confirmed',
        HANG_MS,
        async () => (await boundedFetch(`${here.controller.probes}/readyz`, 'readiness of the controller')).status === 503,
      );
      expect((await boundedFetch(`${here.controller.probes}/healthz`, 'liveness of the controller')).status).toBe(200);
      await here.cluster.create(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments`, aLateDeployment());
    } finally {
      await here.world.openApi();
    }
    await eventually(
      'ready again: the API server answers',
      HANG_MS,
      async () => (await boundedFetch(`${here.controller.probes}/readyz`, 'readiness of the controller')).status === 200,
    );
    await eventuallyReads('what was created meanwhile: it is listed again', HANG_MS, named, (names) => names.includes('late'));
    await eventually(
      'nothing stale: the API server answers',
      HANG_MS,
      async () => (await ask(here.controller.dashboard, 'recommendations')).envelope.meta.stale === undefined,
    );
    await here.cycles('unmeasured', 2);
    expect(here.controller.process.running).toBe(true);
  },
  HANG_TEST_MS,
);

async function namesOfVanishing(): Promise<readonly string[]> {
  const all = [...(await here.cluster.pods(NAMESPACE)), ...(await here.cluster.recommendations())];
  return all.map(({ metadata }) => metadata.name).filter((name) => name.includes('vanishing'));
}

/** Of one workload: a slow request for another says nothing about it. */
function failedReconciles(workload: string): readonly object[] {
  const failed = ['Reconcile failed; will retry', 'Reconcile failed; not retrying before the object changes'];
  return failed
    .flatMap((message) => logged(here.controller.process, message))
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
  const { text } = await boundedFetch(here.controller.metrics, 'metrics of the controller');
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
