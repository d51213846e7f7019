import { beforeEach, describe, expect, test } from '@jest/globals';
import { idleOriginal } from '../../../../test/builders/original-annotations.ts';
import { ApiWorld, type Wire } from '#embedded-cluster/testing/api-world';
import { aScalableDefinition } from '../../../../test/builders/scalable-definition.ts';
import { TEST_SIGNER } from '../../../../test/fakes/test-signer.ts';
import type { ApiTransport } from '#kube/api-transport';
import { ClusterAccess } from '../cluster-access.ts';
import type { Finding, Restorer } from '../restorer.ts';
import { runRestorer } from '../run-restorer.ts';
import { annotationsRestorer } from './annotations.ts';
import { idleWorkloadsRestorer } from './idle-workloads.ts';
import { podSizesRestorer } from './pod-sizes.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const OXEN = '/apis/db.example.com/v1/namespaces/shop/oxen';
const PODS = '/api/v1/namespaces/shop/pods';
const OX = { apiVersion: 'db.example.com/v1', kind: 'Ox' };
const RUN = { dryRun: false, signal: new AbortController().signal, print: () => undefined };
const SINCE = '2026-11-20T00:00:00.000Z';
const NOTE = { since: SINCE, natural: [], sizes: [], wakeTriggers: 'load' };
/** Three replicas, lowered to one by idle mode. */
const ORIGINAL = idleOriginal('replicas', { user: 3, value: 1, since: Date.parse(SINCE) });

let world: ApiWorld;
let cluster: ClusterAccess;

beforeEach(async () => {
  world = new ApiWorld();
  cluster = new ClusterAccess(world.transport);
  await world.post('/api/v1/namespaces', { metadata: { name: 'shop' } });
  const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.members' };
  await world.post(DEFINITIONS, aScalableDefinition({ group: 'db.example.com', kind: 'Ox', plural: 'oxen', scale }));
});

function containers(cpu: string): readonly object[] {
  return [{ name: 'app', image: 'app:1', resources: { requests: { cpu } } }];
}

/** An idled ox with its original values in the annotation. Returns its uid. */
async function anOx(spec: object = { size: 1, selector: { matchLabels: { app: 'ox' } } }): Promise<string> {
  const made = await world.post(OXEN, { ...OX, metadata: { name: 'ox' }, spec });
  const { uid } = (made.body as Wire).metadata as { readonly uid: string };
  const signed = (field: string, text: string): string => TEST_SIGNER.sign({ kind: 'Ox', uid, field }, text);
  const annotations = {
    'evenkeel.io/idle': signed('evenkeel.io/idle', JSON.stringify(NOTE)),
    'evenkeel.io/original': signed('evenkeel.io/original', ORIGINAL),
  };
  expect((await world.patch('merge', `${OXEN}/ox`, { metadata: { annotations } }, { fieldManager: 'evenkeel' })).status).toBe(200);
  return uid;
}

/** As if sized by Evenkeel: managedFields has the writer. */
async function aPodOf(owner: { readonly apiVersion: string; readonly kind: string; readonly uid: string }, name = 'ox'): Promise<void> {
  const metadata = { name: `${name}-0`, labels: { app: name }, ownerReferences: [{ ...owner, name, controller: true }] };
  const made = await world.post(PODS, { metadata, spec: { containers: containers('100m') } }, { fieldManager: 'evenkeel-controller' });
  expect(made.status).toBe(201);
  expect((await world.patch('merge', `${PODS}/${name}-0/status`, { status: { qosClass: 'Burstable' } })).status).toBe(200);
}

async function ox(): Promise<Wire> {
  return (await world.get(`${OXEN}/ox`)).body;
}

async function findingsOf(restorer: Restorer): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for await (const finding of restorer.find(RUN.signal)) findings.push(finding);
  return findings;
}

describe('an uninstall, of a kind with a scale subresource', () => {
  test('restores lowered replicas at the path of the CRD', async () => {
    await anOx();
    expect(await runRestorer(idleWorkloadsRestorer(cluster, TEST_SIGNER), RUN)).toMatchObject({ changed: 1, kept: [], left: [] });
    expect((await ox()).spec.size).toBe(3);
  });

  test.each<[string, object, string]>([
    ['whose replicas are not at the path of the CRD', { selector: {} }, 'its number of replicas is unknown'],
    ['without a selector of its pods', { size: 1, selector: 'app=ox' }, 'it has no selector'],
  ])('keeps the replicas of one %s, and reports it', async (_, spec, why) => {
    await anOx(spec);
    const result = await runRestorer(idleWorkloadsRestorer(cluster, TEST_SIGNER), RUN);
    expect(result).toMatchObject({ changed: 0, kept: [{ object: 'ox shop/ox', why: expect.stringContaining(why) }], left: [] });
  });

  test('removes Evenkeel’s annotations', async () => {
    await anOx();
    expect(await runRestorer(annotationsRestorer(cluster), RUN)).toMatchObject({ changed: 1, left: [] });
    expect((await ox()).metadata.annotations ?? {}).toEqual({});
  });

  test('restores pods to the sizes of their owner’s template, by the plural of its CRD', async () => {
    const uid = await anOx({ size: 1, template: { spec: { containers: containers('500m') } } });
    await aPodOf({ ...OX, uid });
    expect(await findingsOf(podSizesRestorer(cluster))).toMatchObject([
      { kind: 'change', object: 'pod shop/ox-0', change: 'app: cpu 100m → 500m' },
    ]);
  });

  test('restores pods whose owner can be read where another owner cannot, and then fails', async () => {
    const uid = await anOx({ size: 1, template: { spec: { containers: containers('500m') } } });
    await aPodOf({ ...OX, uid: 'u' }, 'ill');
    await aPodOf({ ...OX, uid });
    const transport: ApiTransport = {
      request: async (request) =>
        request.path === `${OXEN}/ill`
          ? { status: 500, headers: {}, body: { message: 'its conversion webhook is down' } }
          : world.transport.request(request),
      stream: (request) => world.transport.stream(request),
    };
    const findings = podSizesRestorer(new ClusterAccess(transport)).find(RUN.signal)[Symbol.asyncIterator]();
    expect((await findings.next()).value).toMatchObject({ object: 'pod shop/ox-0', change: 'app: cpu 100m → 500m' });
    await expect(findings.next()).rejects.toThrow('its conversion webhook is down');
  });

  test.each<[string, { readonly apiVersion: string; readonly kind: string }]>([
    ['is not known', { apiVersion: 'x.example.com/v1', kind: 'Cow' }],
    ['is one of Kubernetes in another group', { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet' }],
  ])('keeps the pods of an owner whose kind %s, requests no guessed path, and reports it', async (_, owner) => {
    await aPodOf({ ...owner, uid: 'u' });
    const asked: string[] = [];
    const transport: ApiTransport = {
      request: (request) => (asked.push(request.path), world.transport.request(request)),
      stream: (request) => world.transport.stream(request),
    };
    const why = expect.stringContaining('its template is gone or cannot be read');
    expect(await findingsOf(podSizesRestorer(new ClusterAccess(transport)))).toMatchObject([
      { kind: 'keep', object: 'pod shop/ox-0', why },
    ]);
    expect(asked.filter((path) => path.includes('cow') || path.includes('kruise'))).toEqual([]);
  });
});
