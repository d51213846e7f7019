import { beforeEach, describe, expect, test } from '@jest/globals';
import { crds } from '../../../../test/builders/crds.ts';
import { idleOriginal } from '../../../../test/builders/original-annotations.ts';
import { TEST_SIGNER } from '../../../../test/fakes/test-signer.ts';
import { ApiWorld, type Wire } from '#embedded-cluster/testing/api-world';
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
  activeSeconds: 0,
  replicas: 3,
  idleReplicas: 1,
  scaled: true,
  wakeTriggers: 'load',
};
const HPAS = '/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers';

let world: ApiWorld;
beforeEach(async () => {
  world = new ApiWorld();
  await world.post('/api/v1/namespaces', { metadata: { name: 'shop' } });
});

const SINCE = '2026-11-20T00:00:00.000Z';

/** An idled Deployment of three replicas: annotations with its original values, and the idle spec. `idleReplicas`: as in the annotation. */
async function idled(
  name: string,
  replicas: number,
  { idleReplicas, ...sizes }: { readonly idleReplicas?: number; readonly natural?: object; readonly sizes?: object } = {},
  sign: typeof signedFor = signedFor,
): Promise<void> {
  const labels = { app: name };
  await world.post(DEPLOYMENTS, {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
    },
  });
  const { uid } = ((await world.get(`${DEPLOYMENTS}/${name}`)).body as Wire).metadata as { readonly uid: string };
  const annotation = JSON.stringify({ since: SINCE, natural: [], sizes: [], wakeTriggers: 'load', ...sizes });
  const annotations = {
    'evenkeel.io/idle': sign(uid, annotation, 'evenkeel.io/idle'),
    ...(idleReplicas === undefined
      ? {}
      : { 'evenkeel.io/original': sign(uid, original('replicas', idleReplicas), 'evenkeel.io/original') }),
  };
  expect((await world.patch('merge', `${DEPLOYMENTS}/${name}`, { metadata: { annotations } })).status).toBe(200);
}

function original(field: 'replicas' | 'minReplicas', value: number, since = SINCE): string {
  return idleOriginal(field, { user: 3, value, since: Date.parse(since) });
}

function signedFor(uid: string, annotation: string, field: string, kind = 'Deployment'): string {
  return TEST_SIGNER.sign({ kind, uid, field }, annotation);
}

async function replicasOf(name: string): Promise<number> {
  return ((await world.get(`${DEPLOYMENTS}/${name}`)).body as Wire).spec.replicas as number;
}

/** A Recommendation for web. */
async function recommended(status: object): Promise<void> {
  const definition = crds().find(({ spec }) => spec.names.kind === 'Recommendation')!;
  await world.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const body = { apiVersion: 'evenkeel.io/v1alpha1', kind: 'Recommendation', metadata: { name: 'deployment-web' }, spec: { targetRef } };
  expect((await world.post(RECOMMENDATIONS, body)).status).toBe(201);
  expect((await world.patch('merge', `${RECOMMENDATIONS}/deployment-web/status`, { status })).status).toBe(200);
}

function restore(): ReturnType<typeof runRestorer> {
  const run = { dryRun: false, signal: new AbortController().signal, print: () => undefined };
  return runRestorer(idleWorkloadsRestorer(new ClusterAccess(world.transport), TEST_SIGNER), run);
}

