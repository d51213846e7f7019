import { beforeEach, describe, expect, test } from '@jest/globals';
import { crds } from '../../../../test/builders/crds.ts';
import { TEST_SIGNER } from '../../../../test/fakes/test-signer.ts';
import { ApiWorld, type Wire } from '../../../../test/fakes/api-world.ts';
import { ClusterAccess } from '../cluster-access.ts';
import { runRestorer } from '../run-restorer.ts';
import { idleWorkloadsRestorer } from './idle-workloads.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/shop/deployments';
const RECOMMENDATIONS = '/apis/evenkeel.io/v1alpha1/namespaces/shop/recommendations';
const IDLE = {
  since: '2026-11-20T00:00:00.000Z',
  natural: [],
  sizes: [],
  floor: [],
  awakeSeconds: 0,
  replicas: 3,
  idleReplicas: 1,
  scaled: true,
  wakesOn: 'load',
};
const HPAS = '/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers';

let world: ApiWorld;
beforeEach(async () => {
  world = new ApiWorld();
  await world.post('/api/v1/namespaces', { metadata: { name: 'shop' } });
});

/** A Deployment that fell idle: the note says what it had, the spec what it has now. */
async function asleep(name: string, replicas: number, note: object, sign = signedFor): Promise<void> {
  const labels = { app: name };
  const written = { since: '2026-11-20T00:00:00.000Z', natural: [], sizes: [], replicas: 3, wakesOn: 'load', ...note };
  await world.post(DEPLOYMENTS, {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
    },
  });
  const { uid } = ((await world.get(`${DEPLOYMENTS}/${name}`)).body as Wire).metadata as { readonly uid: string };
  const annotations = { 'evenkeel.io/idle': sign(uid, JSON.stringify(written)) };
  expect((await world.patch('merge', `${DEPLOYMENTS}/${name}`, { metadata: { annotations } })).status).toBe(200);
}

function signedFor(uid: string, note: string): string {
  return TEST_SIGNER.sign({ kind: 'Deployment', uid, field: 'evenkeel.io/idle' }, note);
}

async function replicasOf(name: string): Promise<number> {
  return ((await world.get(`${DEPLOYMENTS}/${name}`)).body as Wire).spec.replicas as number;
}

function restore(): ReturnType<typeof runRestorer> {
  const run = { dryRun: false, signal: new AbortController().signal, tell: () => undefined };
  return runRestorer(idleWorkloadsRestorer(new ClusterAccess(world.transport), TEST_SIGNER), run);
}

describe('an uninstall', () => {
  test.each([1, 0])('gives replicas back that were lowered to %i, once', async (idleReplicas) => {
    await asleep('web', idleReplicas, { idleReplicas });
    expect(await restore()).toMatchObject({ changed: 1, kept: [], left: [] });
    expect(await replicasOf('web')).toBe(3);
    expect(await restore()).toMatchObject({ changed: 0, left: [] });
  });

  test('leaves replicas that somebody has set since, and says so', async () => {
    await asleep('web', 2, { idleReplicas: 1 });
    expect(await restore()).toMatchObject({ changed: 0, kept: [{ why: expect.stringContaining('2 replicas') }], left: [] });
    expect(await replicasOf('web')).toBe(2);
  });

  test.each<[string, (uid: string, note: string) => string]>([
    ['without a signature', (_, note) => note],
    ['of another workload', (_, note) => signedFor('of another', note)],
  ])('scales nothing by a note %s, and says so', async (_, sign) => {
    await asleep('web', 1, { idleReplicas: 1, replicas: 9 }, sign);
    expect(await restore()).toMatchObject({ changed: 0, kept: [{ why: expect.stringContaining('not signed') }], left: [] });
    expect(await replicasOf('web')).toBe(1);
  });

  test.each([
    ['woken since', {}, 0],
    ['idle anew since', { idle: { ...IDLE, since: '2026-11-21T00:00:00.000Z' } }, 0],
    ['idle since then', { idle: IDLE }, 1],
  ])('of a workload %s believes what the Recommendation says', async (_, status, changed) => {
    await world.post(
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      crds().find(({ spec }) => spec.names.kind === 'Recommendation')!,
    );
    const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const body = {
      apiVersion: 'evenkeel.io/v1alpha1',
      kind: 'Recommendation',
      metadata: { name: 'deployment-web' },
      spec: { targetRef: target },
    };
    expect((await world.post(RECOMMENDATIONS, body)).status).toBe(201);
    expect((await world.patch('merge', `${RECOMMENDATIONS}/deployment-web/status`, { status })).status).toBe(200);
    await asleep('web', 1, { idleReplicas: 1 });
    expect(await restore()).toMatchObject({ changed, left: [] });
  });

  const sized = (cpu: string) => [{ name: 'app', requests: { cpu } }];
  test.each([
    ['have the idle sizes that it says', '10m', 1],
    ['have other sizes', '500m', 0],
  ])('without a Recommendation follows a note where the pods %s', async (_, cpu, changed) => {
    await asleep('web', 1, { idleReplicas: 1, natural: sized('900m'), sizes: sized('10m') });
    for (const app of ['web', 'other']) {
      const spec = { containers: [{ name: 'app', image: 'app:1', resources: { requests: { cpu: app === 'web' ? cpu : '1' } } }] };
      expect((await world.post('/api/v1/namespaces/shop/pods', { metadata: { name: app, labels: { app } }, spec })).status).toBe(201);
    }
    expect(await restore()).toMatchObject({ changed, left: [], kept: changed === 1 ? [] : [{ why: expect.stringContaining('its pods') }] });
    expect(await replicasOf('web')).toBe(changed === 1 ? 3 : 1);
  });

  test('gives an autoscaler its least back', async () => {
    await asleep('web', 3, { idleReplicas: 1, autoscaler: { name: 'web', minReplicas: 3 } });
    const spec = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, minReplicas: 1, maxReplicas: 9 };
    await world.post(HPAS, { metadata: { name: 'web' }, spec });
    expect(await restore()).toMatchObject({ changed: 1, left: [] });
    expect(((await world.get(`${HPAS}/web`)).body as Wire).spec.minReplicas).toBe(3);
    expect(await restore()).toMatchObject({ changed: 0, left: [] });
  });

  test.each([
    ['that was made small in place alone', {}],
    ['whose autoscaler is gone', { idleReplicas: 1, autoscaler: { name: 'gone', minReplicas: 3 } }],
  ])('has nothing to scale of a workload %s', async (_, note) => {
    await asleep('web', 3, note);
    expect(await restore()).toMatchObject({ changed: 0, kept: [], left: [] });
  });
});
