import { beforeEach, describe, expect, test } from '@jest/globals';
import { crds } from '../../../../test/builders/crds.ts';
import { idleOriginal, targetsAnnotation } from '../../../../test/builders/original-annotations.ts';
import { TEST_SIGNER } from '../../../../test/fakes/test-signer.ts';
import { ApiWorld, type Wire } from '#embedded-cluster/testing/api-world';
import { ClusterAccess } from '../cluster-access.ts';
import { runRestorer } from '../run-restorer.ts';
import { autoscalersRestorer } from './autoscalers.ts';

const HPAS = '/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers';
const ISSUED_AT = '2026-11-20T00:00:00.000Z';
/** Autoscaler state in the status of a Recommendation. */
const REMEMBERED = '{"metrics":[{"resource":"cpu","averageUtilization":60,"cpuMillicores":500,"now":90}]}';
const NOTE = targetsAnnotation([{ resource: 'cpu', container: null, percent: 60, request: 500, set: 90 }], Date.parse(ISSUED_AT));

let world: ApiWorld;
beforeEach(async () => {
  world = new ApiWorld();
  await world.post('/api/v1/namespaces', { metadata: { name: 'shop' } });
});

/** An HPA at 60 % whose target Evenkeel has set to 90 %, with its annotation in the same write. */
async function moved(name: string, to = 90, sign = signedFor): Promise<void> {
  const metrics = [
    { type: 'External', external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '10' } } },
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
  ];
  const spec = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name }, maxReplicas: 9, metrics };
  await world.post(HPAS, { metadata: { name, annotations: { 'example.com/theirs': 'yes' } }, spec }, { fieldManager: 'helm' });
  const { uid } = ((await world.get(`${HPAS}/${name}`)).body as Wire).metadata as { readonly uid: string };
  const path = '/spec/metrics/1/resource/target/averageUtilization';
  const patch = [
    { op: 'replace', path, value: to },
    { op: 'add', path: '/metadata/annotations/evenkeel.io~1original', value: sign(uid) },
  ];
  expect((await world.patch('json', `${HPAS}/${name}`, patch, { fieldManager: 'evenkeel-controller' })).status).toBe(200);
}

function signedFor(uid: string, annotation = NOTE): string {
  return TEST_SIGNER.sign({ kind: 'HorizontalPodAutoscaler', uid, field: 'evenkeel.io/original' }, annotation);
}

async function hpa(name: string): Promise<{ readonly target: number; readonly annotations: unknown }> {
  const { metadata, spec } = (await world.get(`${HPAS}/${name}`)).body as Wire;
  return { target: spec.metrics[1].resource.target.averageUtilization, annotations: metadata.annotations };
}

function restore(): ReturnType<typeof runRestorer> {
  const run = { dryRun: false, signal: new AbortController().signal, print: () => undefined };
  return runRestorer(autoscalersRestorer(new ClusterAccess(world.transport), TEST_SIGNER), run);
}

describe('an uninstall', () => {
  test('restores targets that followed the requests, removes its annotation, and leaves nothing for a second run', async () => {
    await moved('web');
    expect(await restore()).toMatchObject({ changed: 1, kept: [], left: [] });
    expect(await hpa('web')).toEqual({ target: 60, annotations: { 'example.com/theirs': 'yes' } });
    expect(await restore()).toMatchObject({ changed: 0, left: [] });
  });

  test.each([
    ['without a signature', () => NOTE],
    ['of another autoscaler', () => signedFor('of another')],
  ])('restores no target from an annotation %s, and reports it', async (_, sign) => {
    await moved('web', 90, sign);
    expect(await restore()).toMatchObject({ kept: [{ why: expect.stringContaining('not signed') }], left: [] });
    expect((await hpa('web')).target).toBe(90);
  });

  test('restores no target from an annotation of an unknown format, and reports it', async () => {
    await moved('web', 90, (uid) => signedFor(uid, NOTE.replace('"v":1', '"v":2')));
    expect(await restore()).toMatchObject({ kept: [{ why: expect.stringContaining('cannot read') }], left: [] });
    expect((await hpa('web')).target).toBe(90);
  });

  test('restores targets from an annotation of the unversioned format', async () => {
    await moved('web', 90, (uid) => signedFor(uid, `${REMEMBERED.slice(0, -1)},"issuedAt":"${ISSUED_AT}"}`));
    expect(await restore()).toMatchObject({ changed: 1, kept: [], left: [] });
    expect(await hpa('web')).toEqual({ target: 60, annotations: { 'example.com/theirs': 'yes' } });
  });

  test('restores no target where the annotation has only minReplicas', async () => {
    await moved('web', 90, (uid) => signedFor(uid, idleOriginal('minReplicas', { user: 3, value: 1, since: Date.parse(ISSUED_AT) })));
    expect(await restore()).toMatchObject({ changed: 1, kept: [], left: [] });
    expect(await hpa('web')).toEqual({ target: 90, annotations: { 'example.com/theirs': 'yes' } });
  });

  test.each<[string, object, number]>([
    ['never moved since', {}, 90],
    ['moved later', { original: REMEMBERED, issuedAt: '2026-11-21T00:00:00.000Z' }, 90],
    ['moved then', { original: REMEMBERED, issuedAt: ISSUED_AT }, 60],
    ['moved a moment before the Recommendation was written', { original: REMEMBERED, issuedAt: '2026-11-19T00:00:00.000Z' }, 60],
  ])('follows only a record that is not older than the Recommendation: %s', async (_, known, target) => {
    await world.post(
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      crds().find(({ spec }) => spec.names.kind === 'Recommendation')!,
    );
    const recommendations = '/apis/evenkeel.io/v1alpha1/namespaces/shop/recommendations';
    const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const body = { apiVersion: 'evenkeel.io/v1alpha1', kind: 'Recommendation', metadata: { name: 'deployment-web' }, spec: { targetRef } };
    expect((await world.post(recommendations, body)).status).toBe(201);
    const status = { autoscalers: [{ name: 'web', ...known }] };
    expect((await world.patch('merge', `${recommendations}/deployment-web/status`, { status })).status).toBe(200);
    await moved('web');
    const { kept, left } = await restore();
    expect([(await hpa('web')).target, left]).toEqual([target, []]);
    expect(kept.map(({ why }) => why)).toEqual(
      target === 60 ? [] : ['its targets: annotation evenkeel.io/original is older than its Recommendation'],
    );
  });

  test('keeps a target that another writer has set since', async () => {
    await moved('web', 75);
    const { changed, kept, left } = await restore();
    expect({ changed, left }).toEqual({ changed: 1, left: [] });
    expect(kept.map(({ why }) => why)).toEqual(['its cpu target of 75 % was set by evenkeel-controller']);
    expect(await hpa('web')).toEqual({ target: 75, annotations: { 'example.com/theirs': 'yes' } });
  });
});
