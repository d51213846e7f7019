// An incomplete uninstall keeps the records that the next run needs.

import { beforeEach, describe, expect, test } from '@jest/globals';
import { idleOriginal } from '../../../test/builders/original-annotations.ts';
import { aScalableDefinition } from '../../../test/builders/scalable-definition.ts';
import { ApiWorld, type Wire } from '#embedded-cluster/testing/api-world';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { RECORD_KEY_SECRET } from '../../adapters/kubernetes/write/record-key.ts';
import type { ApiRequest, ApiResponse, ApiTransport } from '#kube/api-transport';
import { writeOriginalValues } from '../../core/ownership/original-values.ts';
import { NO_ORIGINAL_VALUES, take } from '../../core/ownership/owners.ts';
import { HmacSigner } from '../../runtime/hmac-signer.ts';
import { parseUninstallOptions } from './options.ts';
import { runUninstall, type UninstallReport } from './run-uninstall.ts';

const NAMESPACE = 'evenkeel-system';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/shop/deployments';
const HPAS = '/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers';
const OXEN = '/apis/db.example.com/v1/namespaces/shop/oxen';
const SINCE = '2026-11-20T00:00:00.000Z';
const KEY = Buffer.alloc(32, 7);
const SIGNER = new HmacSigner(() => KEY);

let world: ApiWorld;
/** Overrides answers of the API server; null: its own answer. */
let instead: (request: ApiRequest) => ApiResponse | null;

beforeEach(async () => {
  world = new ApiWorld();
  instead = () => null;
  for (const name of ['shop', NAMESPACE]) await world.post('/api/v1/namespaces', { metadata: { name } });
  const secret = { metadata: { name: RECORD_KEY_SECRET }, type: 'Opaque', data: { key: KEY.toString('base64') } };
  expect((await world.post(`/api/v1/namespaces/${NAMESPACE}/secrets`, secret)).status).toBe(201);
  for (const [group, kind, plural] of [
    ['a.example.com', 'Cow', 'cows'],
    ['db.example.com', 'Ox', 'oxen'],
  ] as const) {
    const made = await world.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', aScalableDefinition({ group, kind, plural }));
    expect(made.status).toBe(201);
  }
});

/** An idled workload: one of three replicas. */
async function idled(path: string, body: { readonly kind: string; readonly metadata: { readonly name: string } }): Promise<void> {
  const made = (await world.post(path, body)).body as Wire;
  const signed = (field: string, text: string): string => SIGNER.sign({ kind: body.kind, uid: made.metadata.uid, field }, text);
  const annotations = {
    'evenkeel.io/idle': signed('evenkeel.io/idle', JSON.stringify({ since: SINCE, natural: [], sizes: [], wakeTriggers: 'load' })),
    'evenkeel.io/original': signed('evenkeel.io/original', idleOriginal('replicas', { user: 3, value: 1, since: Date.parse(SINCE) })),
  };
  const patched = await world.patch('merge', `${path}/${body.metadata.name}`, { metadata: { annotations } }, { fieldManager: 'evenkeel' });
  expect(patched.status).toBe(200);
}

function aDeployment(name: string): Parameters<typeof idled>[1] {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  return { kind: 'Deployment', metadata: { name }, ...{ apiVersion: 'apps/v1', spec } };
}

function anOx(name: string): Parameters<typeof idled>[1] {
  const spec = { replicas: 1, selector: { matchLabels: { app: name } } };
  return { kind: 'Ox', metadata: { name }, ...{ apiVersion: 'db.example.com/v1', spec } };
}

async function replicasOf(path: string): Promise<number> {
  return ((await world.get(path)).body as Wire).spec.replicas as number;
}

function refusal(code: number, reason: string, message: string): ApiResponse {
  return { status: code, headers: {}, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message } };
}

function uninstall(): Promise<UninstallReport> {
  const parsed = parseUninstallOptions(['--restore']);
  if (!parsed.ok) throw new Error(parsed.problems.join(', '));
  const transport: ApiTransport = {
    request: async (request) => instead(request) ?? world.transport.request(request),
    stream: (request) => world.transport.stream(request),
  };
  return runUninstall({
    transport,
    namespace: NAMESPACE,
    options: parsed.options,
    timer: new ManualClock(),
    interrupted: new AbortController().signal,
    print: () => undefined,
  });
}

const RECORDS_REMAIN = expect.stringContaining('Recommendations and their key stay');

describe('a repeated uninstall', () => {
  test('restores replicas whose scaling was refused the first time', async () => {
    await idled(DEPLOYMENTS, aDeployment('web'));
    instead = ({ method, path }) =>
      method === 'PATCH' && path.endsWith('/web/scale') ? refusal(403, 'Forbidden', 'a webhook says no') : null;
    expect(await uninstall()).toMatchObject({
      left: [{ object: 'deployment shop/web', why: 'refused: a webhook says no' }],
      notes: [RECORDS_REMAIN],
    });
    instead = () => null;
    expect((await uninstall()).left).toEqual([]);
    expect(await replicasOf(`${DEPLOYMENTS}/web`)).toBe(3);
  });

  test('restores minReplicas that were refused the first time; targets do not wait for it', async () => {
    await idled(DEPLOYMENTS, aDeployment('web'));
    const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 90 } } }];
    const spec = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, minReplicas: 1, maxReplicas: 9, metrics };
    const { uid } = ((await world.post(HPAS, { metadata: { name: 'web' }, spec })).body as Wire).metadata;
    const at = Date.parse(SINCE);
    const least = take(NO_ORIGINAL_VALUES, { writer: 'idle', field: 'minReplicas', value: 1, live: 1, at, user: 3 });
    const annotation = take(least, { writer: 'keep-replicas', field: 'cpu', value: 90, live: 90, at, user: 60, request: 500 });
    const field = 'evenkeel.io/original';
    const annotations = { [field]: SIGNER.sign({ kind: 'HorizontalPodAutoscaler', uid, field }, writeOriginalValues(annotation)) };
    expect((await world.patch('merge', `${HPAS}/web`, { metadata: { annotations } }, { fieldManager: 'evenkeel' })).status).toBe(200);
    const hpa = async (): Promise<readonly [number, number]> => {
      const now = ((await world.get(`${HPAS}/web`)).body as Wire).spec;
      return [now.minReplicas, now.metrics[0].resource.target.averageUtilization];
    };
    instead = ({ body }) => (JSON.stringify(body ?? null).includes('minReplicas') ? refusal(403, 'Forbidden', 'policy says no') : null);
    expect((await uninstall()).notes).toEqual([RECORDS_REMAIN]);
    expect(await hpa()).toEqual([1, 60]);
    instead = () => null;
    expect(await uninstall()).toMatchObject({ left: [], notes: [] });
    expect(await hpa()).toEqual([3, 60]);
  });

  test('restores replicas of one kind while another cannot be listed, and finds nothing once it can', async () => {
    await idled(OXEN, anOx('ox'));
    const why = 'conversion webhook for a.example.com/v1, Kind=Cow failed';
    instead = ({ path }) => (path === '/apis/a.example.com/v1/cows' ? refusal(500, 'InternalError', why) : null);
    const { left } = await uninstall();
    expect(left.map((each) => each.why).join('; ')).toContain(why);
    expect(await replicasOf(`${OXEN}/ox`)).toBe(3);
    instead = () => null;
    expect((await uninstall()).left).toEqual([]);
  });
});
