import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { aScope } from '../../../test/builders/tenants/scopes.ts';
import { dashboardWorld, type DashboardWorld } from '../../../test/builders/dashboard-world.ts';
import { makeIdle } from '../../../test/builders/shop/idle-shop.ts';
import { startDashboard, type DashboardClient } from '../../../test/fakes/clients/dashboard-client.ts';
import type { IdleWorkload } from '../../apis/http/types.generated.ts';
import type { PodRecord } from '#kube/records/pod';
import { HOUR_MS } from '#kube/units';
import { createReadModels } from '../read-models.ts';

let world: DashboardWorld;
let client: DashboardClient;

beforeEach(async () => {
  world = dashboardWorld();
  for (const name of ['checkout', 'mailer', 'query']) makeIdle(world, name, world.clock.now());
  client = await startDashboard(world);
});
afterEach(() => client.close());

const namesOf = (items: readonly IdleWorkload[]): readonly string[] => items.map(({ workload }) => workload.name);
const listed = async (query = ''): Promise<readonly string[]> => namesOf((await client.get(`/api/v1/idle-workloads${query}`)).body.data);

describe('Idle workloads', () => {
  test('are listed with their natural and present sizes, and the savings over all replicas', async () => {
    const { body } = await client.get('/api/v1/idle-workloads?q=checkout');
    expect(body.data).toEqual([
      {
        workload: { namespace: 'shop', kind: 'Deployment', name: 'checkout' },
        state: 'idled',
        idleSince: new Date(world.clock.now() - 3 * HOUR_MS).toISOString(),
        idle: { cpuMillicores: 10, memoryBytes: 1280 * 2 ** 20 },
        natural: { cpuMillicores: 1200, memoryBytes: 1280 * 2 ** 20 },
        replicas: 3,
        naturalReplicas: 3,
        projectedSavings: { cpuMillicores: 3 * 1190, memoryBytes: 0 },
        projectedSavingsPerMonthUsd: expect.any(Number),
        // Its pods still have their natural size: nothing is saved yet.
        realizedSavings: { cpuMillicores: 0, memoryBytes: 0 },
        realizedSavingsPerMonthUsd: 0,
        wakesOn: expect.stringContaining('CPU'),
      },
    ]);
    expect(body.data[0].projectedSavingsPerMonthUsd).toBeGreaterThan(0);
    expect(body.meta).toMatchObject({ total: 1, summary: { projectedSavings: { cpuMillicores: 3570, memoryBytes: 0 } } });
    const { body: shown } = await client.get('/api/v1/recommendations?state=idle');
    expect(shown.meta.total).toBe(3);
  });

  test('projected savings are realized pod by pod', async () => {
    const { cluster } = world;
    const idled = (pod: PodRecord): PodRecord => ({
      ...pod,
      containers: pod.containers.map((each) => ({ ...each, requests: { ...each.requests, cpuMillicores: 10 } })),
    });
    const [first] = cluster.podList.filter(({ name }) => name.startsWith('checkout'));
    cluster.podList = cluster.podList.map((pod) => (pod === first ? idled(pod) : pod));
    const { body } = await client.get('/api/v1/idle-workloads?q=checkout');
    expect(body.data[0].realizedSavings).toEqual({ cpuMillicores: 1190, memoryBytes: 0 });
    expect(body.data[0].realizedSavingsPerMonthUsd).toBeCloseTo(body.data[0].projectedSavingsPerMonthUsd / 3, 1);
  });

  test.each<[string, readonly string[]]>([
    ['', ['checkout', 'query', 'mailer']],
    ['?sort=workload.name', ['checkout', 'mailer', 'query']],
    ['?namespace=search&namespace=notify', ['query', 'mailer']],
    ['?kind=StatefulSet', []],
    ['?state=waking', []],
    ['?limit=1', ['checkout']],
  ])('%s lists %j', async (query, names) => {
    expect(await listed(query)).toEqual(names);
  });

  test('are returned in pages, as CSV, and as 304 where nothing has changed', async () => {
    const first = await client.get('/api/v1/idle-workloads?limit=2');
    const { nextCursor } = first.body.meta;
    expect(await listed(`?limit=2&cursor=${nextCursor}`)).toEqual(['mailer']);
    const { text } = await client.get('/api/v1/idle-workloads?format=csv');
    expect(text.split(/\r?\n/)[0]).toContain('workload.name');
    const same = await client.get('/api/v1/idle-workloads?limit=2', { 'if-none-match': first.headers.get('etag') ?? '' });
    expect(same.status).toBe(304);
  });

  test('of namespaces without a grant are not listed', () => {
    const scope = aScope('operator', ['shop'], 'ann');
    const page = createReadModels(world.sources).idleWorkloads.list(scope, { limit: 100, sort: 'idleSince', format: 'json' });
    expect(page).toMatchObject({ kind: 'page', total: 1, summary: { projectedSavings: { cpuMillicores: 3570 } } });
  });

  test('are empty while the feature is disabled, with a warning', async () => {
    const mode = { mode: () => ({ ...world.sources.mode.mode(), features: { idleWorkloads: false } }) };
    const off = await startDashboard({ ...world, sources: { ...world.sources, mode } });
    const { status, body } = await off.get('/api/v1/idle-workloads');
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: [], meta: { total: 0, warnings: [{ code: 'feature_disabled' }] } });
    expect((await off.get('/api/v1/mode')).body.data.features.idleWorkloads).toBe(false);
    await off.close();
  });
});

describe('Waking', () => {
  const wake = (name: string, query = '', headers = {}) =>
    client.send('POST', `/api/v1/idle-workloads/shop/${name}/wake${query}`, { reason: 'a demo' }, headers);

  test('is written as a user request, with an Event and an audit line; a second request writes nothing', async () => {
    const { status, body } = await wake('checkout');
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ workload: { name: 'checkout' }, state: 'waking' });
    expect(world.cluster.findRecommendation('shop/Deployment/checkout')?.spec.wake).toMatchObject({ by: 'anonymous', reason: 'a demo' });
    expect(world.events).toHaveLength(1);
    expect(world.events[0]).toMatchObject({ reason: 'WakeRequested', message: expect.stringContaining('a demo') });
    expect((await wake('checkout')).status).toBe(200);
    expect(world.events).toHaveLength(1);
  });

  test('in a dry run changes nothing', async () => {
    const { body } = await wake('checkout', '?dryRun=true');
    expect(body.meta.dryRun).toBe(true);
    expect(world.cluster.findRecommendation('shop/Deployment/checkout')?.spec.wake).toBeUndefined();
  });

  test('is refused where the workload is not idled, does not exist, or has changed since it was read', async () => {
    expect((await wake('cart')).status).toBe(409);
    expect((await wake('nothing')).status).toBe(404);
    expect((await wake('checkout', '', { 'if-match': '"old"' })).status).toBe(409);
  });
});
