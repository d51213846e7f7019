import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../test/builders/dashboard-world.ts';
import { startDashboard, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';

const WEB = '/api/v1/overrides/shop/web';
const floor = { app: { cpu: '250m' } };

let world: DashboardWorld;
let client: DashboardClient;
beforeEach(async () => {
  world = dashboardWorld();
  client = await startDashboard(world);
});
afterEach(() => client.close());

describe('overrides', () => {
  test('are listed from workload annotations, with the user where known', async () => {
    await client.send('PATCH', `${WEB}/floor`, { floor, reason: 'month end' });
    world.cluster.workloadList = world.cluster.workloadList.map((each) =>
      each.name === 'cart' ? { ...each, annotations: { 'evenkeel.io/ceiling': 'oops', 'evenkeel.io/exclude': 'true' } } : each,
    );
    const { body } = await client.get('/api/v1/overrides?sort=name');
    expect(body.meta.total).toBe(2);
    expect(body.data[0]).toMatchObject({
      name: 'cart',
      ceiling: null,
      excluded: true,
      setBy: null,
      problems: [expect.stringContaining('ceiling')],
    });
    expect(body.data[1]).toMatchObject({
      name: 'web',
      floor,
      setBy: 'anonymous',
      setAt: '2026-11-20T14:30:00.000Z',
      reason: 'month end',
      changes: [{ annotation: 'floor', by: 'anonymous' }],
    });
    expect((await client.get('/api/v1/overrides?namespace=pay')).body.data).toEqual([]);
    expect((await client.get('/api/v1/overrides?format=csv')).text).toMatch(/^namespace,kind,name,policy,floor,ceiling,mode,excluded/);
  });

  test('a value changed manually since has no user', async () => {
    await client.send('PATCH', `${WEB}/floor`, { floor });
    world.cluster.workloadList = world.cluster.workloadList.map((each) =>
      each.name === 'web' ? { ...each, annotations: { ...each.annotations, 'evenkeel.io/floor': '{"app":{"cpu":"2"}}' } } : each,
    );
    expect((await client.get(WEB)).body.data).toMatchObject({ floor: { app: { cpu: '2' } }, setBy: null, changes: [] });
  });

  test('appear in the recommendations at once, despite the cache', async () => {
    await client.get('/api/v1/recommendations');
    await client.send('PATCH', `${WEB}/floor`, { floor });
    expect((await client.get('/api/v1/recommendations?q=web')).body.data[0].overrides.floor).toEqual(floor);
  });

  test.each([
    ['a floor above the ceiling', { floor: { app: { cpu: '2' } }, ceiling: { app: { cpu: '1' } } }, '/floor/app/cpu'],
    ['an unknown container', { floor: { sidecar: { cpu: '2' } } }, '/floor/sidecar'],
    ['what is no quantity', { floor: { app: { memory: '2 GB' } } }, '/floor/app/memory'],
    ['an unknown resource', { floor: { app: { disk: '2Gi' } } }, '/floor/app/disk'],
    ['an unknown field', { flor: {} }, '/flor'],
    ['nothing to set', {}, ''],
    ['a reason for nothing', { reason: 'month end' }, '/floor'],
  ])('%s is a 400 with the field', async (_, body, path) => {
    const answer = await client.send('PATCH', `${WEB}/floor`, body);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.error.details.map((detail: { path: string }) => detail.path)).toEqual([path]);
    expect(world.records.written).toEqual([]);
  });

  test('a body that is missing is a 400', async () => {
    const answer = await client.send('PATCH', `${WEB}/floor`);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
  });

  test('two kinds with one name: ?kind= selects', async () => {
    const web = world.cluster.workloadList.find(({ name }) => name === 'web')!;
    world.cluster.workloadList.push({ ...web, kind: 'StatefulSet', uid: 'twin' });
    expect((await client.send('PATCH', `${WEB}/floor`, { floor })).body.error.code).toBe('ambiguous_workload');
    expect((await client.send('PATCH', `${WEB}/floor?kind=Deployment`, { floor })).status).toBe(200);
  });

  test('If-Match rejects a change of an object that changed since', async () => {
    const tag = (await client.get(WEB)).headers.get('etag')!;
    expect((await client.send('PATCH', `${WEB}/floor`, { floor }, { 'if-match': tag })).status).toBe(200);
    const late = await client.send('DELETE', `${WEB}/floor`, undefined, { 'if-match': tag });
    expect([late.status, late.body.error.code]).toEqual([409, 'conflict']);
  });

  test('a dry run answers with the result and changes nothing', async () => {
    const answer = await client.send('PATCH', `${WEB}/floor?dryRun=true`, { floor });
    expect(answer.body).toMatchObject({ data: { floor }, meta: { dryRun: true } });
    expect((await client.get(WEB)).body.data.floor).toBeNull();
  });

  test('501 items are a 400 without changes; 500 are carried out, failing ones reported', async () => {
    const items = Array.from({ length: 501 }, () => ({ namespace: 'shop', name: 'web', action: 'set', floor }));
    const tooMany = await client.send('POST', '/api/v1/overrides/bulk', { items });
    expect([tooMany.status, world.records.written.length]).toEqual([400, 0]);
    items[7] = { ...items[7]!, name: 'nothing' };
    const { body } = await client.send('POST', '/api/v1/overrides/bulk', { items: items.slice(0, 500) });
    expect(body.meta.summary).toEqual({ succeeded: 499, failed: 1 });
    expect(body.data.find((result: { ok: boolean }) => !result.ok)).toMatchObject({ index: 7, error: { code: 'not_found' } });
  });
});