describe('an uninstall', () => {
  test.each([1, 0])('restores replicas that were lowered to %i, once', async (idleReplicas) => {
    await idled('web', idleReplicas, { idleReplicas });
    expect(await restore()).toMatchObject({ changed: 1, kept: [], left: [] });
    expect(await replicasOf('web')).toBe(3);
    expect(await restore()).toMatchObject({ changed: 0, left: [] });
  });

  test('keeps replicas that a user has set since, and reports it', async () => {
    await idled('web', 2, { idleReplicas: 1 });
    expect(await restore()).toMatchObject({ changed: 0, kept: [{ why: expect.stringContaining('2 replicas') }], left: [] });
    expect(await replicasOf('web')).toBe(2);
  });

  test.each<[string, typeof signedFor]>([
    ['without a signature', (_, annotation) => annotation],
    ['of another workload', (_, annotation, field) => signedFor('of another', annotation, field)],
  ])('scales nothing from an annotation %s, and reports it', async (_, sign) => {
    await idled('web', 1, { idleReplicas: 1 }, sign);
    expect(await restore()).toMatchObject({ changed: 0, kept: [{ why: expect.stringContaining('not signed') }], left: [] });
    expect(await replicasOf('web')).toBe(1);
  });

  test.each([
    ['woken since', {}, 0],
    ['idle anew since', { idle: { ...IDLE, since: '2026-11-21T00:00:00.000Z' } }, 0],
    ['idle since then', { idle: IDLE }, 1],
  ])('of a workload %s follows the Recommendation', async (_, status, changed) => {
    await recommended(status);
    await idled('web', 1, { idleReplicas: 1 });
    expect(await restore()).toMatchObject({ changed, left: [] });
  });

  test.each([
    ['gives replicas back', 1, 3],
    ['leaves replicas that a user has set since', 2, 2],
  ])('without an annotation, %s from the Recommendation', async (_, replicas, expected) => {
    await recommended({ idle: IDLE });
    await idled('web', replicas);
    expect((await restore()).left).toEqual([]);
    expect(await replicasOf('web')).toBe(expected);
  });

  test('without an annotation, restores minReplicas of an autoscaler from the Recommendation', async () => {
    await recommended({ idle: { ...IDLE, autoscaler: { name: 'web', minReplicas: 3 } } });
    await idled('web', 3);
    await lowered('web', null);
    expect(await restore()).toMatchObject({ changed: 1, left: [] });
    expect(((await world.get(`${HPAS}/web`)).body as Wire).spec.minReplicas).toBe(3);
  });

  const sized = (cpu: string) => [{ name: 'app', requests: { cpu } }];
  test.each([
    ['have its idle sizes', '10m', 1],
    ['have other sizes', '500m', 0],
  ])('without a Recommendation follows an annotation where the pods %s', async (_, cpu, changed) => {
    await idled('web', 1, { idleReplicas: 1, natural: sized('900m'), sizes: sized('10m') });
    for (const app of ['web', 'other']) {
      const spec = { containers: [{ name: 'app', image: 'app:1', resources: { requests: { cpu: app === 'web' ? cpu : '1' } } }] };
      expect((await world.post('/api/v1/namespaces/shop/pods', { metadata: { name: app, labels: { app } }, spec })).status).toBe(201);
    }
    expect(await restore()).toMatchObject({ changed, left: [], kept: changed === 1 ? [] : [{ why: expect.stringContaining('its pods') }] });
    expect(await replicasOf('web')).toBe(changed === 1 ? 3 : 1);
  });

  test('scales nothing from a replicas annotation of another idle period or unknown format', async () => {
    const notes = [original('replicas', 1, '2026-11-19T00:00:00.000Z'), '{"v":2,"fields":{"replicas":{}},"takenAt":{}}'];
    for (const [at, note] of notes.entries()) {
      const name = `web-${at}`;
      await idled(name, 1, { idleReplicas: 1 }, (uid, text, field) => signedFor(uid, field === 'evenkeel.io/idle' ? text : note, field));
      expect(await restore()).toMatchObject({ changed: 0 });
      expect(await replicasOf(name)).toBe(1);
    }
  });

  async function lowered(target: string, annotation: string | null = original('minReplicas', 1), apiVersion = 'apps/v1'): Promise<void> {
    const spec = { scaleTargetRef: { apiVersion, kind: 'Deployment', name: target }, minReplicas: 1, maxReplicas: 9 };
    await world.post(HPAS, { metadata: { name: 'web' }, spec });
    if (annotation === null) return;
    const { uid } = ((await world.get(`${HPAS}/web`)).body as Wire).metadata as { readonly uid: string };
    const annotations = { 'evenkeel.io/original': signedFor(uid, annotation, 'evenkeel.io/original', 'HorizontalPodAutoscaler') };
    expect((await world.patch('merge', `${HPAS}/web`, { metadata: { annotations } })).status).toBe(200);
  }

  test('restores minReplicas of an autoscaler', async () => {
    await idled('web', 3);
    await lowered('web');
    expect(await restore()).toMatchObject({ changed: 1, left: [] });
    expect(((await world.get(`${HPAS}/web`)).body as Wire).spec.minReplicas).toBe(3);
    expect(await restore()).toMatchObject({ changed: 0, left: [] });
  });

  test.each([
    ['that was made small in place alone', () => Promise.resolve()],
    ['whose note is on the autoscaler of another', () => lowered('other')],
    ['whose note is on the autoscaler of that kind and name in another group', () => lowered('web', undefined, 'apps.example.com/v1')],
    ['whose autoscaler has the note of another idle period', () => lowered('web', original('minReplicas', 1, '2026-11-19T00:00:00.000Z'))],
  ])('scales nothing of a workload %s', async (_, arrange) => {
    await idled('web', 3);
    await arrange();
    expect(await restore()).toMatchObject({ changed: 0, kept: [], left: [] });
  });
});
